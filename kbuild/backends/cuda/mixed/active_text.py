"""The text that a compiler reads: not the parts that ``cudafe++`` disables with ``#if 0``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

_CONDITION: Final = re.compile(r"\n#[ ]?(?:(if)|endif)")
_LITERAL: Final = re.compile(r'"(?:\\.|[^"\\\n])*"')


class ActiveText:
    """A text, and which parts of it ``#if 0`` disables."""

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        depth = 0
        for found in _CONDITION.finditer(text):
            depth += 1 if found[1] else -1
            if found[1] and depth == 1:
                self._starts.append(found.start())
            elif not found[1] and depth == 0:
                self._ends.append(found.end())

    def is_active(self, position: int) -> bool:
        """Return whether the compiler reads the text at a position, and not as a literal."""
        index = bisect_right(self._starts, position) - 1
        if index >= 0 and (index >= len(self._ends) or position < self._ends[index]):
            return False
        line = self.text.rfind("\n", 0, position) + 1
        literals = _LITERAL.finditer(self.text, line, self.text.find("\n", position))
        return not any(found.start() < position < found.end() for found in literals)

    def find(self, word: str) -> Iterator[int]:
        """Yield the positions of a word in the text that the compiler reads."""
        position = self.text.find(word)
        while position >= 0:
            if self.is_active(position):
                yield position
            position = self.text.find(word, position + len(word))
