"""``kbuild compile``: run one compile edge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from kbuild.errors import KbuildError
from kbuild.process import leave_reuse
from kbuild.process.repetition import select_new
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import read_edge
from kbuild.stages.freshness import is_compiled
from kbuild.stages.target import read_flags

_REPORTED: Final = "reported.json"
HELP = "Compile one kernel source for one architecture. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="read the description of the edge from here")
    parser.add_argument("--flags", type=Path, required=True, help="read the device flags from here")


def run(arguments: argparse.Namespace) -> int:
    """Compile unless the outputs are fresh, and print the compiler's warnings."""
    edge = read_edge(arguments.edge)
    if is_compiled(edge, arguments.flags):
        leave_reuse()
    else:
        try:
            outcome = compile_edge(edge, read_flags(arguments.flags, edge.toolchain.backend))
        except KbuildError as error:
            record = edge.output.with_name(_REPORTED)
            name = f"{edge.display_source} for {edge.arch}"
            raise select_new(error, record, name) from error
        sys.stderr.write(outcome.compiled.warnings)
    return 0
