"""``kbuild plan``: what CMake's configure step calls."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild import files
from kbuild.stages.edges import write_plan
from kbuild.stages.plan import plan_target
from kbuild.stages.target import read_target

HELP = "Plan the build edges of one kernel target; called by kbuild_add_kernels."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="the target's hand-over file")
    parser.add_argument("-o", dest="output", type=Path, required=True, help="CMake file to write")


def run(arguments: argparse.Namespace) -> int:
    """Write the edges' hand-over files and the CMake file that lists them."""
    from kbuild.stages.render import render  # noqa: PLC0415 - templates load slowly

    plan = plan_target(read_target(arguments.target))
    write_plan(plan)
    files.write_if_changed(arguments.output, render("plan.cmake.j2", {"plan": plan}))
    for note in plan.notes:
        print(f"kbuild: note: {note}", file=sys.stderr)
    return 0
