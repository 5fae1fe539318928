"""``kbuild plan``: check a call of a CMake function, and plan its edges, while CMake configures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild import files
from kbuild.backends import find_builder
from kbuild.errors import KbuildError
from kbuild.stages.calls.checks import check_call
from kbuild.stages.calls.cmake_plan import render_plan
from kbuild.stages.calls.device_options import check_device_options
from kbuild.stages.calls.kernels import FUNCTIONS, read_kernel_call
from kbuild.stages.calls.record import CallRecord, read_call
from kbuild.stages.calls.specs import list_configurations, locate_target, make_spec
from kbuild.stages.edges import write_plan
from kbuild.stages.plan import plan_target
from kbuild.toolchain.environment import COMPILERS_FILE, describe_programs

HELP = "Check a call of a CMake function, and plan its edges. These functions call this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("call", type=Path, help="read the record of the call from here")
    parser.add_argument(
        "-o",
        dest="output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the edges to this CMake file",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the description of each edge, and the CMake file that creates the edges."""
    record = read_call(arguments.call)
    if record.function not in FUNCTIONS:
        check_call(record)
        return 0
    try:
        _plan(record, arguments.output)
    except KbuildError as error:
        error.target = record.find("name")
        raise
    return 0


def _plan(record: CallRecord, output: Path) -> None:
    call = read_kernel_call(record)
    plans = {
        configuration: plan_target(make_spec(call, configuration))
        for configuration in list_configurations(record)
    }
    for plan in plans.values():
        check_device_options(call, find_builder(plan.pack.backend).TRAITS)
    content = render_plan(call, plans)
    for plan in plans.values():
        write_plan(plan)
    compilers = {edge.toolchain.compiler for plan in plans.values() for edge in plan.edges}
    programs = locate_target(call) / COMPILERS_FILE
    files.write_if_changed(programs, describe_programs(sorted(compilers)))
    files.write_if_changed(output, content)
    for note in dict.fromkeys(note for plan in plans.values() for note in plan.notes):
        print(f"kbuild: note: {note}", file=sys.stderr)
