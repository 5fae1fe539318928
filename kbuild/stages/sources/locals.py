"""Read the local variables that statements declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.cxx.declarators import BUILT_IN_TYPES, find_type_end
from kbuild.cxx.lexer import Token
from kbuild.cxx.unit import match_words
from kbuild.values import dataclass

_SPECIFIERS: Final = frozenset(
    (
        *("const", "constexpr", "volatile", "static", "extern", "register", "thread_local"),
        *("inline", "typename", "struct", "class", "enum", "union"),
    )
)
_POINTERS: Final = frozenset(("*", "&", "const", "volatile", "__restrict__", "__restrict"))
_STATEMENTS: Final = frozenset(
    (
        *("return", "throw", "new", "delete", "case", "goto", "break", "continue", "default"),
        *("else", "do", "co_return", "co_await", "co_yield", "sizeof", "alignof", "operator"),
        *("this", "true", "false", "nullptr", "using", "template", "public", "private"),
    )
)
_AFTER_NAME: Final = frozenset(("=", ",", "(", "[", "{", ":"))
_AFTER_LOCAL: Final = frozenset((",", ")", "=", "[", ";", "{", ">", ":"))
_BEFORE_LOCAL: Final = frozenset(("*", "&", ">", "]"))
_BRACKETS: Final = frozenset("([{")
_CONSTANT: Final = frozenset(("const", "constexpr", "static", "auto"))


@dataclass(frozen=True, slots=True)
class Local:
    """A declaration in a function.

    Attributes:
        names: The variables; there can be other names among them.
        is_builtin: Whether the type is built in, so that its objects have no members.
        essence: The tokens that decide the types of the variables, and their values if these can
            be constant expressions.
    """

    names: frozenset[str]
    is_builtin: bool
    essence: tuple[str, ...]


def list_local(words: Sequence[str]) -> Iterator[str]:
    """Yield the names of parameters and local variables in a declaration."""
    for index in range(1, len(words)):
        before, word = words[index - 1], words[index]
        is_end = index + 1 == len(words) or words[index + 1] in _AFTER_LOCAL
        if is_end and word.isidentifier() and (before in _BEFORE_LOCAL or before.isidentifier()):
            yield word


def read_local(words: Sequence[str]) -> Local | None:
    """Read a statement; return None if it is not a declaration of variables."""
    start = 0
    while start < len(words) and words[start] in _SPECIFIERS:
        start += 1
    stop = find_type_end([Token(word, 0) for word in words], start)
    index = stop
    while index < len(words) and words[index] in _POINTERS:
        index += 1
    if stop == start or index >= len(words) or words[start] in _STATEMENTS:
        return None
    is_builtin = words[start] in BUILT_IN_TYPES
    if words[index] in ("(", "["):
        return _read_brackets(words, start, index, is_builtin=is_builtin)
    is_end = index + 1 == len(words) or words[index + 1] in _AFTER_NAME
    if not is_end or not words[index].isidentifier() or words[index] in _STATEMENTS:
        return None
    return _read_declarators(words, stop, is_builtin=is_builtin)


def _read_brackets(
    words: Sequence[str], start: int, index: int, *, is_builtin: bool
) -> Local | None:
    """Read ``type (*name)(...)`` or ``auto [first, second]``."""
    end = match_words(words).get(index, len(words) - 1) + 1
    if words[index] == "[":
        is_declaration = "auto" in words[start:index]
    else:  # nobody declares variables as `Type(name);`, so it can be a call
        is_declaration = is_builtin or words[end : end + 1] in (["("], ["["])
    if not is_declaration:
        return None
    names = frozenset(word for word in words[index:end] if word.isidentifier())
    return Local(names, is_builtin, tuple(words))


def _read_declarators(words: Sequence[str], stop: int, *, is_builtin: bool) -> Local:
    partners = match_words(words)
    names: set[str] = set()
    essence = list(words[:stop])
    index, is_value = stop, False
    while index < len(words):
        word = words[index]
        end = partners.get(index, index) + 1 if word in _BRACKETS else index + 1
        if word == ",":
            is_value = False
        elif word in ("=", "{", ":"):
            is_value = True
        elif not is_value and word.isidentifier() and word not in _STATEMENTS:
            names.add(word)
        elif word == "(":
            is_value = not any(w in BUILT_IN_TYPES for w in words[index:end])  # else, a function
        if not is_value:
            essence += words[index:end]
        index = end
    is_pointer = words[stop] == "*" and "," not in words
    is_constant = not _CONSTANT.isdisjoint(words[:stop]) and not is_pointer
    # The initializer of an array can give its bound.
    is_typed = is_builtin and not is_constant and "const" not in essence[stop:] and ":" not in words
    is_whole = not is_typed or "[" in essence[stop:]
    return Local(frozenset(names), is_builtin, tuple(words if is_whole else essence))
