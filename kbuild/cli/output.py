"""Where a command's result goes: standard output, or a file written whole."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from kbuild.errors import ConfigurationError
from kbuild.files import write_parts


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add ``--format`` and ``-o``; the first format is the default."""
    parser.add_argument(
        "--format", choices=formats, default=formats[0], help="default: %(default)s"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of stdout"
    )


def artifact_path(text: str) -> Path:
    """An argument that names an artifact; an empty one is a mistake, not this folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty path")
    return Path(text)


def write_output(text: str, arguments: argparse.Namespace) -> None:
    """Send ``text`` to where the arguments say."""
    stream_output((text,), arguments)


def stream_output(parts: Iterable[str], arguments: argparse.Namespace) -> None:
    """Send the text that ``parts`` make to where the arguments say, one after the other."""
    # A path may hold bytes that are no UTF-8; better shown escaped than not at all.
    content = (part.encode("utf-8", "backslashreplace") for part in parts)
    if arguments.output is None:
        if sys.stdout is None:
            raise ConfigurationError("standard output is closed; use -o FILE")
        sys.stdout.buffer.writelines(content)
        sys.stdout.buffer.flush()
        return
    inputs = [arguments.path] if "path" in arguments else getattr(arguments, "paths", ())
    if any(is_same_file(arguments.output, path) for path in inputs):
        raise ConfigurationError(f"-o {arguments.output}: that is the artifact itself")
    try:
        _write_file(arguments.output, content)
    except OSError as error:
        raise ConfigurationError(f"{arguments.output}: {error.strerror}") from error


def _write_file(path: Path, content: Iterable[bytes]) -> None:
    """Write a file whole, at the end of links; pipes and devices as they are."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            stream.writelines(content)
    else:
        write_parts(target, content)


def append_text(text: str, path: Path) -> None:
    """Add ``text`` to the end of a file that others write to as well."""
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error


def is_same_file(output: Path, path: Path) -> bool:
    """Whether writing one would overwrite the other."""
    return output.exists() and path.exists() and output.samefile(path)
