"""Build programs with mixed sources with kbuild, CMake's CUDA language, and nvcc."""

from __future__ import annotations

import argparse
import compileall
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Cost, describe_machine, measure_command
from benchmarks.mixed import projects
from benchmarks.mixed.host_steps import prepare_host_steps
from benchmarks.mixed.projects import Inputs, Project
from benchmarks.mixed.sources import SOURCES, Source, edit_host, edit_kernel
from benchmarks.mixed.toolkit import COUNTED, CountedToolkit
from kbuild import resources
from kbuild.backends.cuda import build as cuda
from kbuild.bench.timing import find_timed_project, time_launches
from kbuild.errors import ToolchainError
from kbuild.report.bench import render_times
from kbuild.toolchain.find import find_toolchain, gather_hints

OURS, HOST_STEPS, HOST_AND_LINK = "kbuild", "nvcc's host steps", "the same, and link"
MAKERS = {
    OURS: projects.make_kbuild_project,
    "CMake, CUDA": projects.make_cmake_project,
    "nvcc --threads 2": projects.make_nvcc_project,
}
ARCHITECTURES = ("75", "80", "86", "89", "90", "100")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The cost of a step on one side, and how often the device compilers ran."""

    cost: Cost
    counts: dict[str, int]


def main() -> None:
    arguments = parse_arguments()
    try:
        toolchain = find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        raise SystemExit(str(error)) from error
    # As in an installation. Some environments forbid Python to write bytecode.
    compileall.compile_dir(resources.native_directory().parent, quiet=2)
    names = [SOURCES[0].name] if arguments.tiny else arguments.sources
    sources = tuple(source for source in SOURCES if not names or source.name in names)
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        toolkit = CountedToolkit(toolchain.compiler, directory / "toolkit")
        inputs = Inputs(
            samples=arguments.samples.resolve(),
            sources=sources,
            architectures=("90",) if arguments.tiny else ARCHITECTURES,
            nvcc=toolkit.nvcc,
        )
        print(
            f"{describe_machine()}; nvcc {toolchain.version}, "
            f"{len(sources)} sources x {len(inputs.architectures)} architectures"
        )
        # All sides use the toolkit that counts, kbuild as well.
        os.environ["CUDACXX"] = str(toolkit.nvcc)
        compare(inputs, toolkit, directory, arguments)
        os.environ["CUDACXX"] = str(toolchain.compiler)
    if not arguments.tiny:
        show_launches()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--samples", type=Path, required=True, metavar="DIR", help="a checkout of cuda-samples"
    )
    parser.add_argument(
        "--tiny", action="store_true", help="build one source, to check that the benchmark runs"
    )
    parser.add_argument("--sides", nargs="+", choices=tuple(MAKERS), default=tuple(MAKERS))
    parser.add_argument("--sources", nargs="+", choices=tuple(s.name for s in SOURCES))
    parser.add_argument("--repetitions", type=int, default=1)
    return parser.parse_args()


def compare(
    inputs: Inputs, toolkit: CountedToolkit, directory: Path, arguments: argparse.Namespace
) -> None:
    """Take every step on every side in turn, and print a step's rows when it is done."""
    built = {
        side: MAKERS[side](directory / str(number), inputs)
        for number, side in enumerate(arguments.sides)
    }
    repetitions = 1 if arguments.tiny else arguments.repetitions

    def repeat(take: Callable[[Project, int], object]) -> list[dict[str, Taken]]:
        rounds = []
        for number in range(repetitions):
            taken = {}
            for side, project in built.items():
                take(project, number)
                toolkit.take_counts()
                cost = measure_command(project.build)
                taken[side] = Taken(cost=cost, counts=toolkit.take_counts())
            rounds.append(taken)
        return rounds

    print(
        f"{'step':<36}{'side':<20}{'wall s':>8}{'CPU s':>8}{'kbuild / wall':>15}{'/ CPU':>8}"
        + "".join(f"{name:>7}" for name in COUNTED)
    )
    show("cold build", repeat(lambda project, _: project.reset()))
    for source in inputs.sources:
        host = repeat(lambda p, number, s=source: edit_host(s, inputs.samples, p.directory, number))
        add_host_steps(host, source, inputs, directory)
        show(f"host edit, {source.name}", host)
        kernel = repeat(
            lambda p, number, s=source: edit_kernel(s, inputs.samples, p.directory, number + 1)
        )
        show(f"kernel edit, {source.name}", kernel)


def add_host_steps(
    rounds: list[dict[str, Taken]], source: Source, inputs: Inputs, directory: Path
) -> None:
    """Add the steps with which nvcc compiles host code, without its device compilers."""
    steps = prepare_host_steps(source, inputs, directory / "steps")
    none = dict.fromkeys(COUNTED, 0)
    for taken in rounds:
        compiled = measure_command(steps.compile, steps.directory)
        linked = measure_command(steps.link, steps.directory)
        both = Cost(
            wall=compiled.wall + linked.wall, processor=compiled.processor + linked.processor
        )
        taken[HOST_STEPS] = Taken(cost=compiled, counts=none)
        taken[HOST_AND_LINK] = Taken(cost=both, counts=none)


def show(step: str, rounds: Sequence[dict[str, Taken]]) -> None:
    """Print the medians of every side, and the medians of kbuild's ratios to it per round."""
    for side in rounds[0]:
        costs = [taken[side].cost for taken in rounds]
        wall = statistics.median(cost.wall for cost in costs)
        processor = statistics.median(cost.processor for cost in costs)
        row = f"{step:<36}{side:<20}{wall:>8.2f}{processor:>8.2f}"
        if OURS in rounds[0]:
            ours = [taken[OURS].cost for taken in rounds]
            pairs = list(zip(ours, costs, strict=True))
            row += f"{statistics.median(a.wall / b.wall for a, b in pairs):>15.3f}"
            row += f"{statistics.median(a.processor / b.processor for a, b in pairs):>8.3f}"
        else:
            row += f"{'-':>15}{'-':>8}"
        counts = rounds[-1][side].counts
        print(row + "".join(f"{counts[name]:>7}" for name in COUNTED), flush=True)


def show_launches() -> None:
    """Print the times of launches, `<<<>>>` by kbuild among them, if there is a device."""
    project = find_timed_project(cuda)
    if project is None:
        print("\nno NVIDIA device found; launches are not timed")
        return
    with tempfile.TemporaryDirectory() as directory:
        print()
        print(render_times(time_launches(project, Path(directory), 600)), end="")


if __name__ == "__main__":
    main()
