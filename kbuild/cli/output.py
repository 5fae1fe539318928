"""Write the result of a command to standard output or to a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TextIO

from kbuild.errors import ConfigurationError
from kbuild.files import write_parts
from kbuild.process import select_environment

# The exit code of commands that skipped everything, for example because there is no device.
SKIPPED: Final = 77
_USUAL_WIDTH: Final = 120
# Environment variables that turn colors on.
_COLOR_SWITCHES: Final = ("FORCE_COLOR", "CLICOLOR_FORCE")


def write_output(text: str, arguments: argparse.Namespace) -> None:
    """Write ``text`` to the destination that the arguments select."""
    stream_output((text,), arguments)


def write_report(
    report: object, renderers: Mapping[str, Callable[..., str]], arguments: argparse.Namespace
) -> None:
    """Write a report in the format that the arguments select. Only text has colors."""
    render = renderers[arguments.format]
    is_text = arguments.format == "text"
    text = render(report, has_colors=has_colors(arguments)) if is_text else render(report)
    write_output(text, arguments)


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


def find_width(arguments: argparse.Namespace) -> int:
    """Return the width of the terminal, or a usual one if the output is not a terminal."""
    if arguments.output is not None or sys.stdout is None or not sys.stdout.isatty():
        return _USUAL_WIDTH
    return os.get_terminal_size(sys.stdout.fileno()).columns or _USUAL_WIDTH


def has_colors(arguments: argparse.Namespace, stream: TextIO | None = None) -> bool:
    """Return whether to color text.

    ``--color`` decides, then the environment, then whether the output is a terminal. A file that
    ``-o`` names contains colors only on request.

    Args:
        arguments: The arguments of the command.
        stream: Where the text goes. By default, standard output, or the file that ``-o`` names.
    """
    if arguments.color != "auto":
        return bool(arguments.color == "always")
    if stream is None and arguments.output is not None:
        return False
    return _shows_colors(stream or sys.stdout)


def _shows_colors(stream: TextIO | None) -> bool:
    """Return whether a stream shows colors (see no-color.org and bixense.com/clicolors)."""
    environment = select_environment((*_COLOR_SWITCHES, "NO_COLOR", "TERM"))
    if environment.get("NO_COLOR"):
        return False
    if any(environment.get(name, "0") not in {"", "0"} for name in _COLOR_SWITCHES):
        return True
    return environment.get("TERM") != "dumb" and stream is not None and stream.isatty()


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
