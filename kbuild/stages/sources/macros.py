"""Find the macros whose expansion contains certain words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

_DEFINITION: Final = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)", re.MULTILINE
)
_WORD: Final = re.compile(rb"[A-Za-z_]\w*")


class Macros:
    """The macros that files define, with the words of all their definitions."""

    def __init__(self, files: Iterable[bytes]) -> None:
        """Read the definitions in the texts of files, whether or not a condition hides them."""
        self._words: dict[bytes, set[bytes]] = {}
        for text in files:
            for name, body in _DEFINITION.findall(text):
                self._words.setdefault(name, set()).update(_WORD.findall(body))

    def find_users(self, words: Collection[str]) -> frozenset[str]:
        """Return some words, and the macros that can expand to one of them."""
        found = {word.encode() for word in words}
        while more := {
            name
            for name, mentions in self._words.items()
            if name not in found and not found.isdisjoint(mentions)
        }:
            found |= more
        return frozenset(name.decode() for name in found)
