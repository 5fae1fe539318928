"""Line markers: which line of which file a position in preprocessed text belongs to."""

from __future__ import annotations

import re
from typing import Final

from kbuild.values import dataclass

_MARKER: Final = re.compile(
    r'#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:\\.|[^"\\\n])*)"((?:[ \t]+\d+)*))?[ \t]*(?:\n|$)'
)
_LASTING_FLAGS: Final = ("3", "4")  # system header, extern "C"; the others are about nesting


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a file, as line markers spell it.

    Attributes:
        file: The file's name, with escapes; empty if there is no marker.
        line: The number of the line.
        flags: The flags that hold for all of the file, such as ``" 3"`` for system headers.
    """

    file: str
    line: int
    flags: str

    def __str__(self) -> str:
        return f"{self.file or '<unknown>'}:{self.line}"

    @property
    def is_system(self) -> bool:
        """Whether the file is a system header."""
        return "3" in self.flags

    @property
    def marker(self) -> str:
        """A directive after which the next line is this one."""
        return f'# {self.line} "{self.file}"{self.flags}' if self.file else f"# {self.line}"


def locate(text: str, position: int) -> Location:
    """Return the place in the sources that a position belongs to."""
    line: int | None = None
    end = position
    while (found := _find_marker_before(text, end)) is not None:
        if line is None:
            line = int(found[1]) + text.count("\n", found.end(), position)
        if found[2] is not None:
            flags = [flag for flag in (found[3] or "").split() if flag in _LASTING_FLAGS]
            return Location(found[2], line, "".join(f" {flag}" for flag in flags))
        end = found.start()
    if line is None:
        line = text.count("\n", 0, position) + 1
    return Location("", line, "")


def _find_marker_before(text: str, position: int) -> re.Match[str] | None:
    """Return the last line marker that ends before a position."""
    while position > 0:
        start = text.rfind("\n#", 0, position) + 1
        if start == 0 and not text.startswith("#"):
            return None
        found = _MARKER.match(text, start)
        if found is not None and found.end() <= position:
            return found
        position = start
    return None
