"""``kbuild strip``: remove device code from artifacts without linking again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from kbuild.cli.arguments import add_repeatable_argument, parse_artifact_path
from kbuild.errors import ConfigurationError
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
    add_format_argument(parser, report_strip.RENDERERS)


def add_format_argument(
    parser: argparse.ArgumentParser, renderers: Mapping[str, Callable[[Any], str]]
) -> None:
    """Add ``--format``."""
    parser.add_argument(
        "--format",
        choices=tuple(renderers),
        default="text",
        help="select the format of the report on standard output (default: %(default)s)",
    )


def read_names(option: str, values: Sequence[str]) -> list[str]:
    """Return the names in the values of an option, which are separated by commas."""
    names = [name.strip() for value in values for name in value.split(",")]
    if not all(names):
        raise ConfigurationError(f"{option} {','.join(values)!r}: a name is empty")
    return names


@contextmanager
def report_write_errors(output: Path) -> Iterator[None]:
    """Report that the output cannot be written as an error of ``-o``."""
    try:
        yield
    except OSError as error:
        raise ConfigurationError(f"-o {output}: {error.strerror}") from error


def run(arguments: argparse.Namespace) -> int:
    """Write the stripped artifact, and print what was removed."""
    keep = read_names("--keep-arch", arguments.keep_arch)
    with report_write_errors(arguments.output):
        report = strip_artifact(arguments.path, arguments.output, keep=keep or None)
    print(report_strip.RENDERERS[arguments.format](report), end="")
    return 0
