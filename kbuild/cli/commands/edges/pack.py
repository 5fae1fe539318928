"""``kbuild pack``: run the pack edge of a target."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.stages.edges import read_pack
from kbuild.stages.pack import pack_target

HELP = "Write a target's fat binary, stub unit, and headers. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="read the description of the edge from here")


def run(arguments: argparse.Namespace) -> int:
    """Pack the target, and print notes for the user."""
    plan = read_pack(arguments.target)
    for note in pack_target(plan).notes:
        print(f"kbuild: note: {plan.target}: {note}", file=sys.stderr)
    return 0
