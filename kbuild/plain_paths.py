"""Paths as build tools can take them: which characters they misread, one spelling a file."""

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


def check_path(path: Path | str, what: str = "", misread: str = "") -> None:
    """Refuse a path with a character that some build tool takes for something else.

    ``misread`` are those that the tools of the case misread besides.  Raises ConfigurationError
    that names ``what`` it is the path of, the path, the character and the mend.
    """
    text = str(path)
    where = f"{what}: " if what else ""
    found = next((c for c in text if c in MISREAD or c in misread or not c.isprintable()), None)
    if found is not None:
        # Lone surrogates stand for bytes, and are no printable characters.
        _check_encoding(text, where)
        raise ConfigurationError(
            f"{where}{show_path(text)}: build tools take {found!r} in a path for something else; "
            f"{_MEND}"
        )
    if text.count("[") != text.count("]"):
        raise ConfigurationError(
            f"{where}{text}: CMake takes '[' and ']' in a path for those of a list unless each has "
            f"its other half; {_MEND}"
        )


def _check_encoding(text: str, where: str) -> None:
    if not any("\udc80" <= character <= "\udcff" for character in text):
        return
    mend = _MEND
    if sys.getfilesystemencoding() != "utf-8":
        mend = (
            f"this locale has {sys.getfilesystemencoding()} alone: set LC_ALL=C.UTF-8, or {_MEND}"
        )
    raise ConfigurationError(f"{where}{show_path(text)}: the path is no UTF-8; {mend}")


def show_path(text: str) -> str:
    """``text`` in one line that any terminal can print."""
    return text if text.isprintable() else repr(text)[1:-1]


def normalise(path: Path) -> Path:
    """The path without ``..``, but for one after a symbolic link, which leads elsewhere."""
    parts: list[str] = []
    for part in path.parts:
        if part != ".." or not parts or parts[-1] == "..":
            parts.append(part)
        elif parts == [path.anchor]:
            continue
        elif os.path.islink(os.path.join(*parts)):  # noqa: PTH114, PTH118 - parts are strings
            parts.append(part)
        else:
            parts.pop()
    return Path(*parts)
