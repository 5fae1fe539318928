"""``kbuild plan``: plan the build edges of a target while CMake configures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild import files
from kbuild.errors import KbuildError
from kbuild.stages.edges import BuildPlan, write_plan
from kbuild.stages.plan import plan_target
from kbuild.stages.target import TargetSpec, read_target
from kbuild.toolchain.environment import COMPILERS_FILE, describe_programs

HELP = "Plan the build edges of one kernel target. kbuild_add_kernels calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="read the description of the target from here")
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the edges to this CMake file",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the description of each edge, and the CMake file that lists the edges."""
    from kbuild.stages.render import render  # noqa: PLC0415 - slow to import

    plan = _plan(read_target(arguments.target))
    write_plan(plan)
    compilers = sorted({edge.toolchain.compiler for edge in plan.edges})
    files.write_if_changed(arguments.output.with_name(COMPILERS_FILE), describe_programs(compilers))
    files.write_if_changed(arguments.output, render("plan.cmake.j2", {"plan": plan}))
    for note in plan.notes:
        print(f"kbuild: note: {note}", file=sys.stderr)
    return 0


def _plan(spec: TargetSpec) -> BuildPlan:
    try:
        return plan_target(spec)
    except KbuildError as error:
        error.target = spec.name
        raise
