"""``kbuild clean``: remove what ``kbuild build`` made."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from kbuild.cli.build import OUTPUT
from kbuild.errors import ConfigurationError
from kbuild.manifest import find_manifest

HELP = "Remove what kbuild build made."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("-f", dest="manifest", type=Path, metavar="FILE", help="the manifest")
    parser.add_argument("-o", dest="output", type=Path, metavar="DIR", help="where outputs are")


def run(arguments: argparse.Namespace) -> int:
    """Remove the output folder, if it is one that kbuild build made."""
    manifest = arguments.manifest or find_manifest(Path.cwd())
    output = arguments.output or manifest.parent / OUTPUT
    if not output.exists():
        return 0
    if not (output / "project" / "CMakeLists.txt").is_file():
        raise ConfigurationError(f"{output}: kbuild build made no such folder; not removed")
    shutil.rmtree(output)
    return 0
