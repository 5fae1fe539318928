"""``kbuild merge``: join the device code of artifacts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import parse_artifact_path
from kbuild.cli.commands.publish.arguments import add_format_argument, report_write_errors
from kbuild.report import strip as report_strip
from kbuild.strip import merge_artifacts

HELP: Final = "Join the device code of shared objects or wheels for different architectures."
EPILOG: Final = """\
The artifacts are results of kbuild split, or builds of the same sources with the same host compiler
for other architectures. The first one provides everything else. Nothing is linked again: containers
with new images go to a new segment. kbuild compares what device code does not change, such as the
sizes of all sections and the dynamic symbols; the sources themselves are your responsibility.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=parse_artifact_path,
        metavar="PATH",
        help="shared object or wheel",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="write the result to FILE, or under the name of the first artifact to a directory",
    )
    add_format_argument(parser, report_strip.MERGE_RENDERERS)


def run(arguments: argparse.Namespace) -> int:
    """Write the merged artifact, and print what it contains."""
    with report_write_errors(arguments.output):
        report = merge_artifacts(arguments.paths, arguments.output)
    print(report_strip.MERGE_RENDERERS[arguments.format](report), end="")
    return 0
