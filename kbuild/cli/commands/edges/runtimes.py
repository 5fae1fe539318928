"""``kbuild runtimes``: write the runtimes' imported targets for find_package(kbuild)."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbuild import files, resources
from kbuild.backends import list_builders
from kbuild.toolchain.find import gather_hints
from kbuild.toolchain.runtime_targets import describe_runtimes

HELP = "Write the imported targets of the runtimes. find_package(kbuild) calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("-o", dest="output", type=Path, required=True, help="write this CMake file")
    parser.add_argument(
        "--wheel", action="store_true", help="make run paths relative to site-packages"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the CMake file."""
    from kbuild.stages.render import render  # noqa: PLC0415 - slow to import

    rows = []
    for target in describe_runtimes(gather_hints(), in_wheel=arguments.wheel):
        name = target.name.rpartition(":")[2]
        response = arguments.output.absolute().with_name(f"{name}.rpath")
        option, content = target.describe_response(response)
        if target.run_paths:
            files.write_if_changed(response, content)
        rows.append({"target": target, "link_option": option})
    context = {
        "rows": rows,
        "languages": [builder.TRAITS.language for builder in list_builders()],
        "dependencies": resources.list_dependencies(),
    }
    files.write_if_changed(arguments.output, render("runtimes.cmake.j2", context))
    return 0
