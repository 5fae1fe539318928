"""Write the result of a command to standard output or to a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.files import write_parts

# The exit code of commands that skipped everything, for example because there is no device.
SKIPPED: Final = 77


def write_output(text: str, arguments: argparse.Namespace) -> None:
    """Write ``text`` to the destination that the arguments select."""
    stream_output((text,), arguments)


def stream_output(parts: Iterable[str], arguments: argparse.Namespace) -> None:
    """Write the parts of a text, one after the other, to the selected destination."""
    # A path can contain bytes that are not UTF-8. They are written as escape sequences.
    content = (part.encode("utf-8", "backslashreplace") for part in parts)
    if arguments.output is None:
        if sys.stdout is None:
            raise ConfigurationError("standard output is closed; use -o FILE")
        sys.stdout.buffer.writelines(content)
        sys.stdout.buffer.flush()
        return
    inputs = [arguments.path] if "path" in arguments else getattr(arguments, "paths", ())
    if any(is_same_file(arguments.output, path) for path in inputs):
        raise ConfigurationError(
            f"-o {arguments.output}: this is the artifact itself; name another file"
        )
    try:
        _write_file(arguments.output, content)
    except OSError as error:
        raise ConfigurationError(f"{arguments.output}: {error.strerror}") from error


def _write_file(path: Path, content: Iterable[bytes]) -> None:
    """Write a file atomically. Follow links, and write directly to pipes and devices."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            stream.writelines(content)
    else:
        write_parts(target, content)


def append_text(text: str, path: Path) -> None:
    """Append ``text`` to a file that other programs also write to."""
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from error


def is_same_file(output: Path, path: Path) -> bool:
    """Return whether writing ``output`` would overwrite ``path``."""
    return output.exists() and path.exists() and output.samefile(path)
