"""``kbuild pack``: run the pack edge of a target."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.cli.commands.edges import add_libraries_argument
from kbuild.stages.device_libraries import read_libraries
from kbuild.stages.edges import read_pack
from kbuild.stages.pack import pack_target

HELP = "Write a target's fat binary, stub unit, and headers. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="read the description of the edge from here")
    add_libraries_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Pack the target, and print notes for the user."""
    plan = read_pack(arguments.target)
    libraries = read_libraries(arguments.libraries, plan.target, plan.backend)
    for note in pack_target(plan, libraries).notes:
        print(f"kbuild: note: {plan.target}: {note}", file=sys.stderr)
    return 0
