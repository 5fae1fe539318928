"""Tell the diagnostics of compilers apart, so that each one is shown once.

Several compiles of a source find the same errors: those for other architectures, and the passes of
a mixed source. Their logs can differ in what they show of a line, and in their order.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

# GCC and clang (``a.cu:2:60: error: ...``), and NVIDIA's front end (``a.cu(2): error: ...``).
_PLACE: Final = r"\S.*?(?::\d+(?P<column>:\d+)?|\(\d+\)):"
_EXACT: Final = re.compile(
    rf"{_PLACE} (?:fatal |internal compiler )?(?:error|warning|note|sorry)\b"
)
# What belongs to the diagnostic before it. A pragma's message stands alone.
_REST: Final = re.compile(rf"\s|$|{_PLACE} note: (?!.*#pragma message)")
# What comes before a diagnostic: how the compiler came to its place.
_CONTEXT: Final = re.compile(r"In file included from |\S.*: (?:In|At) .*[:,]$|In .*[:,]$|\S.*:   ")
_COLUMN: Final = re.compile(r"^(\S.*?:\d+):\d+(?=: )", re.MULTILINE)
_CARET: Final = re.compile(r"^ +\|.*\n?", re.MULTILINE)


class Diagnostics:
    """Selects the lines of logs that tell something new.

    A diagnostic is its first line: the place and the text. The lines around it, such as the source
    and notes, go with it. A place without a column can have the same error several times, so these
    are counted.

    Attributes:
        has_new: Whether a line of the current log was selected.
        is_empty: Whether the current log has no lines yet.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._current: Counter[str] = Counter()
        self._context: list[str] = []
        self._is_selected = True
        self.has_new, self.is_empty = False, True

    def read_line(self, line: str) -> list[str]:
        """Return the lines to show: none, or one with the lines before it that waited for it."""
        is_first, self.is_empty = self.is_empty, False
        if _CONTEXT.match(line) or (self._context and line[:1].isspace()):
            self._context.append(line)
            return []
        if is_first or self._context or not _REST.match(line):
            self._is_selected = self._count(line)
        context, self._context = self._context, []
        if not self._is_selected:
            return []
        self.has_new = True
        return [*context, line]

    def finish_log(self) -> list[str]:
        """Finish a log, and return its last lines if they are new."""
        rest, self._context = self._context, []
        lines = [line for line in rest if self._count(line)]
        self._seen |= self._current
        self._current = Counter()
        self._is_selected, self.has_new, self.is_empty = True, False, True
        return lines

    def _count(self, line: str) -> bool:
        """Count a diagnostic, and return whether it is new."""
        self._current[line] += 1
        place = _EXACT.match(line)
        allowed = 1 if place and place["column"] else self._current[line]
        return self._seen[line] < self._current[line] <= allowed


def select_once(*logs: str) -> str:
    """Return the lines of logs that tell something new, in order."""
    diagnostics = Diagnostics()
    selected: list[str] = []
    for log in logs:
        for line in log.splitlines():
            selected += diagnostics.read_line(line)
        selected += diagnostics.finish_log()
    return "".join(f"{line}\n" for line in selected)


def drop_columns(log: str) -> str:
    """Return a log without columns and carets, if those of its text are not those of the files."""
    return _CARET.sub("", _COLUMN.sub(r"\1", log))
