"""Find the expression that a launch launches: the postfix expression before ``<<<``."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.lines import locate
from kbuild.cxx.places import find_angle, starts_captures
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

_CONDITIONS: Final = frozenset(("if", "while", "for", "switch", "constexpr"))
_LAMBDA_WORDS: Final = frozenset(("mutable", "constexpr", "consteval", "static", "noexcept"))
_STOPPING: Final = frozenset(
    {"return", "else", "do", "case", "goto", "throw", "new", "delete", "sizeof", "alignof", "try"}
    | {"typeid", "co_return", "co_await", "co_yield", "and", "or", "not", "xor", "bitand", "bitor"}
    | {"compl", "if", "while", "for", "switch", "constexpr", "default", "using", "typename"}
    | {"operator"}
)


def reject_launch(unit: Unit, index: int, problem: str) -> SourceError:
    """Return the error for a launch that is not understood."""
    return SourceError(
        f"{locate(unit.text, unit.starts[index])}: cannot read the launch: {problem}; expected "
        "kernel<<<grid, block, shared_bytes, stream>>>(arguments)"
    )


def find_callee(unit: Unit, index: int) -> int:
    """Return the index where the postfix expression before ``<<<`` starts."""
    start = _read_primary(unit, index - 1)
    if start is None:
        raise reject_launch(unit, index, "there is no kernel before '<<<'")
    while unit.get(start - 1) in (".", "->", "template"):
        if unit.get(start - 1) == "template":
            start -= 1
            continue
        inner = _read_primary(unit, start - 2)
        if inner is None:
            raise reject_launch(
                unit, index, f"there is no expression before '{unit.get(start - 1)}'"
            )
        start = inner
    return start


def _read_primary(unit: Unit, index: int) -> int | None:
    """Return where a name or a parenthesized expression starts, with calls and subscripts after it.

    Args:
        unit: The text.
        index: Its last token.
    """
    start: int | None = None
    while index >= 0:
        word = unit.words[index]
        if word == "operator" or (unit.get_token(index).is_word and word not in _STOPPING):
            return _read_name(unit, index)
        opening = find_angle(unit, index) if word == ">" else unit.partners.get(index)
        if opening is None or opening > index:
            break
        before = unit.get(opening - 1)
        if _is_attribute(unit, opening, index) or unit.words[opening:index] == ["(", "void"]:
            break
        if start is not None and before in _CONDITIONS:
            break
        if word == "]" and before[:1].isdigit():
            return opening - 1
        if word in (")", "]"):
            start = opening
        elif word == "}" and start is not None and (captures := find_captures(unit, opening)):
            return captures
        elif not before or not (before == ">" or unit.get_token(opening - 1).is_word):
            break  # a block, or a comparison
        index = opening - 1
    return start


def _is_attribute(unit: Unit, opening: int, close: int) -> bool:
    """Return whether two brackets are those of ``[[attribute]]``."""
    return unit.get(opening + 1) == "[" and unit.get(close - 1) == "]" and unit.get(close) == "]"


def find_captures(unit: Unit, brace: int) -> int | None:
    """Return where the lambda starts whose body a brace opens; None if there is no lambda."""
    for last in (brace - 1, _skip_return_type(unit, brace - 1)):
        index = last
        while unit.get(index) in _LAMBDA_WORDS:
            index -= 1
        if unit.get(index) == ")":
            index = unit.partners.get(index, 0) - 1
        first = unit.partners.get(index) if unit.get(index) == "]" else None
        if first is not None and starts_captures(unit.get(first - 1), unit.get(first + 1)):
            return first
    return None


def _skip_return_type(unit: Unit, index: int) -> int:
    """Return the index before ``-> type``, or the index itself if there is no such type."""
    start = index
    while start >= 0 and unit.words[start] not in (";", "{", "}"):
        if unit.words[start] == "->":
            return start - 1
        start = unit.partners.get(start, start) - 1
    return index


def _read_name(unit: Unit, index: int) -> int:
    """Return where a name with its qualifiers starts."""
    start = index
    index -= 1
    while index >= 0:
        if unit.words[index] == "template":
            index -= 1
            continue
        if unit.words[index] != "::":
            break
        start = index
        index -= 1
        if unit.get(index) == ">":
            index = (find_angle(unit, index) or 0) - 1
        if index < 0 or not unit.get_token(index).is_word or unit.words[index] in _STOPPING:
            break
        start = index
        index -= 1
    return start - 1 if unit.get(start - 1) == "typename" else start
