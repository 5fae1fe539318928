"""``kbuild host-pass``: run the host pass of one mixed source."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.stages.mixed.edge import read_host_edge
from kbuild.stages.mixed.host_pass import run_host_pass
from kbuild.stages.target import read_flags

HELP = "Write the host text of one mixed source. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="read the description of the edge from here")
    parser.add_argument("--flags", type=Path, required=True, help="read the flags from here")


def run(arguments: argparse.Namespace) -> int:
    """Run the host pass, and print the warnings of its tools."""
    edge = read_host_edge(arguments.edge)
    flags = read_flags(arguments.flags, edge.toolchain.backend)
    sys.stderr.write(run_host_pass(edge, flags))
    return 0
