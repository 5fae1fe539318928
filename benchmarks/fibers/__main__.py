"""Compare barriers of fibers with switches of Boost.Context.

A row `barrier` shows the time per thread and barrier, for a block of this many threads. The peers
are as many contexts that continue each other in turn, by the class `fiber` or by the function
`jump_fcontext`, and two fibers, which need no memory but that in the nearest cache. A row `start`
shows what the only barrier of a thread costs. The peer creates a fiber on a stack from a pool,
suspends it once, and lets it end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.measure import Comparison, describe_machine, header, show, time_command
from kbuild import resources

HERE = Path(__file__).resolve().parent
OURS = "kbuild"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure little, to check that the benchmark runs"
    )
    arguments = parser.parse_args()
    # One core, so that one OS thread runs all blocks.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as directory:
        build(Path(directory))
        print(f"{describe_machine()}; processor time per thread")
        print(header("ns"))
        for comparison in compare(
            Path(directory) / "compare", ["--tiny"] if arguments.tiny else []
        ):
            show(comparison, scale=1)


def build(directory: Path) -> None:
    kbuild = Path(sysconfig.get_path("scripts")) / "kbuild"
    os.environ["KBUILD_CPU_SPLIT"] = "off"
    time_command(
        [
            *("cmake", "-S", HERE, "-B", directory, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            f"-Dkbuild_DIR={resources.cmake_directory()}",
            f"-DKBUILD_EXECUTABLE={kbuild}",
        ]
    )
    time_command(["cmake", "--build", directory])


def compare(program: Path, words: list[str]) -> list[Comparison]:
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True)
    turns: dict[tuple[str, str], list[float]] = {}
    for line in done.stdout.splitlines():
        name, count, *sides = line.split()
        for side, nanoseconds in zip(sides[::2], sides[1::2], strict=True):
            turns.setdefault((f"{name} {count}", side), []).append(float(nanoseconds))
    return [
        Comparison(case=case, peer_name=side, ours=tuple(turns[case, OURS]), peer=tuple(measured))
        for (case, side), measured in turns.items()
        if side != OURS
    ]


if __name__ == "__main__":
    main()
