"""Compare checked kernels with the same kernels as fibers at -O1, as processor time."""

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

HERE = Path(__file__).resolve().parent
SIDES = ("fibers", "checked")
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
    ratios = []
    for case, sides in times.items():
        fibers, checked = (statistics.median(sides[side]) for side in SIDES)
        ratios.append(checked / fibers)
        print(f"{case:<28}{fibers * 1e3:>10.4g} ms{checked * 1e3:>10.4g} ms{ratios[-1]:>8.2f}")
    print(f"geometric mean: {math.exp(statistics.fmean(map(math.log, ratios))):.2f}")


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
    """Run both programs in turns, and return the seconds of each case and side."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # checked kernels use one core
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "KBUILD_CHECK": "all"}
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(ROUNDS):
        for side in SIDES:
            done = subprocess.run(
                [directory / f"compare_{side}", *options],
                env={k: v for k, v in environment.items() if side == "checked" or "CHECK" not in k},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                check=True,
            )
            for line in done.stdout.splitlines():
                name, size, _, seconds, *_ = line.split()
                times[f"{name} {size}"][side].append(float(seconds))
    return times


if __name__ == "__main__":
    main()
