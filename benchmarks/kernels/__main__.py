"""Compare kernels on the CPU backend with the same loops in OpenMP and kernels in OpenCL C."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.kernels.spelling_report import ORIGINAL, describe_spellings, read_executions
from benchmarks.measure import HEADER, Comparison, describe_machine, show, time_command
from kbuild import resources

HERE = Path(__file__).resolve().parent
KBUILD = Path(sysconfig.get_path("scripts")) / "kbuild"
OURS, PEER = "kbuild", "OpenMP"
# The cases whose kernels have no barriers.
WITHOUT_BARRIERS = ("nothing", "saxpy", "matmul_naive")


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
    parser.add_argument(
        "--processor", action="store_true", help="measure processor time instead of wall time"
    )
    parser.add_argument(
        "--spellings",
        action="store_true",
        help="compare the same kernels in seven spellings, and show their execution models",
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run (default: all)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        build(Path(directory), arguments.arch, spellings=arguments.spellings)
        measured = "processor time" if arguments.processor else "wall time"
        print(f"{describe_machine()}; -O3, {arguments.arch}; {measured}")
        options = {"--tiny": arguments.tiny, "--processor": arguments.processor}
        words = [*(option for option, is_given in options.items() if is_given), *arguments.cases]
        turns = measure(Path(directory) / "compare", words)
        if arguments.spellings:
            executions = read_executions(KBUILD, Path(directory) / "libkernels.so")
            for line in describe_spellings(compare_spellings(turns), executions):
                print(line)
            return
    comparisons = compare(turns)
    print(HEADER)
    for comparison in comparisons:
        show(comparison)
    show_means(comparisons)


def build(directory: Path, arch: str, *, spellings: bool) -> None:
    time_command(
        [
            *("cmake", "-S", HERE, "-B", directory, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            f"-DARCHITECTURE={arch}",
            f"-Dkbuild_DIR={resources.cmake_directory()}",
            f"-DKBUILD_EXECUTABLE={KBUILD}",
            f"-DSPELLINGS={'ON' if spellings else 'OFF'}",
        ]
    )
    time_command(["cmake", "--build", directory])


def measure(program: Path, words: list[str]) -> dict[tuple[str, str], list[float]]:
    """Return the seconds of each turn, by case and side."""
    # OpenMP threads that spin after a loop would take cores from the kernel.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(
        [program, *words], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    turns: dict[tuple[str, str], list[float]] = {}
    for line in done.stdout.splitlines():
        name, size, *sides = line.split()
        for side, seconds in zip(sides[::2], sides[1::2], strict=True):
            turns.setdefault((f"{name} {size}", side), []).append(float(seconds))
    return turns


def compare(turns: Mapping[tuple[str, str], Sequence[float]]) -> list[Comparison]:
    """Compare kbuild with each peer."""
    return [
        Comparison(case=case, peer_name=side, ours=tuple(turns[case, OURS]), peer=tuple(measured))
        for (case, side), measured in turns.items()
        if side != OURS
    ]


def compare_spellings(turns: Mapping[tuple[str, str], Sequence[float]]) -> list[Comparison]:
    """Compare each spelling with OpenMP."""
    return [
        Comparison(
            case=f"{case} {ORIGINAL if side == OURS else side}",
            peer_name=PEER,
            ours=tuple(measured),
            peer=tuple(turns[case, PEER]),
        )
        for (case, side), measured in turns.items()
        if side != PEER
    ]


def show_means(comparisons: list[Comparison]) -> None:
    """Print the geometric means of the ratios of the kernels with barriers."""
    for peer in sorted({comparison.peer_name for comparison in comparisons}):
        ratios = [
            statistics.median(comparison.ratios)
            for comparison in comparisons
            if comparison.peer_name == peer and comparison.case.split()[0] not in WITHOUT_BARRIERS
        ]
        if ratios:
            mean = statistics.geometric_mean(ratios)
            print(f"{len(ratios)} kernels with barriers: {mean:.2f} x {peer}, geometric mean")


if __name__ == "__main__":
    main()
