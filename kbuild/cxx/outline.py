"""Divide preprocessed text into the declarations in namespaces, before it is split into tokens.

Headers of systems and toolkits are megabytes, most of which is in the bodies of functions and
classes. A text without these bodies has about a tenth of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, Literal, NamedTuple

from kbuild.cxx.lexer import Token, read_raw_string, split_text
from kbuild.cxx.model import Span
from kbuild.cxx.tokens import drop_attributes, read_tokens

_LITERAL: Final = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""")
_HEADS: Final = ("namespace", "extern")


class Part(NamedTuple):
    """A part of a text.

    Attributes:
        kind: A namespace, or ``extern "C"``, starts with the part, or ends with it; or the part is
            a declaration. If a class or an initializer has braces, the rest after them is another
            declaration.
        start: The first position.
        head: The position after the ``;`` or after the opening brace.
        stop: The position after the part.
    """

    kind: Literal["open", "declaration", "close"]
    start: int
    head: int
    stop: int


def divide(text: str) -> Iterator[Part]:
    """Yield all parts of a text, in order. The last one can be incomplete."""
    start = head = depth = 0
    for position in _list_braces(text):
        is_opening = text[position] == "{"
        if depth:
            depth += 1 if is_opening else -1
            if not depth:
                yield Part("declaration", start, head, position + 1)
                start = position + 1
            continue
        while (end := text.find(";", start, position) + 1) > 0:
            yield Part("declaration", start, end, end)
            start = end
        if not is_opening:
            yield Part("close", start, position + 1, position + 1)
            start = position + 1
        elif _opens_scope(text[start:position]):
            yield Part("open", start, position + 1, position + 1)
            start = position + 1
        else:
            head, depth = position + 1, 1
    while not depth and (end := text.find(";", start) + 1) > 0:
        yield Part("declaration", start, end, end)
        start = end
    yield Part("declaration", start, head if depth else len(text), len(text))


def divide_outside(text: str) -> Iterator[Span]:
    """Yield where the declarations outside of namespaces are. A named namespace is one of them."""
    opened: list[int | None] = []  # where the named namespaces start
    for part in divide(text):
        is_outside = not any(start is not None for start in opened)
        if part.kind == "open":
            is_named = bool(read_names(read_tokens(text[part.start : part.head - 1])))
            opened.append(part.start if is_named else None)
        elif part.kind == "close" and opened:
            start = opened.pop()
            if start is not None and not any(each is not None for each in opened):
                yield start, part.stop
        elif is_outside:
            yield part.start, part.stop


def outline(text: str) -> str:
    """Return a text with empty braces, except those of namespaces and of ``extern "C"``.

    A text in which a brace has no partner is returned as it is.
    """
    parts: list[str] = []
    depth = 0
    for part in divide(text):
        depth += (part.kind == "open") - (part.kind == "close")
        if depth < 0 or (part.head < part.stop and text[part.stop - 1] != "}"):
            return text
        parts.append(text[part.start : part.head])
        if part.head < part.stop:
            parts.append("}")
    return text if depth else "".join(parts)


def read_names(head: list[Token]) -> tuple[str, ...]:
    """Return the names in the head of a namespace; none if what is in it is visible outside."""
    words = [token.text for token in drop_attributes(head) if token.is_word]
    is_named = words[:1] == ["namespace"] and words[1:2] != ["inline"]
    return tuple(word for word in words[1:] if word != "inline") if is_named else ()


def opens_scope(words: list[str]) -> bool:
    """Return whether the tokens before a brace are those of a namespace or of ``extern "C"``."""
    if words[:1] == ["extern"]:
        return words[-1][0] == '"'
    return "namespace" in words[:2]


def _opens_scope(head: str) -> bool:
    if not any(word in head for word in _HEADS):
        return False
    return opens_scope([word for word in split_text(head).words if word[0] != "#"])


def _list_braces(text: str) -> Iterator[int]:
    """Yield the positions of the braces that are not in literals.

    A search for one character is twenty times as fast as one for an expression.
    """
    end = 0
    for position in sorted(chain.from_iterable(_find_all(text, c) for c in "{}\"'")):
        if position < end:
            continue
        if text[position] in "{}":
            yield position
        elif text[position] == '"' and text[position - 1 : position] == "R":
            end = read_raw_string(text, position) or _find_literal_end(text, position)
        elif text[position] == '"' or not text[position - 1 : position].isdigit():
            end = _find_literal_end(text, position)  # otherwise, a separator of digits


def _find_all(text: str, character: str) -> Iterator[int]:
    position = text.find(character)
    while position >= 0:
        yield position
        position = text.find(character, position + 1)


def _find_literal_end(text: str, start: int) -> int:
    """Return the position after a literal, or after a quotation mark that starts none."""
    found = _LITERAL.match(text, start)
    return found.end() if found is not None else start + 1
