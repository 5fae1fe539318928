"""Mentions of words in preprocessed text, and the functions that contain them."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Span
from kbuild.cxx.places import starts_captures
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.unit import Unit

_MARKER: Final = re.compile(r'#(?: |line )\d+ "((?:\\.|[^"\\\n])*)".*')
# The flag 3 of a line marker says that the lines are those of a header of the system.
_SYSTEM_MARKER: Final = re.compile(r'#(?: |line )\d+ "(?:\\.|[^"\\\n])*".* 3\b.*')
# What names the function around it. In the regions and loops of a kernel, that would be a lambda.
_FUNCTION_NAMES: Final = ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")


def list_words(unit: Unit, words: Collection[str], inside: Span) -> list[Token]:
    """Return the tokens in a part of a text that are one of some words."""
    first, last = map(unit.find_index, inside)
    return [token for token in unit.list_between(first, last) if token.text in words]


def list_inner_scopes(unit: Unit, word: Token) -> list[Scope]:
    """Return the braces between the body of the outermost function around a word and the word."""
    around = find_scopes(unit).around(word.start)
    outer = next((i for i, scope in enumerate(around) if scope.kind == "block"), len(around))
    return around[outer + 1 :]


def find_lambda(unit: Unit, scope: Scope) -> tuple[Token, ...] | None:
    """Return the captures of the lambda whose body the braces are; None if there is no lambda.

    The result has the brackets. Statements with a lambda in front of the braces count, too.
    """
    brace = unit.find_index(scope.brace)
    start = unit.find_head(brace)
    for index in range(start, brace):
        before = unit.words[index - 1] if index > start else ""
        if unit.words[index] == "[" and starts_captures(before, unit.get(index + 1)):
            return tuple(unit.list_between(index, unit.partners.get(index, index) + 1))
    return None


@lru_cache(maxsize=1)
def list_own_files(code: Unit) -> tuple[Span, ...]:
    """Return the parts of the text that come from files of the project."""
    markers = [each for each in code.directives if _MARKER.match(each.text)]
    ends = (*(each.start for each in markers[1:]), len(code.text))
    return tuple(
        (marker.end, end)
        for marker, end in zip(markers, ends, strict=False)
        if not _SYSTEM_MARKER.fullmatch(marker.text)
    )


def is_own(code: Unit, position: int) -> bool:
    """Return whether a part of the text comes from a file of the project."""
    return any(start <= position < end for start, end in list_own_files(code))


def can_replace(code: Unit, word: Token) -> bool:
    """Return whether a constant of the kernel can hide a built-in variable here.

    Local classes, and lambdas without a default capture, cannot use variables of the kernel. A
    declaration of a variable with this name cannot be in the same scope.
    """
    index = code.find_index(word.start)
    if code.get(index - 1) == "::" or code.get(index + 1) not in (".", ")"):
        return False
    for scope in list_inner_scopes(code, word):
        captures = find_lambda(code, scope)
        if scope.kind == "class":
            return False
        if captures is not None and not _has_default(captures):
            return False
    return True


def is_captured(code: Unit, word: Token) -> bool:
    """Return whether a lambda that refers to a word can be called somewhere else."""
    for scope in list_inner_scopes(code, word):
        captures = find_lambda(code, scope)
        brace = code.find_index(scope.brace)
        is_called = code.get(code.partners.get(brace, brace) + 1) == "("
        if captures is not None and any(c.text == "&" for c in captures) and not is_called:
            return True
    return False


def list_own_names(unit: Unit, inside: Span) -> list[Token]:
    """Return the names in a function's body that stand for its name, not for that of a lambda."""
    return [
        word
        for word in list_words(unit, _FUNCTION_NAMES, inside)
        if not any(
            scope.kind == "class" or find_lambda(unit, scope) is not None
            for scope in list_inner_scopes(unit, word)
        )
    ]


def _has_default(captures: tuple[Token, ...]) -> bool:
    words = [token.text for token in captures]
    return len(words) > 2 and words[1] in ("=", "&") and words[2] in ("]", ",")  # noqa: PLR2004 - brackets and a default
