"""``kbuild device-link``: one device link of a target."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbuild.stages.device_link import link_edge
from kbuild.stages.edges import read_link
from kbuild.stages.target import read_flags

HELP = "Link the device code of a target for one architecture; called by the build."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="the edge's hand-over file")
    parser.add_argument("--flags", type=Path, required=True, help="the target's device flags")


def run(arguments: argparse.Namespace) -> int:
    """Link."""
    link_edge(read_link(arguments.edge), read_flags(arguments.flags))
    return 0
