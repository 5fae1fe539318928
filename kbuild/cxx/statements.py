"""Divide the body of a function into statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from kbuild.cxx.places import list_outside
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_LOOPS: Final = frozenset(("for", "while"))
_HEADS: Final = _LOOPS | {"if", "switch", "catch"}
_LIKELIHOODS: Final = frozenset(("likely", "unlikely"))
# What follows an attribute of a statement that is not a declaration.
_STATEMENTS: Final = _HEADS | {"{", "do", "try", "case", "default", "return", "break", "continue"}


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A simple statement, or one part of the head of a loop or condition.

    Attributes:
        start: The index of the first token.
        stop: The index after the last token; a semicolon at the end is not included.
        base: The indices of the type, if it is a declarator behind the first one of a declaration.
    """

    start: int
    stop: int
    base: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Statements with their own scope.

    Attributes:
        start: The index of the first token.
        stop: The index after the last token, which is also that of the last statement in it.
        children: The parts of the head, and the statements.
        kind: The keyword in front; empty for a compound statement. A ``for`` loop over a range has
            one part in its head, and other ``for`` loops have three.
        is_constant: Whether it is ``if constexpr``.
        heads: The number of children that are parts of the head. They come first, except in a
            ``do`` loop.
    """

    start: int
    stop: int
    children: tuple[Node, ...]
    kind: str = ""
    is_constant: bool = False
    heads: int = 0


Node: TypeAlias = Statement | Block


def divide_body(unit: Unit, brace: int) -> Block:
    """Divide the body that the brace at an index opens."""
    partner = unit.partners[brace]
    return Block(brace, partner + 1, tuple(_read_all(unit, brace + 1, partner)))


def _read_all(unit: Unit, start: int, stop: int) -> Iterator[Node]:
    while start < stop:
        node, start = _read(unit, start, stop)
        yield node


def _read(unit: Unit, start: int, stop: int) -> tuple[Node, int]:
    """Read the statement at ``start``; return it and the index after it.

    Attributes of statements are in front of them, and those of declarations are parts of them.
    """
    behind = min(skip_attributes(unit, start), stop)
    if unit.get(behind) in _STATEMENTS or not _LIKELIHOODS.isdisjoint(unit.words[start:behind]):
        start = behind
    word, following = unit.get(start), unit.get(start + 1)
    if word == "{" and start in unit.partners:
        return divide_body(unit, start), unit.partners[start] + 1
    if word in _HEADS and "(" in (following, unit.get(start + 2)) and following != ";":
        return _read_control(unit, start, stop)
    if word in ("do", "try"):
        return _read_body_first(unit, start, stop)
    if word in ("case", "default") or (following == ":" and unit.get_token(start).is_word):
        end = start
        while end < stop and unit.words[end] != ":":
            end += 1
        return Statement(start, end), end + 1
    end = _find_semicolon(unit, start, stop)
    return Statement(start, end), end + 1


def _read_body_first(unit: Unit, start: int, stop: int) -> tuple[Node, int]:
    """Read a ``do`` loop or a ``try`` block, whose handlers are other statements."""
    kind = unit.words[start]
    if start + 1 >= stop:
        return Block(start, stop, (), kind), stop
    body, index = _read(unit, start + 1, stop)
    if kind == "try" or unit.get(index) != "while" or index + 1 not in unit.partners:
        return Block(start, index, (body,), kind), index
    close = unit.partners[index + 1]
    head = Statement(index + 2, close)
    end = _find_semicolon(unit, close, stop)
    return Block(start, end + 1, (body, head), kind, heads=1), end + 1


def _read_control(unit: Unit, start: int, stop: int) -> tuple[Node, int]:
    """Read a loop or condition. The head of ``if constexpr`` is one statement."""
    kind = unit.words[start]
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
    if kind == "for" and len(children) == 2 and unit.words[close - 1] == ";":  # noqa: PLR2004 - no step
        children.append(Statement(close, close))
    heads = len(children)
    index = close + 1
    if index < stop:
        child, index = _read(unit, index, stop)
        children.append(child)
    if kind == "if" and index < stop and unit.words[index] == "else":
        child, index = _read(unit, index + 1, stop)
        children.append(child)
    return Block(start, min(index, stop), tuple(children), kind, is_constant, heads), index


def skip_attributes(unit: Unit, index: int) -> int:
    """Return the index after the attributes in front of a statement."""
    while unit.words[index : index + 2] == ["[", "["] and index in unit.partners:
        index = unit.partners[index] + 1
    return index


def _find_semicolon(unit: Unit, start: int, stop: int) -> int:
    outside = list_outside(unit, start, stop)
    return next((index for index in outside if unit.words[index] == ";"), stop)


def list_statements(node: Node) -> Iterator[Statement]:
    """Yield the statements in a node, in order."""
    if isinstance(node, Statement):
        yield node
        return
    for child in node.children:
        yield from list_statements(child)


def list_blocks(node: Node) -> Iterator[Block]:
    """Yield a block and the blocks in it, from the outside."""
    if isinstance(node, Block):
        yield node
        for child in node.children:
            yield from list_blocks(child)


def find_statement(node: Node, index: int) -> Statement | None:
    """Return the statement with a token."""
    statements = list_statements(node)
    return next((each for each in statements if each.start <= index < each.stop), None)
