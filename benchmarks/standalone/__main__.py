"""Compare an up-to-date `kbuild build` with `cmake --build` and ninja."""

from __future__ import annotations

import argparse
import sys
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.measure import HEADER, Comparison, describe_machine, interleave, show, time_command

KBUILD = Path(sysconfig.get_path("scripts")) / "kbuild"
MANIFEST = '[target.kernels]\nsources = ["src/*.cu"]\narchitectures = ["x86-64"]\n'
KERNEL = "__global__ void scale_{n}(float* x) {{ x[threadIdx.x] *= {n}; }}\n"


def write_project(directory: Path, count: int) -> None:
    (directory / "src").mkdir()
    for number in range(count):
        (directory / "src" / f"{number}.cu").write_text(KERNEL.format(n=number))
    (directory / "kbuild.toml").write_text(MANIFEST)


def compare(directory: Path, repetitions: int) -> list[Comparison]:
    build = directory / "build" / "kbuild" / "cmake"
    taken = interleave(
        {
            "kbuild": lambda: time_command((KBUILD, "build"), directory),
            "ninja": lambda: time_command(("ninja", "-C", build)),
            "python": lambda: time_command((sys.executable, "-c", "pass")),
            "cmake": lambda: time_command(("cmake", "--build", build)),
        },
        repetitions,
    )
    floor = tuple(a + b for a, b in zip(taken["ninja"], taken["python"], strict=True))
    peers = (("ninja + python -c pass", floor), ("cmake --build", taken["cmake"]))
    return [
        Comparison(case="no-op", peer_name=name, ours=taken["kbuild"], peer=peer)
        for name, peer in peers
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="use two sources, to test the script")
    parser.add_argument("--sources", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=31)
    arguments = parser.parse_args()
    count = 2 if arguments.tiny else arguments.sources
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name).resolve()
        write_project(directory, count)
        time_command((KBUILD, "build"), directory)
        print(f"{describe_machine()}; {count} sources")
        print(HEADER)
        for comparison in compare(directory, 1 if arguments.tiny else arguments.repetitions):
            show(comparison)


if __name__ == "__main__":
    main()
