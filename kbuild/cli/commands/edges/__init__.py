"""The commands that CMake and the build edges call."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_libraries_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option that names the static libraries with device code."""
    parser.add_argument(
        "--libraries",
        type=Path,
        metavar="FILE",
        help="also use the device code of the libraries and files in this list",
    )
