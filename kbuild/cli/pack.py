"""``kbuild pack``: the pack edge of a target."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbuild.stages.pack import pack_target
from kbuild.stages.plan import read_pack

HELP = "Make a target's fat binary, stub unit and headers; called by the build."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", type=Path, help="the target's pack file")


def run(arguments: argparse.Namespace) -> int:
    """Pack the target."""
    pack_target(read_pack(arguments.target))
    return 0
