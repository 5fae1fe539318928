"""Measure the times of launches on a device, without a profiler.

One process launches in every way in turn. Each ratio compares a way with the first one in the same
batch.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.bench.results import TimedMode, TimedWay, Timing
from kbuild.errors import ConfigurationError, ToolError
from kbuild.model import Command
from kbuild.process import run_checked
from kbuild.project.cmake import CMakeBuild, configure_and_build
from kbuild.project.tools import find_build_tools
from kbuild.toolchain.find import find_toolchain, gather_hints

# The number of processes that measure the first launch of each way.
_FIRST_LAUNCHES: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The nanoseconds per launch in one batch."""

    mode: str
    way: str
    nanoseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedProject:
    """A program that times launches, and how to build it."""

    source: Path
    toolchain: Toolchain
    architecture: str


def find_timed_project(builder: Builder) -> TimedProject | None:
    """Return the backend's program, or None if it has none or this machine has no device."""
    source = resources.native_directory() / "bench" / "timed" / builder.TRAITS.name
    if not source.is_dir():
        return None
    hints = gather_hints(with_devices=True)
    toolchain = find_toolchain(builder, hints)
    try:
        native = builder.expand_architectures(("native",), toolchain, hints)
    except ConfigurationError:
        return None
    return TimedProject(source=source, toolchain=toolchain, architecture=native[0])


def time_launches(project: TimedProject, build: Path, batches: int) -> Timing:
    """Build the program in the directory ``build``, and run it."""
    options = ";".join(project.toolchain.options)
    definitions = (
        *("CMAKE_BUILD_TYPE=Release", f"ARCHITECTURE={project.architecture}"),
        f"DEVICE_COMPILER={project.toolchain.compiler}",
        *((f"DEVICE_OPTIONS={options}",) if options else ()),
    )
    cmake_build = CMakeBuild(source=project.source, build=build, definitions=definitions)
    configure_and_build(cmake_build, find_build_tools())
    program = str(build / "timed")
    facts = [line.split("\t") for line in _run(program)]
    device = next(words[1] for words in facts if words[0] == "device")
    ways = [words[1] for words in facts if words[0] == "way"]
    lines = _run(program, "warm", str(batches))
    for turn in range(_FIRST_LAUNCHES):
        for number in range(len(ways)):
            lines += _run(program, "first", str((turn + number) % len(ways)))
    return Timing(device=device, modes=summarize(map(read_sample, lines), ways))


def _run(*argv: str) -> list[str]:
    return run_checked(Command(argv=argv)).stdout.splitlines()


def read_sample(line: str) -> Sample:
    """Parse a line of output: ``sample``, mode, way, and nanoseconds, separated by tabs."""
    words = line.split("\t")
    if len(words) != 4 or words[0] != "sample":  # noqa: PLR2004 - the line's words
        raise ToolError(
            f"unexpected output {line!r} of the timing program; expected 'sample' and three values"
        )
    return Sample(mode=words[1], way=words[2], nanoseconds=float(words[3]))


def summarize(samples: Iterable[Sample], ways: Iterable[str]) -> tuple[TimedMode, ...]:
    """Compute the medians, and the ratios to the first of ``ways`` in the same batch.

    Args:
        samples: The samples; the i-th one of each way belongs to batch i.
        ways: The names of the ways in order.
    """
    order = tuple(ways)
    modes: dict[str, dict[str, list[float]]] = {}
    for sample in samples:
        batches = modes.setdefault(sample.mode, {}).setdefault(sample.way, [])
        batches.append(sample.nanoseconds)
    return tuple(
        TimedMode(
            name=mode,
            ways=tuple(
                _summarize_way(way, taken[way], taken[order[0]]) for way in order if way in taken
            ),
        )
        for mode, taken in modes.items()
    )


def _summarize_way(name: str, taken: list[float], peer: list[float]) -> TimedWay:
    ratios = [ours / theirs for ours, theirs in zip(taken, peer, strict=True)]
    low, middle, high = (
        statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    )
    return TimedWay(
        name=name,
        nanoseconds=statistics.median(taken),
        ratio=middle,
        low=low,
        high=high,
        batches=len(taken),
    )
