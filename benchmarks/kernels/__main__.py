"""Compare kernels on the CPU backend with the same loops in C++ with OpenMP."""

from __future__ import annotations

import argparse
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.measure import HEADER, Comparison, describe_machine, show, time_command
from kbuild import resources

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="use the smallest sizes, to check that the benchmark runs",
    )
    parser.add_argument(
        "--arch", default="x86-64-v3", help="architecture of both sides (default: %(default)s)"
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run (default: all)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        build(Path(directory), arguments.arch)
        print(f"{describe_machine()}; -O3, {arguments.arch}")
        print(HEADER)
        words = [*(["--tiny"] if arguments.tiny else []), *arguments.cases]
        for comparison in compare(Path(directory) / "compare", words):
            show(comparison)


def build(directory: Path, arch: str) -> None:
    kbuild = Path(sysconfig.get_path("scripts")) / "kbuild"
    time_command(
        [
            *("cmake", "-S", HERE, "-B", directory, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            f"-DARCHITECTURE={arch}",
            f"-Dkbuild_DIR={resources.cmake_directory()}",
            f"-DKBUILD_EXECUTABLE={kbuild}",
        ]
    )
    time_command(["cmake", "--build", directory])


def compare(program: Path, words: list[str]) -> list[Comparison]:
    # OpenMP threads that spin after a loop would take cores from the kernel.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(
        [program, *words], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    pairs: dict[str, list[tuple[float, float]]] = {}
    for line in done.stdout.splitlines():
        name, size, kernel, loop = line.split()
        pairs.setdefault(f"{name} {size}", []).append((float(kernel), float(loop)))
    return [
        Comparison(
            case=case,
            peer_name="OpenMP",
            ours=tuple(kernel for kernel, _ in measured),
            peer=tuple(loop for _, loop in measured),
        )
        for case, measured in pairs.items()
    ]


if __name__ == "__main__":
    main()
