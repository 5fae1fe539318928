"""Depfiles: the files that a compiler read, as a make rule."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.stages.paths import UNSAFE

_WORD: Final = re.compile(r"(?:\\.|[^\s\\])+")
# A backslash that does not quote the next character is part of the name.
_PLAIN: Final = re.escape(UNSAFE.replace("\\", ""))
_UNSAFE: Final = re.compile(rf"[{_PLAIN}]|\\(?![\s#:\[\]\\])")


def check_prerequisites(depfile: Path) -> None:
    """Reject a header whose name build tools do not take literally.

    The edge would run again in every build. Raises ConfigurationError that names the header.
    """
    text = depfile.read_text(errors="surrogateescape")
    if not _UNSAFE.search(text):
        return
    for word in _WORD.findall(text.partition(": ")[2]):
        if found := _UNSAFE.search(word):
            raise ConfigurationError(
                f"header {word}: build tools do not take {found[0]!r} in a path literally; "
                "rename it"
            )


def read_depfile(text: str) -> tuple[Path, ...]:
    """Return the prerequisites of a depfile's only rule, as gcc and clang write it."""
    _, _, prerequisites = text.replace("\\\n", " ").partition(": ")
    words = _WORD.findall(prerequisites)
    return tuple(Path(re.sub(r"\\(.)", r"\1", word).replace("$$", "$")) for word in words)


def read_dependencies(depfile: Path) -> tuple[Path, ...]:
    """Return the prerequisites in a depfile; an empty tuple if the file does not exist."""
    try:
        return read_depfile(depfile.read_text(errors="surrogateescape"))
    except OSError:
        return ()


def format_depfile(target: Path, prerequisites: tuple[Path, ...]) -> str:
    """Return the depfile's only rule, as `read_depfile` reads it."""
    return f"{escape(target)}: {' '.join(map(escape, prerequisites))}\n"


def escape(path: Path) -> str:
    """Return a path as a word of a make rule."""
    return re.sub(r"([\s#])", r"\\\1", str(path)).replace("$", "$$")
