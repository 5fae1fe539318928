"""Time products of cuBLAS on the CPU, and those of the OpenBLAS that it calls, in one process."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import HEADER, Comparison, describe_machine, show

SOURCE = Path(__file__).with_name("products.cu")


def build(directory: Path) -> Path:
    program = directory / "products"
    words = ("--backend", "cpu", "--build-only", "-o", str(program), "-l", "cublas", "-l", "dl")
    argv = (sys.executable, "-m", "kbuild", "run", *words, str(SOURCE))
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return program


def measure(program: Path, size: int, pairs: int) -> Comparison:
    argv = (str(program), str(size), str(pairs))
    output = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    times = [tuple(map(float, line.split())) for line in output.splitlines()]
    return Comparison(
        case=f"cublasSgemm {size}",
        peer_name="OpenBLAS",
        ours=tuple(ours for ours, _ in times),
        peer=tuple(peer for _, peer in times),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="measure one small size")
    arguments = parser.parse_args()
    sizes = {64: 3} if arguments.tiny else {64: 200, 256: 100, 1024: 30, 2048: 10}
    with tempfile.TemporaryDirectory() as directory:
        program = build(Path(directory))
        print(describe_machine())
        print(HEADER)
        for size, pairs in sizes.items():
            show(measure(program, size, pairs))


if __name__ == "__main__":
    main()
