"""Mentions of words in preprocessed text, and the functions that contain them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from kbuild.cxx.model import Span
from kbuild.cxx.qualified import Declaration, read_declaration
from kbuild.cxx.scopes import Scope, find_scopes, list_head
from kbuild.cxx.tokens import (
    SKIPPED,
    Token,
    drop_attributes,
    list_tokens,
    list_tokens_before,
    match_angle,
)

_MARKER: Final = re.compile(r'^#(?: |line )\d+ "((?:\\.|[^"\\\n])*)".*\n', re.MULTILINE)
_STARTS: Final = (";", "{", "}", ":")  # what is before a declaration
_BEFORE_LAMBDA: Final = ("return", "co_return", "co_yield", "co_await", "else", "do", "case")
_LONGEST_ARGUMENTS: Final = 400  # characters of template arguments
_MARK: Final = "__kbuild_"  # the start of the words that mark device code
_SPECIFIERS: Final = frozenset(
    (
        *("inline", "__inline", "__inline__", "constexpr", "consteval", "explicit", "static"),
        *("virtual", "friend", "extern", "__extension__"),
    )
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word is mentioned.

    Attributes:
        kind: ``function`` is the body of a function, ``declaration`` the declared name of a
            function, ``using`` a using declaration, directive, or alias, and ``namespace`` the
            definition of a namespace alias. Everything else is ``elsewhere``, such as an
            initializer of a global variable.
        function: The function, for the first two kinds.
        head: The tokens before the word in its statement, if it is not in a body.
        inside: The braces between the function's body and the word.
        around: The braces around the function.
    """

    kind: Literal["function", "declaration", "using", "namespace", "elsewhere"]
    function: Declaration | None = None
    head: tuple[Token, ...] = ()
    inside: tuple[Scope, ...] = ()
    around: tuple[Scope, ...] = ()


def list_words(
    text: str, pattern: str, *, inside: Span | None = None, skipped: Iterable[Span] = ()
) -> list[Token]:
    """Return the words that match a pattern, except in literals, directives, and skipped parts."""
    first, last = inside or (0, len(text))
    expression = rf"{SKIPPED} | (?<![\w$])(?P<word>{pattern})(?![\w$])"
    found = []
    spans = iter((*skipped, (len(text), len(text))))
    start, end = next(spans)
    for match in re.compile(expression, re.VERBOSE | re.DOTALL).finditer(text, first, last):
        if match["word"] is None:
            continue
        while end <= match.start():
            start, end = next(spans)
        if match.start() < start:
            found.append(Token(match["word"], match.start()))
    return found


def find_files(text: str, directories: tuple[str, ...]) -> tuple[Span, ...]:
    """Return the parts of the text that come from files below the directories."""
    prefixes = tuple(
        directory.replace("\\", "\\\\").replace('"', '\\"') + "/" for directory in directories
    )
    markers = [*_MARKER.finditer(text), None]
    return tuple(
        (marker.end(), following.start() if following else len(text))
        for marker, following in pairwise(markers)
        if marker is not None and marker[1].startswith(prefixes)
    )


def describe_place(text: str, word: Token) -> Place:
    """Describe where a word is mentioned."""
    around = find_scopes(text).around(word.start)
    outer = next((index for index, s in enumerate(around) if s.kind == "block"), None)
    if outer is None:
        return _describe_outside(text, word)
    found = _read_function(text, around[outer].head)
    if found.kind != "function" or found.body is None or found.body[0] != around[outer].brace:
        return Place("elsewhere")
    inside = tuple(around[outer + 1 :])
    return Place("function", found, inside=inside, around=tuple(around[:outer]))


@lru_cache(maxsize=1024)
def _read_function(text: str, start: int) -> Declaration:
    return read_declaration(text, start)


def _describe_outside(text: str, word: Token) -> Place:
    head = list_head(text, word.start)
    start = head[0].start if head else word.start
    before = next(list_tokens_before(text, start), None)
    if before is not None and before.text not in _STARTS:
        return Place("elsewhere", head=tuple(head))
    first = head[0].text if head else ""
    if first in ("using", "namespace"):
        return Place("using" if first == "using" else "namespace", head=tuple(head))
    found = read_declaration(text, start)
    if found.kind == "function" and found.name == word.text and word in found.head:
        return Place("declaration", found, tuple(head))
    return Place("elsewhere", head=tuple(head))


def is_called_by_name(found: Declaration) -> bool:
    """Return whether every call of a function, which has a body, mentions its name.

    Calls of operators, conversions, constructors, and destructors do not.
    """
    head = drop_attributes(list(found.head))
    words = [
        token.text
        for token in head
        if token.text not in _SPECIFIERS and not token.text.startswith(_MARK)
    ]
    is_special = "operator" in words or "~" in words or found.initializers is not None
    # Only constructors have no result type.
    return not is_special and len(words) > 1 and _name_class(words) != found.name


def _name_class(words: list[str]) -> str:
    """Return the last part of the scope in front of a qualified name; empty if there is none."""
    if "::" not in words:
        return ""
    end = len(words) - 1 - words[::-1].index("::")
    depth = 0
    for index in range(end - 1, -1, -1):
        depth += (words[index] == ">") - (words[index] == "<")
        if depth == 0 and words[index] != "<":
            return words[index]
    return ""


def is_called(text: str, word: Token) -> bool:
    """Return whether a call, or a declaration, follows the name of a function."""
    tokens = list(list_tokens(text, word.end, word.end + _LONGEST_ARGUMENTS))
    if tokens and tokens[0].text == "<":
        before = next(list_tokens_before(text, word.start), None)
        close = match_angle(tokens, 0)
        if close is None or (before is not None and before.text == "&"):
            return False
        tokens = tokens[close + 1 :]
    return bool(tokens) and tokens[0].text == "("


def find_lambda(text: str, scope: Scope) -> tuple[Token, ...] | None:
    """Return the captures of the lambda whose body the braces are; None if there is no lambda.

    The result has the brackets. Statements with a lambda in front of the braces count, too.
    """
    tokens = list_head(text, scope.brace)
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        is_array = before is not None and (
            (before.is_word and before.text not in _BEFORE_LAMBDA) or before.text in (")", "]", "[")
        )
        if token.text == "[" and following != "[" and not is_array:
            end = next((i for i in range(index, len(tokens)) if tokens[i].text == "]"), index)
            return tuple(tokens[index : end + 1])
    return None
