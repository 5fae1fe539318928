"""Build CUDA kernels for several architectures with kbuild, CMake's CUDA language, and nvcc."""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from benchmarks.build import projects
from benchmarks.build.projects import Project
from benchmarks.measure import Cost, describe_machine, measure_command, time_command
from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.find import find_toolchain, gather_hints

OURS = "kbuild"
STEPS = ("cold", "host edit", "kernel edit", "no-op")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="build one source, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    try:
        toolchain = find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        raise SystemExit(str(error)) from error
    work = projects.TINY if arguments.tiny else projects.FULL
    repetitions = 1 if arguments.tiny else arguments.repetitions
    with tempfile.TemporaryDirectory() as name:
        directory, nvcc = Path(name), toolchain.compiler
        sides = {
            OURS: projects.make_kbuild_project(directory / "kbuild", work),
            "bare nvcc and g++": projects.make_edges_project(directory / "edges", work, nvcc),
            "nvcc -c -t 2": projects.make_nvcc_project(directory / "nvcc", work, nvcc),
            "CMake, CUDA": projects.make_cmake_project(directory / "cmake", work, nvcc),
        }
        print(
            f"{describe_machine()}; nvcc {toolchain.version}, "
            f"{len(work.names)} sources x {len(work.architectures)} architectures"
        )
        rounds = [
            {side: take_steps(project, number) for side, project in sides.items()}
            for number in range(repetitions)
        ]
    show(rounds)


def take_steps(project: Project, generation: int) -> dict[str, Cost]:
    shutil.rmtree(project.directory / "build", ignore_errors=True)
    if project.configure:
        time_command(project.configure)
    else:
        time_command([*project.build, "-t", "clean"])
    costs = {"cold": measure_command(project.build)}
    project.edit_host(generation)
    costs["host edit"] = measure_command(project.build)
    project.edit_kernel(generation)
    costs["kernel edit"] = measure_command(project.build)
    costs["no-op"] = measure_command(project.build)
    return costs


def show(rounds: list[dict[str, dict[str, Cost]]]) -> None:
    """Print the medians of every side, and the medians of kbuild's ratios to it per round."""
    print(f"{'step':<14}{'side':<22}{'wall s':>8}{'CPU s':>8}{'kbuild / wall':>15}{'/ CPU':>8}")
    for step in STEPS:
        for side in rounds[0]:
            costs = [r[side][step] for r in rounds]
            ours = [r[OURS][step] for r in rounds]
            wall = statistics.median([a.wall / b.wall for a, b in zip(ours, costs, strict=True)])
            spent = statistics.median(
                [a.processor / b.processor for a, b in zip(ours, costs, strict=True)]
            )
            print(
                f"{step:<14}{side:<22}{statistics.median([c.wall for c in costs]):>8.2f}"
                f"{statistics.median([c.processor for c in costs]):>8.2f}{wall:>15.3f}{spent:>8.3f}"
            )


if __name__ == "__main__":
    main()
