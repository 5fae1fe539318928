"""Whether an edge that a build tool asks for has nothing to do.

Ninja runs an edge whose depfile is gone, and CMake keeps its copies of depfiles in a folder
that scikit-build-core clears whenever the build environment moves, that is, at every
isolated build.  Our own copy is still there, and says what the edge read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.stages.paths import MISREAD

_WORD: Final = re.compile(r"(?:\\.|[^\s\\])+")
# A backslash that quotes nothing is one of the name.
_PLAIN: Final = re.escape(MISREAD.replace("\\", ""))
_MISREAD: Final = re.compile(rf"[{_PLAIN}]|\\(?![\s#:\[\]\\])")


def is_fresh(stamp: Path, depfile: Path, hand_overs: tuple[Path, ...]) -> bool:
    """Whether ``stamp`` is newer than everything that went into it, as make would judge."""
    try:
        made = stamp.stat().st_mtime_ns
        inputs = (*read_depfile(depfile.read_text()), *hand_overs)
        return all(path.stat().st_mtime_ns < made for path in inputs)
    except OSError:
        return False


def check_prerequisites(depfile: Path) -> None:
    """Refuse a header whose name build tools misread: they would compile again every time.

    Raises ConfigurationError that names it.
    """
    text = depfile.read_text(errors="surrogateescape")
    if not _MISREAD.search(text):
        return
    for word in _WORD.findall(text.partition(": ")[2]):
        if found := _MISREAD.search(word):
            raise ConfigurationError(
                f"header {word}: build tools take {found[0]!r} in a path for something else; "
                "rename it"
            )


def read_depfile(text: str) -> tuple[Path, ...]:
    """The prerequisites of a depfile's one rule, as gcc and clang write it."""
    _, _, prerequisites = text.replace("\\\n", " ").partition(": ")
    words = _WORD.findall(prerequisites)
    return tuple(Path(re.sub(r"\\(.)", r"\1", word).replace("$$", "$")) for word in words)


def format_depfile(target: Path, prerequisites: tuple[Path, ...]) -> str:
    """The one rule of a depfile: what `read_depfile` reads."""
    return f"{_escape(target)}: {' '.join(map(_escape, prerequisites))}\n"


def _escape(path: Path) -> str:
    return re.sub(r"([\s#])", r"\\\1", str(path)).replace("$", "$$")
