"""``kbuild strip``: remove device code from artifacts without linking again."""

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
from kbuild.strip import strip_artifact

HELP: Final = "Remove device code from a shared object, an executable, or a wheel of any tool."
EPILOG: Final = """\
Nothing is linked again, and no address in the file changes: the pages of the removed code are no
longer part of the file. Device code that a device link already
made into machine code of the same architecture always goes. In a wheel, RECORD is corrected, and
signatures of the old content are removed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_path_argument(parser)
    add_repeatable_argument(
        parser,
        "--keep-arch",
        "ARCHS",
        "keep only the images for these architectures, separated by commas, for example "
        "sm_90,compute_90 (default: keep all)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the result to FILE, or under its old name to a directory; FILE can be PATH",
    )
    add_format_argument(parser, report_strip.RENDERERS)


def run(arguments: argparse.Namespace) -> int:
    """Write the stripped artifact, and print what was removed."""
    keep = read_names("--keep-arch", arguments.keep_arch)
    with report_write_errors(arguments.output):
        report = strip_artifact(arguments.path, arguments.output, keep=keep or None)
    print(report_strip.RENDERERS[arguments.format](report), end="")
    return 0
