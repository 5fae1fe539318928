"""Divide the body of a function into statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_HEADS: Final = frozenset(("if", "for", "while", "switch", "catch"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A simple statement, or one part of the head of a loop or condition.

    Attributes:
        start: The index of the first token.
        stop: The index after the last token; a semicolon at the end is not included.
    """

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Block:
    """Statements with their own scope: a compound statement, a condition, or a loop."""

    children: tuple[Node, ...]


Node: TypeAlias = Statement | Block


def divide_body(unit: Unit, brace: int) -> Block:
    """Divide the body that the brace at an index opens."""
    return Block(tuple(_read_all(unit, brace + 1, unit.partners[brace])))


def _read_all(unit: Unit, start: int, stop: int) -> Iterator[Node]:
    while start < stop:
        node, start = _read(unit, start, stop)
        yield node


def _read(unit: Unit, start: int, stop: int) -> tuple[Node, int]:
    """Read the statement at ``start``; return it and the index after it."""
    word, following = unit.get(start), unit.get(start + 1)
    if word == "{" and start in unit.partners:
        return divide_body(unit, start), unit.partners[start] + 1
    if word in _HEADS and "(" in (following, unit.get(start + 2)) and following != ";":
        return _read_control(unit, start, stop)
    if word in ("else", "do", "try"):
        return _read(unit, start + 1, stop) if start + 1 < stop else (Block(()), stop)
    if word in ("case", "default") or (following == ":" and unit.get_token(start).is_word):
        end = start
        while end < stop and unit.words[end] != ":":
            end += 1
        return Statement(start, end), end + 1
    end = _find_semicolon(unit, start, stop)
    return Statement(start, end), end + 1


def _read_control(unit: Unit, start: int, stop: int) -> tuple[Node, int]:
    """Read a loop or condition. The head of ``if constexpr`` is one statement."""
    children: list[Node] = []
    is_constant = unit.words[start + 1] != "("
    opening = start + 2 if is_constant else start + 1
    close = min(unit.partners.get(opening, stop), stop)
    if is_constant:
        children.append(Statement(start + 1, close + 1))
    part = close if is_constant else opening + 1
    while part < close:
        end = _find_semicolon(unit, part, close)
        children.append(Statement(part, end))
        part = end + 1
    index = close + 1
    if index < stop and unit.words[index] != ";":
        child, index = _read(unit, index, stop)
        children.append(child)
    else:
        index += 1
    while index < stop and unit.words[index] == "else":
        child, index = _read(unit, index + 1, stop)
        children.append(child)
    return Block(tuple(children)), index


def _find_semicolon(unit: Unit, start: int, stop: int) -> int:
    index = start
    while index < stop and unit.words[index] != ";":
        index = max(unit.partners.get(index, index), index) + 1
    return min(index, stop)
