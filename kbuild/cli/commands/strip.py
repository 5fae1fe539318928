"""``kbuild strip``: remove device code from artifacts without linking again."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import add_repeatable_argument, parse_artifact_path
from kbuild.errors import ConfigurationError
from kbuild.report import strip as report_strip
from kbuild.strip import strip_artifact

HELP: Final = "Remove device code from a shared object, an executable, or a wheel of any tool."
EPILOG: Final = """\
Nothing is linked again, and no address in the file changes. Device code that a device link already
made into machine code of the same architecture always goes. In a wheel, RECORD is corrected, and
signatures of the old content are removed.
"""

_RENDERERS: Final = {"text": report_strip.render_text, "json": report_strip.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "path",
        type=parse_artifact_path,
        metavar="PATH",
        help="shared object, executable, or wheel",
    )
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
    parser.add_argument(
        "--format",
        choices=tuple(_RENDERERS),
        default="text",
        help="select the format of the report on standard output (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the stripped artifact, and print what was removed."""
    keep = [arch.strip() for option in arguments.keep_arch for arch in option.split(",")]
    if not all(keep):
        raise ConfigurationError(f"--keep-arch {','.join(arguments.keep_arch)!r}: a name is empty")
    try:
        report = strip_artifact(arguments.path, arguments.output, keep=keep or None)
    except OSError as error:
        raise ConfigurationError(f"-o {arguments.output}: {error.strerror}") from error
    print(_RENDERERS[arguments.format](report), end="")
    return 0
