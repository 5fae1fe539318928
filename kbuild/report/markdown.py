"""Text in GitHub's Markdown, which is CommonMark with tables (GitHub Flavored Markdown, 4.10)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.report.layout import make_printable

# In CommonMark 6.1, a backslash makes any ASCII punctuation plain. These characters have a
# meaning. The colon and the at sign have one in links that GitHub detects by itself.
_PUNCTUATION: Final = re.compile(r"([\\*_{}\[\]()#+!|~@:`-])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escape(text: str) -> str:
    """Return Markdown that displays the text as it is."""
    escaped = "".join(_ENTITIES.get(c, c) for c in make_printable(text))
    return _PUNCTUATION.sub(r"\\\1", escaped)


def format_cell(text: str, longest: int, line_break: str) -> str:
    """Return text for a table cell, cut after ``longest`` characters."""
    shortened = text if len(text) <= longest else text[:longest] + "..."
    return escape(shortened).replace("\n", line_break)


class Room:
    """The number of UTF-8 bytes that a text of limited length can still take."""

    def __init__(self, left: int) -> None:
        self._left = left
        self.is_full = False

    def takes(self, text: str) -> bool:
        """Return whether a line fits, and subtract its length if it does."""
        size = len(text.encode()) + 1
        if size > self._left:
            self.is_full = True
            return False
        self._left -= size
        return True

    def take_lines(self, lines: Iterable[str], rest: str) -> Iterator[str]:
        """Yield the lines that fit, then ``rest`` with the number of the others.

        Args:
            lines: The lines of a table or a list.
            rest: The line that replaces the others, such as ``"And {} more."``.
        """
        rows = list(lines)
        for number, line in enumerate(rows):
            if not self.takes(line):
                yield from rest.format(len(rows) - number).split("\n")
                return
            yield line
