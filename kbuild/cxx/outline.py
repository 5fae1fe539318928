"""Reduce preprocessed text to its declarations in namespaces, before it is split into tokens.

Headers of systems and toolkits are megabytes, most of which is in the bodies of functions and
classes. A text without them has about a tenth of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import Final

from kbuild.cxx.lexer import Token, read_raw_string, split_text
from kbuild.cxx.model import Span
from kbuild.cxx.tokens import drop_attributes, read_tokens

_BRACE: Final = re.compile(r"""\{|\}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""")
_HEADS: Final = ("namespace", "extern")


def outline(text: str) -> str:
    """Return a text with empty braces, except those of namespaces and of ``extern "C"``.

    A text in which a brace has no partner is returned as it is.
    """
    parts: list[str] = []
    kept = depth = body = before = 0
    for position in _list_braces(text):
        is_opening = text[position] == "{"
        if body:
            body += 1 if is_opening else -1
            kept = position
        elif not is_opening:
            depth -= 1
        elif _opens_scope(text[max(text.rfind(";", before, position) + 1, before) : position]):
            depth += 1
        else:
            parts.append(text[kept : position + 1])
            body = 1
        if depth < 0:
            return text
        before = position + 1
    return text if depth or body else "".join((*parts, text[kept:]))


def _list_braces(text: str) -> Iterator[int]:
    """Yield the positions of the braces that are not in literals."""
    position = 0
    while (found := _BRACE.search(text, position)) is not None:
        start, position = found.span()
        if position == start + 1:
            yield start
        elif text[start - 1 : start] == "R":
            position = read_raw_string(text, start) or position
        elif text[start] == "'" and text[start - 1 : start].isdigit():  # a separator of digits
            position = start + 1


def divide(text: str) -> Iterator[Span]:
    """Yield where the declarations outside of namespaces are. A named namespace is one of them.

    A class, or a variable with braces, ends with the brace, and its rest is another declaration.
    """
    start = depth = 0
    for position in _list_braces(text):
        if text[position] == "{":
            if depth == 0:
                start = yield from _divide_before(text, start, position)
                head = text[start:position]
                if _opens_scope(head) and not read_names(read_tokens(head)):
                    start = position + 1  # what is in it is visible outside
                    continue
            depth += 1
            continue
        if depth == 0:
            start = yield from _divide_before(text, start, position)
        elif depth == 1:
            yield start, position + 1
        if depth <= 1:
            start = position + 1
        depth = max(depth - 1, 0)
    yield from _divide_before(text, start, len(text))
    yield start, len(text)


def _divide_before(text: str, start: int, end: int) -> Generator[Span, None, int]:
    """Yield the declarations that end with a ``;`` in a part; return the position after them."""
    while (found := text.find(";", start, end)) >= 0:
        yield start, found + 1
        start = found + 1
    return start


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
