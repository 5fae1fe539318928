"""Paths as build tools can take them: which characters they misread, and one spelling a file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError

# CMake splits lists at semicolons; the others ninja takes for its own in a build file, or stops
# at in a depfile, so that it would build again every time.
MISREAD: Final = ";|<>\\*^`"
# CMake expands and splits the name of the folder that it works in.
MISREAD_IN_ROOT: Final = '"$'
_MEND: Final = "rename it"
_DELETE: Final = "\x7f"


def check_path(path: Path | str, what: str, misread: str = "") -> None:
    """Refuse a path with a character that some build tool takes for something else.

    ``misread`` are those that the tools of the case misread besides.  Raises ConfigurationError
    that names ``what`` the path is of, the path, the character and the mend.
    """
    text = str(path)
    check_encoding(text, what)
    check_characters(text, what, MISREAD + misread)
    if text.count("[") != text.count("]"):
        raise ConfigurationError(
            f"{what}: {text}: CMake takes '[' and ']' in a path for those of a list unless each "
            f"has its other half; {_MEND}"
        )


def check_characters(path: Path | str, what: str, misread: str) -> None:
    """Refuse a path with a control character or one of ``misread``, as `check_path` does."""
    text = str(path)
    for character in text:
        if character in misread or character < " " or character == _DELETE:
            raise ConfigurationError(
                f"{what}: {show_path(text)}: build tools take {character!r} in a path for "
                f"something else; {_MEND}"
            )


def check_encoding(text: str, what: str) -> None:
    """Refuse a path that is no UTF-8, or that this locale has no characters for."""
    try:
        text.encode()
        os.fsencode(text)
    except UnicodeEncodeError as error:
        encoding = sys.getfilesystemencoding()
        mend = f"the locale knows {encoding} alone: set LC_ALL=C.UTF-8"
        raise ConfigurationError(
            f"{what}: {show_path(text)}: not a path in UTF-8; "
            f"{_MEND if encoding == 'utf-8' else mend}"
        ) from error


def show_path(text: str) -> str:
    """``text`` in one line that any terminal can print."""
    return text if text.isprintable() else repr(text)[1:-1]


def normalise(path: Path) -> Path:
    """The path without ``..``, but for one after a symbolic link, which leads elsewhere."""
    found = Path()
    for part in path.parts:
        if part != ".." or not found.name or found.name == ".." or found.is_symlink():
            found /= part
        else:
            found = found.parent
    return found
