"""Arguments that commands for publishers share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kbuild.cli.arguments import parse_artifact_path
from kbuild.errors import ConfigurationError


def add_path_argument(parser: argparse.ArgumentParser) -> None:
    """Add the path of the artifact."""
    parser.add_argument(
        "path",
        type=parse_artifact_path,
        metavar="PATH",
        help="shared object, executable, or wheel",
    )


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
