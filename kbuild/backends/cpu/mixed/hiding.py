"""Names of members and variables, which are no functions although a function has the same name."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from kbuild.cxx.declarators import TYPE_WORDS
from kbuild.cxx.lexer import Token
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit

_AFTER_NAME: Final = frozenset((";", "=", ",", ")", "[", ":", "{"))
# A name behind one of these words is used, not declared.
_BEFORE_USE: Final = frozenset(
    (
        *("return", "else", "do", "case", "goto", "throw", "new", "delete", "sizeof", "alignof"),
        *("co_return", "co_yield", "co_await", "and", "or", "not", "xor", "bitand", "bitor"),
        *("compl", "and_eq", "or_eq", "not_eq", "xor_eq", "operator", "using", "typename"),
        *("template", "noexcept", "requires", "default"),
    )
)


def is_hidden(unit: Unit, word: Token) -> bool:
    """Return whether a name is that of a member, or of a variable that hides a function.

    What is not recognized can be the function.
    """
    index = unit.find_index(word.start)
    if unit.get(index - 1) == "::":
        return False
    if unit.get(index - 1) in (".", "->"):
        return unit.get(index + 1) not in ("(", "<")
    return any(first <= index < stop for first, stop in _find_hidden(unit, word.text))


@lru_cache(maxsize=256)
def _find_hidden(unit: Unit, name: str) -> tuple[tuple[int, int], ...]:
    """Return the parts of a text, as indices, in which a name is that of a variable."""
    return tuple(
        part
        for index in unit.find((name,))
        if _is_declared(unit, index)
        for part in _find_visible(unit, index)
    )


def _is_declared(unit: Unit, index: int) -> bool:
    """Return whether a name is declared here, as something else than a function."""
    before = unit.get_token(index - 1) if index else None
    if before is None or unit.get(index + 1) not in _AFTER_NAME:
        return False
    if before.text in ("*", "&"):
        return unit.get(index - 2) in TYPE_WORDS or unit.get(index - 3) == "const"
    return before.is_word and before.text not in _BEFORE_USE


def _find_visible(unit: Unit, index: int) -> Iterator[tuple[int, int]]:
    """Yield the indices between which a declared variable is visible."""
    opening = _find_parenthesis(unit, index)
    if opening is not None:
        yield index, _find_end(unit, unit.partners.get(opening, opening) + 1)
        return
    scope = next(reversed(find_scopes(unit).around(unit.starts[index])), None)
    if scope is None or scope.kind not in ("block", "class"):
        return
    brace = unit.find_index(scope.brace)
    yield (brace if scope.kind == "class" else index), unit.partners.get(brace, index)


def _find_parenthesis(unit: Unit, index: int) -> int | None:
    """Return the index of the parenthesis around a declaration; None without one."""
    index -= 1
    while index >= 0 and unit.words[index] not in ("{", "}"):
        if unit.words[index] == "(":
            return index
        if unit.words[index] in (")", "]"):
            index = unit.partners.get(index, index)
        index -= 1
    return None


def _find_end(unit: Unit, index: int) -> int:
    """Return where the function or statement behind a head ends, or where a type with it does."""
    while index < len(unit.words) and unit.words[index] not in (";", "}", "="):
        if unit.words[index] == "{":
            return unit.partners.get(index, index)
        if unit.words[index] in ("(", "["):
            index = unit.partners.get(index, index)
        index += 1
    return index
