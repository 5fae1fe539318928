"""Paths that build tools take literally, and one spelling per file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError

# CMake splits lists at semicolons. Ninja interprets the other characters in a build file, or stops
# reading a depfile at them, so that it would run the edge in every build.
UNSAFE: Final = ";|<>\\*^`"
# CMake expands and splits the name of the directory that it works in.
UNSAFE_IN_ROOT: Final = '"$'
_FIX: Final = "rename it"
# The limits of Linux (limits.h).
_LONGEST_NAME: Final = 255
_LONGEST_PATH: Final = 4095
_SHOWN: Final = 60
_DELETE: Final = "\x7f"


def check_path(path: Path | str, what: str = "", unsafe: str = "") -> None:
    """Reject a path with a character that some build tool does not take literally.

    Args:
        path: The path.
        what: The role of the path, for the message. A path in a setting needs none.
        unsafe: Further characters that the tools in this case do not take literally.

    Raises:
        ConfigurationError: The path contains such a character, or is too long.
    """
    text = str(path)
    check_encoding(text, what)
    check_length(text, what)
    check_characters(text, what, UNSAFE + unsafe)
    if text.count("[") != text.count("]"):
        raise _make_error(
            what,
            text,
            f"CMake reads an unbalanced '[' or ']' in a path as part of a list; {_FIX}",
        )


def check_characters(path: Path | str, what: str, unsafe: str) -> None:
    """Reject a path with a control character or a character in ``unsafe``; see `check_path`."""
    text = str(path)
    for character in text:
        if character in unsafe or character < " " or character == _DELETE:
            raise _make_error(
                what, text, f"build tools do not take {character!r} in a path literally; {_FIX}"
            )


def check_encoding(text: str, what: str = "") -> None:
    """Reject a path that is not UTF-8, or that this locale cannot encode."""
    try:
        text.encode()
        os.fsencode(text)
    except UnicodeEncodeError as error:
        encoding = sys.getfilesystemencoding()
        locale_fix = f"the locale supports {encoding} only; set LC_ALL=C.UTF-8"
        fix = _FIX if encoding == "utf-8" else locale_fix
        raise _make_error(what, text, f"not a UTF-8 path; {fix}") from error


def check_length(text: str, what: str = "") -> None:
    """Reject a path that is longer than the operating system allows."""
    longest = max((len(name.encode()) for name in text.split("/")), default=0)
    if longest > _LONGEST_NAME or len(text.encode()) > _LONGEST_PATH:
        raise _make_error(
            what,
            f"{text[:_SHOWN]}...",
            f"the path is too long; expected at most {_LONGEST_PATH} bytes, and {_LONGEST_NAME} "
            "bytes per name",
        )


def _make_error(what: str, path: str, problem: str) -> ConfigurationError:
    return ConfigurationError(": ".join(filter(None, (what, show_path(path), problem))))


def show_path(text: str) -> str:
    """Return ``text`` as one line that any terminal can print."""
    return text if text.isprintable() else repr(text)[1:-1]


def normalize(path: Path) -> Path:
    """Return the path without ``..``, except after a symbolic link, which leads elsewhere."""
    found = Path()
    for part in path.parts:
        if part != ".." or not found.name or found.name == ".." or found.is_symlink():
            found /= part
        else:
            found = found.parent
    return found
