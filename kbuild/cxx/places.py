"""Find the brackets and the names around a place in a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.declarators import TYPE_WORDS
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
# Words in front of a value.
_BEFORE_VALUES: Final = frozenset(
    ("return", "co_return", "co_yield", "co_await", "else", "do", "case")
)
# Words in front of the `::` at the start of a name.
_NO_SCOPES: Final = (
    _BEFORE_VALUES | TYPE_WORDS | {"using", "throw", "new", "delete", "inline", "static"}
)
_MOST_TOKENS: Final = 200  # of template arguments


def list_outside(unit: Unit, first: int, last: int) -> Iterator[int]:
    """Yield the indices of the tokens in a part that are in no brackets; of a pair, the first."""
    index = first
    while index < last:
        yield index
        index = max(unit.partners.get(index, index), index) + 1


def find_opening(unit: Unit, first: int, index: int) -> int | None:
    """Return the index of the innermost bracket around a token; None if there is none.

    Args:
        unit: The text.
        first: The index where the statement starts.
        index: The index of the token.
    """
    index -= 1
    while index >= first:
        if unit.words[index] in _OPENING:
            return index
        index = unit.partners.get(index, index) - 1
    return None


def find_angle(unit: Unit, index: int) -> int | None:
    """Return the index of the ``<`` that opens what a ``>`` closes."""
    depth = 0
    while index >= 0:
        word = unit.words[index]
        if word in _CLOSING and index in unit.partners:
            index = unit.partners[index]
        elif word in _OPENING or word in (";", "}"):
            return None
        elif word == ">":
            depth += 1
        elif word == "<" and not _compares(unit, index):
            depth -= 1
            if depth == 0:
                return index
        index -= 1
    return None


def _compares(unit: Unit, index: int) -> bool:
    """Return whether a ``<`` is an operator, because no name is before it."""
    before = unit.get(index - 1)
    return before == ")" or before[:1].isdigit()


def skip_arguments(unit: Unit, name: int) -> int:
    """Return the index after a name and its template arguments."""
    if unit.get(name + 1) != "<":
        return name + 1
    close = match_angle(unit.list_between(name + 1, name + _MOST_TOKENS), 0)
    return name + 1 if close is None else name + close + 2


def starts_captures(before: str, after: str) -> bool:
    """Return whether a ``[`` between two tokens starts a lambda, and no subscript or attribute."""
    is_name = before[:1].isidentifier() and before not in _BEFORE_VALUES
    return after != "[" and not (is_name or before in (")", "]", "[") or before[-1:] == '"')


def find_first(unit: Unit, name: int) -> int:
    """Return the index where a qualified name starts, whose last part has an index."""
    first = name
    while unit.get(first - 1) == "::":
        is_scope = unit.get_token(first - 2).is_word and unit.get(first - 2) not in _NO_SCOPES
        first -= 2 if is_scope else 1
        if not is_scope:
            break
    return first
