"""Divide the body of a function into statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from kbuild.cxx.source.tokens import SourceTokens
from kbuild.values import dataclass

_HEADS: Final = frozenset((b"if", b"for", b"while", b"switch", b"catch"))
_BRACKETS: Final = frozenset((b"(", b"[", b"{"))


@dataclass(frozen=True, slots=True)
class Statement:
    """A simple statement, a directive, or one part of the head of a loop or condition.

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


def divide_body(tokens: SourceTokens, brace: int) -> Block:
    """Divide the body that the brace at an index opens."""
    return Block(tuple(_read_all(tokens, brace + 1, tokens.partners[brace])))


def list_statements(node: Node) -> Iterator[Statement]:
    """Yield all statements in a node."""
    if isinstance(node, Statement):
        yield node
    else:
        for child in node.children:
            yield from list_statements(child)


def _read_all(tokens: SourceTokens, start: int, stop: int) -> Iterator[Node]:
    while start < stop:
        node, start = _read(tokens, start, stop)
        yield node


def _read(tokens: SourceTokens, start: int, stop: int) -> tuple[Node, int]:
    """Read the statement at ``start``; return it and the index after it."""
    words = tokens.words
    word = words[start]
    if word[:1] == b"#":
        return Statement(start, start + 1), start + 1
    if word == b"{":
        return divide_body(tokens, start), tokens.partners[start] + 1
    if word in _HEADS and words[start + 1] == b"(":
        return _read_control(tokens, start, stop)
    if word in (b"else", b"do", b"try"):
        return _read(tokens, start + 1, stop) if start + 1 < stop else (Block(()), stop)
    if word in (b"case", b"default") or words[start + 1] == b":":
        end = start
        while end < stop and words[end] != b":":
            end += 1
        return Statement(start, end), end + 1
    end = _find_semicolon(tokens, start, stop)
    return Statement(start, end), end + 1


def _read_control(tokens: SourceTokens, start: int, stop: int) -> tuple[Node, int]:
    words, close = tokens.words, tokens.partners[start + 1]
    children: list[Node] = []
    part = start + 2
    while part < close:
        end = _find_semicolon(tokens, part, close)
        children.append(Statement(part, end))
        part = end + 1
    index = close + 1
    if index < stop and words[index] != b";":
        child, index = _read(tokens, index, stop)
        children.append(child)
    else:
        index += 1
    while index < stop and words[index] == b"else":
        child, index = _read(tokens, index + 1, stop)
        children.append(child)
    return Block(tuple(children)), index


def _find_semicolon(tokens: SourceTokens, start: int, stop: int) -> int:
    words = tokens.words
    index = start
    while index < stop and words[index] != b";":
        index = tokens.partners[index] if words[index] in _BRACKETS else index
        index += 1
    return index
