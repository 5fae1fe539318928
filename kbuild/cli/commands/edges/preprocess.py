"""``kbuild preprocess``: preprocess one mixed source."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kbuild.process import leave_reuse
from kbuild.stages.freshness import is_preprocessed
from kbuild.stages.mixed.edge import read_host_edge
from kbuild.stages.mixed.preprocess import preprocess_source
from kbuild.stages.target import read_flags

HELP = "Preprocess one mixed source for its host pass. The build calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("edge", type=Path, help="read the description of the edge from here")
    parser.add_argument("--flags", type=Path, required=True, help="read the flags from here")


def run(arguments: argparse.Namespace) -> int:
    """Preprocess unless the outputs are fresh, and print the warnings of the preprocessor."""
    edge = read_host_edge(arguments.edge)
    if is_preprocessed(edge, arguments.flags):
        leave_reuse()
    else:
        sys.stderr.write(
            preprocess_source(edge, read_flags(arguments.flags, edge.toolchain.backend))
        )
    return 0
