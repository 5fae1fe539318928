"""Compare configuring, building, and rebuilding kernels with plain C++ of the same size."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

from benchmarks.measure import HEADER, Comparison, describe_machine, show, time_command
from benchmarks.rebuild.edge import show_split
from benchmarks.rebuild.projects import KERNELS, PLAIN, Project, write_project

STEPS = ("configure", "cold build", "no-op build", "build after one edit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="use two sources, to check that the benchmark runs"
    )
    parser.add_argument("--sources", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    count = 2 if arguments.tiny else arguments.sources
    repetitions = 1 if arguments.tiny else arguments.repetitions
    with tempfile.TemporaryDirectory() as directory:
        kernels = write_project(Path(directory) / "kernels", count, KERNELS)
        plain = write_project(Path(directory) / "plain", count, PLAIN)
        print(f"{describe_machine()}; {count} sources, Ninja, Release")
        print(HEADER)
        for comparison in compare(kernels, plain, repetitions):
            show(comparison)
        show_split(kernels, 1 if arguments.tiny else 15)


def compare(kernels: Project, plain: Project, repetitions: int) -> list[Comparison]:
    rounds = [
        (take_steps(kernels, generation), take_steps(plain, generation))
        for generation in range(repetitions + 1)
    ][1 if repetitions > 1 else 0 :]  # the first warms up
    return [
        Comparison(
            case=step,
            peer_name="CMake, C++",
            ours=tuple(ours[number] for ours, _ in rounds),
            peer=tuple(peer[number] for _, peer in rounds),
        )
        for number, step in enumerate(STEPS)
    ]


def take_steps(project: Project, generation: int) -> tuple[float, ...]:
    """Return the seconds of each of `STEPS`."""
    shutil.rmtree(project.build, ignore_errors=True)
    configured = time_command(project.configure_command)
    cold = time_command(project.build_command)
    no_op = time_command(project.build_command)
    project.edit(generation)
    edited = time_command(project.build_command)
    return configured, cold, no_op, edited


if __name__ == "__main__":
    main()
