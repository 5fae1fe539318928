"""``kbuild split``: write an artifact for each architecture of devices."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import add_repeatable_argument
from kbuild.cli.commands.publish.arguments import (
    add_format_argument,
    add_path_argument,
    read_names,
    report_write_errors,
)
from kbuild.report import strip as report_strip
from kbuild.strip import split_artifact

HELP: Final = "Write one shared object, executable, or wheel for each architecture of devices."
EPILOG: Final = """\
Each result contains the device code that such devices run by their vendor's rules: in each source,
the best machine code, or else the newest PTX that they can compile. Nothing is linked again. If a
device can run no code of a source, the result keeps some of it, so that it fails as before.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_path_argument(parser)
    add_repeatable_argument(
        parser,
        "--device",
        "ARCHS",
        "write artifacts for devices of these architectures, separated by commas, for example "
        "sm_90,sm_120 (default: each architecture with machine code)",
    )
    add_repeatable_argument(
        parser,
        "--keep-arch",
        "ARCHS",
        "also keep the images for these architectures in all artifacts, for example compute_90",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        required=True,
        help="write DIR/ARCH/NAME, with the old name of the artifact",
    )
    add_format_argument(parser, report_strip.SPLIT_RENDERERS)


def run(arguments: argparse.Namespace) -> int:
    """Write the artifacts, and print their sizes."""
    devices = read_names("--device", arguments.device)
    keep = read_names("--keep-arch", arguments.keep_arch)
    with report_write_errors(arguments.output):
        report = split_artifact(arguments.path, arguments.output, devices=devices, keep=keep)
    print(report_strip.SPLIT_RENDERERS[arguments.format](report), end="")
    return 0
