"""``kbuild device-link``: run one device link edge."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbuild.cli.commands.edges import add_libraries_argument
from kbuild.stages.device_libraries import read_libraries
from kbuild.stages.device_link import link_edge
from kbuild.stages.edges import read_link
from kbuild.stages.target import read_flags

HELP = "Link the device code of a target for one architecture. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="read the description of the edge from here")
    parser.add_argument("--flags", type=Path, required=True, help="read the device flags from here")
    add_libraries_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the device link."""
    edge = read_link(arguments.edge)
    backend = edge.toolchain.backend
    libraries = read_libraries(arguments.libraries, edge.target, backend)
    link_edge(edge, read_flags(arguments.flags, backend), libraries)
    return 0
