"""``kbuild compile``: one compile edge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.stages.compile import compile_edge
from kbuild.stages.depfiles import is_fresh
from kbuild.stages.edges import read_edge
from kbuild.stages.target import read_flags

HELP = "Compile one kernel source for one architecture; called by the build."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="the edge's hand-over file")
    parser.add_argument("--flags", type=Path, required=True, help="the target's device flags")


def run(arguments: argparse.Namespace) -> int:
    """Compile unless that was done, and pass the compiler's warnings on."""
    edge = read_edge(arguments.edge)
    if not is_fresh(edge.stamp, edge.depfile, (arguments.edge, arguments.flags)):
        outcome = compile_edge(edge, read_flags(arguments.flags))
        sys.stderr.write(outcome.compiled.warnings)
    return 0
