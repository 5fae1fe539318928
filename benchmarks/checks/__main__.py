"""Compare checked kernels with two peers, as processor time.

The peers are the same kernels without checks, as users build them, and the same algorithms as
OpenMP loops under ThreadSanitizer.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.measure import describe_machine, time_command
from kbuild import resources
from kbuild.check.processes import DIRECTORY, SELECTION

HERE = Path(__file__).resolve().parent
# The programs, and the side of each one that counts.
SIDES = {"plain": "kbuild", "checked": "kbuild", "tsan": "OpenMP"}
HEADER = f"{'case':<28}{'checked':>13}{'/ plain':>10}{'/ TSan':>8}"
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also use the larger sizes")
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run (default: all)")
    arguments = parser.parse_args()
    options = ["--processor", *(() if arguments.large else ("--tiny",)), *arguments.cases]
    with tempfile.TemporaryDirectory() as directory:
        build(Path(directory))
        times = measure(Path(directory), options)
    print(f"{describe_machine()}; processor time")
    print(HEADER)
    ratios = [show(case, sides) for case, sides in times.items()]
    means = [
        math.exp(statistics.fmean(map(math.log, column))) for column in zip(*ratios, strict=True)
    ]
    print(f"{'geometric mean':<41}{means[0]:>10.2f}{means[1]:>8.2f}")


def show(case: str, sides: dict[str, list[float]]) -> tuple[float, ...]:
    """Print the row of a case, and return its ratios to the peers."""
    plain, checked, tsan = (statistics.median(sides[side]) for side in SIDES)
    ratios = checked / plain, checked / tsan
    print(f"{case:<28}{checked * 1e3:>10.4g} ms{ratios[0]:>10.2f}{ratios[1]:>8.2f}")
    return ratios


def build(directory: Path) -> None:
    kbuild = Path(sysconfig.get_path("scripts")) / "kbuild"
    time_command(
        [
            *("cmake", "-S", HERE, "-B", directory, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            f"-Dkbuild_DIR={resources.cmake_directory()}",
            f"-DKBUILD_EXECUTABLE={kbuild}",
        ]
    )
    time_command(["cmake", "--build", directory])


def measure(directory: Path, options: list[str]) -> dict[str, dict[str, list[float]]]:
    """Run the programs in turns, and return the seconds of each case and side."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # checked kernels use one core
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    # With a report, the exit code does not depend on findings: some results are in small host
    # memory, and some threads exit early.
    checked = {**environment, SELECTION: "all", DIRECTORY: str(directory)}
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(ROUNDS):
        for side in SIDES:
            done = subprocess.run(
                [directory / f"compare_{side}", *options],
                env=checked if side == "checked" else environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                check=True,
            )
            for line in done.stdout.splitlines():
                name, size, *pairs = line.split()
                seconds = dict(zip(pairs[::2], pairs[1::2], strict=True))
                times[f"{name} {size}"][side].append(float(seconds[SIDES[side]]))
    return times


if __name__ == "__main__":
    main()
