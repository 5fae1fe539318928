"""``kbuild runtimes``: write the runtimes' imported targets, or build a backend's runtimes."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from kbuild import files, resources
from kbuild.backends import find_builder, list_builders
from kbuild.toolchain.find import add_compilers, gather_hints
from kbuild.toolchain.runtime_targets import RuntimeTarget, describe_runtimes

HELP = (
    "Write the imported targets of the runtimes, or build the runtimes of a backend. "
    "find_package(kbuild) and builds call this command."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("-o", dest="output", type=Path, help="write this CMake file")
    task.add_argument(
        "--build",
        metavar="BACKEND",
        help="build the runtimes that this installation of kbuild lacks",
    )
    parser.add_argument(
        "--compiler",
        dest="compilers",
        metavar="LANG=PATH",
        action="append",
        default=[],
        help="the project's compiler of a language, which says the machine (can be repeated)",
    )
    parser.add_argument(
        "--wheel", action="store_true", help="make run paths relative to site-packages"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the CMake file, or build runtimes."""
    hints = add_compilers(gather_hints(), tuple(map(_read_compiler, arguments.compilers)))
    if arguments.build:
        provide = find_builder(arguments.build).provide_runtimes
        if provide:
            provide(hints)
        return 0
    from kbuild.stages.render import render  # noqa: PLC0415 - slow to import

    rows = []
    targets = describe_runtimes(hints, in_wheel=arguments.wheel)
    for target in targets:
        name = target.name.rpartition(":")[2]
        response = arguments.output.absolute().with_name(f"{name}.rpath")
        option, content = target.describe_response(response)
        if target.run_paths:
            files.write_if_changed(response, content)
        rows.append({"target": target, "link_option": option})
    context = {
        "rows": rows,
        "languages": [builder.TRAITS.language for builder in list_builders()],
        "provided": _list_provided(targets),
        "compilers": arguments.compilers,
        "machine": hints.machine,
        "dependencies": resources.list_dependencies(),
    }
    files.write_if_changed(arguments.output, render("runtimes.cmake.j2", context))
    return 0


def _read_compiler(text: str) -> tuple[str, str]:
    language, _, path = text.partition("=")
    return language, path


def _list_provided(targets: Iterable[RuntimeTarget]) -> dict[str, tuple[Path, ...]]:
    """Return the libraries that a build makes, by backend."""
    found: dict[str, tuple[Path, ...]] = {}
    for target in targets:
        libraries = found.get(target.backend, ())
        if target.runtime.is_provided and target.runtime.library not in libraries:
            found[target.backend] = (*libraries, target.runtime.library)
    return found
