"""Count the instructions of a launch with callgrind, which gives the same numbers everywhere.

A program can make the same launch in several ways. Each run of it warms up one way, then launches
many times while callgrind counts. A preloaded library receives the launches in place of the
runtime, so no device is needed and the runtime's own instructions are not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.interface.build import Builder
from kbuild.bench import callgrind
from kbuild.bench.results import INSIDE, CountedCompiler, CountedWay
from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command
from kbuild.process import find_program, run_checked
from kbuild.project.cmake import CMakeBuild, configure_and_build
from kbuild.project.tools import find_build_tools
from kbuild.toolchain.find import find_toolchain, gather_hints

OPTIONS: Final = "-O2"
# Host compilers, C and C++.
_COMPILERS: Final = (("gcc", "g++"), ("clang", "clang++"))
_LAUNCHES: Final = 1000
# The function of the program that makes the counted launches.
_COUNTED: Final = "count_launches"
_RECEIVER: Final = "receiver.so"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    number: int
    name: str
    is_by_hand: bool


def describe_tool(path: Path) -> str:
    """Return the first line of the tool's ``--version``."""
    return run_checked(Command(argv=(str(path), "--version"))).stdout.splitlines()[0]


def count_launches(
    builder: Builder, valgrind: Path, directory: Path
) -> tuple[CountedCompiler, ...]:
    """Count the instructions of a launch for every host compiler that is installed.

    Args:
        builder: The builder of the backend whose launches are counted.
        valgrind: The path of Valgrind.
        directory: A directory for the programs.

    Raises:
        ToolchainError: No host compiler was found.
        ToolError: A program fails, or its launches differ from each other.
    """
    found = [(find_program(c), find_program(cxx)) for c, cxx in _COMPILERS]
    compilers = [(c, cxx) for c, cxx in found if c and cxx]
    if not compilers:
        raise ToolchainError("no host compiler found; install g++ or clang++")
    counted = []
    for c, cxx in compilers:
        build = directory / cxx.name
        _build_program(builder, c, cxx, build)
        ways = _count_ways(builder, valgrind, build)
        counted.append(CountedCompiler(compiler=describe_tool(cxx), ways=ways))
    return tuple(counted)


def _build_program(builder: Builder, c: Path, cxx: Path, build: Path) -> None:
    hints = gather_hints()
    # Any architecture will do, because no kernel runs.
    architecture = builder.expand_architectures((), find_toolchain(builder, hints), hints)[0]
    definitions = (
        *(f"CMAKE_C_COMPILER={c}", f"CMAKE_CXX_COMPILER={cxx}", "CMAKE_BUILD_TYPE=Release"),
        *(f"CMAKE_C_FLAGS_RELEASE={OPTIONS}", f"CMAKE_CXX_FLAGS_RELEASE={OPTIONS}"),
        *(f"BACKEND={builder.TRAITS.name}", f"ARCHITECTURE={architecture}"),
    )
    source = resources.native_directory() / "bench" / "counted"
    project = CMakeBuild(source=source, build=build, definitions=definitions)
    configure_and_build(project, find_build_tools())


def _count_ways(builder: Builder, valgrind: Path, build: Path) -> tuple[CountedWay, ...]:
    listing = run_checked(Command(argv=(str(build / "counted"),))).stdout
    ways = [
        _Way(number=number, name=name, is_by_hand=is_by_hand == "1")
        for number, line in enumerate(listing.splitlines())
        for is_by_hand, _, name in [line.partition("\t")]
    ]
    counts = [_read_count(way.name, _profile(way, valgrind, build), builder) for way in ways]
    by_hand = {
        count.entry: count.instructions
        for way, count in zip(ways, counts, strict=True)
        if way.is_by_hand
    }
    return tuple(
        count
        if way.is_by_hand or count.entry not in by_hand
        else replace(count, excess=count.instructions - by_hand[count.entry])
        for way, count in zip(ways, counts, strict=True)
    )


def _profile(way: _Way, valgrind: Path, build: Path) -> callgrind.Profile:
    output = build / f"callgrind.{way.number}"
    argv = (
        *(str(valgrind), "--tool=callgrind", f"--toggle-collect={_COUNTED}"),
        *(f"--callgrind-out-file={output}", str(build / "counted")),
        *(str(way.number), str(_LAUNCHES)),
    )
    run_checked(Command(argv=argv, env=(("LD_PRELOAD", str(build / _RECEIVER)),)))
    return callgrind.parse(output.read_text(errors="replace"))


def _read_count(name: str, profile: callgrind.Profile, builder: Builder) -> CountedWay:
    entries = {
        entry: cost
        for entry in builder.TRAITS.launch_entries
        if (cost := callgrind.sum_calls(profile, callee=entry)) > 0
    }
    if len(entries) != 1:
        raise ToolError(
            f"{name}: launches called {', '.join(entries) or 'no entry'}; expected exactly one "
            f"of {', '.join(builder.TRAITS.launch_entries)}"
        )
    total = callgrind.sum_calls(profile, caller=_COUNTED) - sum(entries.values())
    instructions, rest = divmod(total, _LAUNCHES)
    if rest != 0:
        raise ToolError(
            f"{name}: the launches took different numbers of instructions ({_LAUNCHES} launches "
            f"took {total})"
        )
    passed = callgrind.functions_below(
        profile, _COUNTED, stop=frozenset(builder.TRAITS.launch_entries)
    )
    return CountedWay(
        name=name,
        entry=next(iter(entries)),
        instructions=instructions,
        excess=None,
        passed=_name_all(passed),
        stand_ins=_name_all(f for f in passed if Path(f.object_file).name == _RECEIVER),
    )


def _name_all(functions: Iterable[callgrind.Function]) -> tuple[str, ...]:
    """Return the names; functions of a stripped library get the name of the library."""
    names = (
        f"{INSIDE}{Path(function.object_file).name}"
        if function.name.startswith("0x")
        else function.name
        for function in functions
    )
    return tuple(sorted(set(names)))
