"""``kbuild pack``: the pack edge of a target."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.stages.edges import read_pack
from kbuild.stages.pack import pack_target

HELP = "Make a target's fat binary, stub unit and headers; called by the build."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="the target's pack file")


def run(arguments: argparse.Namespace) -> int:
    """Pack the target, and pass on what people should know of it."""
    plan = read_pack(arguments.target)
    for note in pack_target(plan).notes:
        print(f"kbuild: note: {plan.target}: {note}", file=sys.stderr)
    return 0
