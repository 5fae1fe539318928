"""Mentions of words in preprocessed text, and the functions that contain them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal

from kbuild.cxx.declarations import Declaration, read_declaration
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Span
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_MARKER: Final = re.compile(r'#(?: |line )\d+ "((?:\\.|[^"\\\n])*)".*')
# The flag 3 of a line marker says that the lines are those of a header of the system.
_SYSTEM_MARKER: Final = re.compile(r'#(?: |line )\d+ "(?:\\.|[^"\\\n])*".* 3\b.*')
_STARTS: Final = (";", "{", "}", ":")  # what is before a declaration
_BEFORE_LAMBDA: Final = ("return", "co_return", "co_yield", "co_await", "else", "do", "case")
# What names the function around it. In the regions and loops of a kernel, that would be a lambda.
_FUNCTION_NAMES: Final = "__func__|__FUNCTION__|__PRETTY_FUNCTION__"
_FOLLOWING: Final = (";", "(", "<", "::")  # what patterns ask for
_LONGEST_ARGUMENTS: Final = 100  # tokens of template arguments
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
    unit: Unit, pattern: str, *, inside: Span | None = None, skipped: Iterable[Span] = ()
) -> list[Token]:
    """Return the tokens that match a pattern, except in skipped parts.

    Args:
        unit: The text.
        pattern: A regular expression for whole words. One with ``(?=`` also sees what follows.
        inside: The part of the text to search.
        skipped: Parts to leave out, in order.
    """
    expression = re.compile(rf"(?:{pattern})(?![\w$])")  # a name can be the start of another
    if inside is None:
        indices: Iterable[int] = unit.find(_find_matching(pattern, unit.vocabulary))
    else:
        first, last = map(unit.find_index, inside)
        indices = range(first, last)
    found = []
    spans = iter((*skipped, (len(unit.text), len(unit.text))))
    start, end = next(spans)
    for index in indices:
        position = unit.starts[index]
        match = expression.match(unit.text, position)
        if match is None or match.end() != unit.get_end(index):
            continue
        while end <= position:
            start, end = next(spans)
        if position < start:
            found.append(unit.get_token(index))
    return found


def _find_matching(pattern: str, words: Iterable[str]) -> set[str]:
    """Return the words that a pattern matches as a whole, if the right token follows."""
    found: set[str] = set()
    for following in _FOLLOWING:
        ending = re.escape(following)
        expression = re.compile(rf"^(?:{pattern})(?![\w$])(?={ending}$)", re.MULTILINE)
        found.update(m[0] for m in expression.finditer(f"{following}\n".join((*words, ""))))
    return found


def find_files(unit: Unit, directories: tuple[str, ...]) -> tuple[Span, ...]:
    """Return the parts of the text that come from files below the directories."""
    prefixes = tuple(
        directory.replace("\\", "\\\\").replace('"', '\\"') + "/" for directory in directories
    )
    marked = ((each, _MARKER.match(each.text)) for each in unit.directives)
    markers = [(each, found[1]) for each, found in marked if found is not None]
    ends = (*(each.start for each, _ in markers[1:]), len(unit.text))
    return tuple(
        (each.end, end)
        for (each, file), end in zip(markers, ends, strict=False)
        if file.startswith(prefixes)
    )


def describe_place(unit: Unit, word: Token) -> Place:
    """Describe where a word is mentioned."""
    around = find_scopes(unit).around(word.start)
    outer = next((index for index, s in enumerate(around) if s.kind == "block"), None)
    if outer is None:
        return _describe_outside(unit, word)
    found = _read_function(unit, around[outer].head)
    if found.kind != "function" or found.body is None or found.body[0] != around[outer].brace:
        return Place("elsewhere")
    inside = tuple(around[outer + 1 :])
    return Place("function", found, inside=inside, around=tuple(around[:outer]))


@lru_cache(maxsize=1024)
def _read_function(unit: Unit, start: int) -> Declaration:
    return read_declaration(unit, start)


def _describe_outside(unit: Unit, word: Token) -> Place:
    index = unit.find_index(word.start)
    start = unit.find_head(index)
    head = tuple(unit.list_between(start, index))
    if start and unit.get(start - 1) not in _STARTS:
        return Place("elsewhere", head=head)
    first = head[0].text if head else ""
    if first in ("using", "namespace"):
        return Place("using" if first == "using" else "namespace", head=head)
    found = read_declaration(unit, unit.starts[start])
    if found.kind == "function" and found.name == word.text and word in found.head:
        return Place("declaration", found, head)
    return Place("elsewhere", head=head)


def find_lambda(unit: Unit, scope: Scope) -> tuple[Token, ...] | None:
    """Return the captures of the lambda whose body the braces are; None if there is no lambda.

    The result has the brackets. Statements with a lambda in front of the braces count, too.
    """
    brace = unit.find_index(scope.brace)
    tokens = unit.list_between(unit.find_head(brace), brace)
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


def can_replace(code: Unit, word: Token, place: Place) -> bool:
    """Return whether a constant of the kernel can hide a built-in variable here.

    Local classes, and lambdas without a default capture, cannot use variables of the kernel. A
    declaration of a variable with this name cannot be in the same scope.
    """
    index = code.find_index(word.start)
    if code.get(index - 1) == "::" or code.get(index + 1) not in (".", ")"):
        return False
    for scope in place.inside:
        captures = find_lambda(code, scope)
        if scope.kind == "class":
            return False
        if captures is not None and not _has_default(captures):
            return False
    return True


def is_captured(code: Unit, word: Token) -> bool:
    """Return whether a lambda that refers to a word can be called somewhere else."""
    for scope in describe_place(code, word).inside:
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
        for word in list_words(unit, _FUNCTION_NAMES, inside=inside)
        if not any(
            scope.kind == "class" or find_lambda(unit, scope) is not None
            for scope in describe_place(unit, word).inside
        )
    ]


def _has_default(captures: tuple[Token, ...]) -> bool:
    words = [token.text for token in captures]
    return len(words) > 2 and words[1] in ("=", "&") and words[2] in ("]", ",")  # noqa: PLR2004 - brackets and a default
