"""The scopes around positions in preprocessed text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from kbuild.cxx.declarators import CLASS_KEYS
from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import OWN_WORD, drop_attributes, drop_template_headers, match_angle
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_SPECIFIERS: Final = frozenset(
    {"typedef", "static", "extern", "inline", "const", "constexpr", "volatile", "thread_local"}
)


@dataclass(frozen=True, slots=True)
class Scope:
    """An open brace around a position.

    Attributes:
        brace: The position of the brace.
        head: The position where the declaration or statement with the brace starts.
        kind: What the braces enclose. ``language`` is ``extern "C"``.
        name: The name of the namespace or class; empty if it has no name.
    """

    brace: int
    head: int
    kind: Literal["namespace", "language", "class", "block"]
    name: str = ""


class Scopes:
    """The open braces around positions in a text, from the outside to the inside."""

    def __init__(self, unit: Unit) -> None:
        """List all pairs of braces, with the number of the pair around each of them."""
        self._unit = unit
        self._starts: list[int] = []  # the indices of the braces
        self._ends: list[int] = []
        self._parents: list[int] = []
        self._scopes: dict[int, Scope] = {}
        current = -1
        opening = frozenset(unit.find("{"))
        for index in unit.find("{}"):
            if index in opening:
                self._starts.append(index)
                self._ends.append(len(unit.words))
                self._parents.append(current)
                current = len(self._starts) - 1
            elif current >= 0:
                self._ends[current] = index
                current = self._parents[current]

    def around(self, position: int) -> list[Scope]:
        """Return the scopes around a position."""
        token = self._unit.find_index(position)
        number = bisect_left(self._starts, token) - 1
        found = []
        while number >= 0:
            if self._ends[number] >= token:
                found.append(self._read(self._starts[number]))
            number = self._parents[number]
        return found[::-1]

    def name_namespace(self, position: int) -> tuple[str, ...]:
        """Return the names of the namespaces around a position; unnamed ones have empty names."""
        names: list[str] = []
        for scope in self.around(position):
            if scope.kind == "namespace":
                names += scope.name.split("::")
        return tuple(names)

    def _read(self, brace: int) -> Scope:
        if brace not in self._scopes:
            self._scopes[brace] = _read_scope(self._unit, brace)
        return self._scopes[brace]


@lru_cache(maxsize=2)
def find_scopes(unit: Unit) -> Scopes:
    """Return the scopes of a unit. A pass needs them several times."""
    return Scopes(unit)


def list_head(unit: Unit, scope: Scope) -> Sequence[str]:
    """Return the tokens of a declaration or statement up to its brace."""
    return unit.words[slice(*map(unit.find_index, (scope.head, scope.brace)))]


def _read_scope(unit: Unit, index: int) -> Scope:
    start = unit.find_head(index)
    brace, head = unit.starts[index], unit.starts[start]
    tokens = drop_attributes(drop_template_headers(unit.list_between(start, index)))
    words = [token.text for token in tokens]
    if words[:1] == ["inline"]:
        words = words[1:]
    if words[:1] == ["namespace"]:
        name = "".join(word for word in words[1:] if word != "inline")
        return Scope(brace, head, "namespace", name)
    if words[:1] == ["extern"] and words[-1].startswith('"'):
        return Scope(brace, head, "language")
    while tokens and (tokens[0].text in _SPECIFIERS or tokens[0].text.startswith(OWN_WORD)):
        tokens = tokens[1:]
    if tokens and tokens[0].text in CLASS_KEYS and _is_class_head(tokens):
        return Scope(brace, head, "class", tokens[1].text if len(tokens) > 1 else "")
    return Scope(brace, head, "block")


def _is_class_head(tokens: list[Token]) -> bool:
    """Return whether nothing but a name and base classes follows the word ``struct``."""
    index = 1
    while index < len(tokens) and (tokens[index].is_word or tokens[index].text in ("::", "<")):
        close = match_angle(tokens, index) if tokens[index].text == "<" else index
        if close is None:
            return False
        index = close + 1
    return index == len(tokens) or tokens[index].text == ":"
