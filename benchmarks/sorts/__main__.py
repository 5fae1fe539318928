"""Time sorts of Thrust and CUB on the CPU, and those of GCC's parallel mode, in one process."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import HEADER, Comparison, describe_machine, show

HERE = Path(__file__).parent


def build(directory: Path) -> Path:
    program = directory / "sorts"
    words = ("--backend=cpu", "-O3", "-arch=native", "-std=c++17", "-Xcompiler", "-fopenmp")
    sources = (str(HERE / "sorts.cu"), str(HERE / "peer.cpp"))
    argv = (sys.executable, "-m", "kbuild", "nvcc", *words, *sources, "-o", str(program))
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return program


def measure(program: Path, library: str, kind: str, count: int, pairs: int) -> Comparison:
    argv = (str(program), library, kind, str(count), str(pairs))
    output = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    times = [tuple(float(time) / 1e3 for time in line.split()) for line in output.splitlines()]
    return Comparison(
        case=f"{library} {count} {kind}",
        peer_name="parallel mode",
        ours=tuple(ours for ours, _ in times),
        peer=tuple(peer for _, peer in times),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="measure few keys")
    arguments = parser.parse_args()
    count, pairs = (1000, 3) if arguments.tiny else (10_000_000, 20)
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        print(describe_machine())
        print(HEADER)
        for library in ("thrust", "cub"):
            for kind in ("unsigned", "float"):
                show(measure(program, library, kind, count, pairs))


if __name__ == "__main__":
    main()
