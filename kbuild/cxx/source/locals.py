"""Read the local variables that statements declare."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.source.declarations import is_name
from kbuild.cxx.source.names import skip_angles, skip_group
from kbuild.cxx.source.words import BUILTIN_TYPES, KEYWORDS, SIMPLE_TYPE
from kbuild.values import dataclass

_SPECIFIERS: Final = frozenset(
    b"const constexpr volatile static extern register thread_local inline typename struct class"
    b" enum union".split()
)
_POINTERS: Final = frozenset((b"*", b"&", b"const", b"volatile", b"__restrict__", b"__restrict"))
_AFTER_NAME: Final = (b"=", b",", b"(", b"[", b"{", b":")
_BRACKETS: Final = (b"(", b"[", b"{")
_CONSTANT: Final = frozenset((b"const", b"constexpr", b"static", b"auto"))


@dataclass(frozen=True, slots=True)
class Local:
    """A declaration in a function.

    Attributes:
        names: The variables; there can be other names among them.
        is_builtin: Whether the type is built in, so that its objects have no members.
        essence: The tokens that decide the types of the variables, and their values if these can
            be constant expressions.
    """

    names: frozenset[bytes]
    is_builtin: bool
    essence: tuple[bytes, ...]


def read_local(words: list[bytes]) -> Local | None:
    """Read a statement; return None if it is not a declaration of variables."""
    start = 0
    while start < len(words) and words[start] in _SPECIFIERS:
        start += 1
    stop = _skip_type(words, start)
    index = stop
    while index < len(words) and words[index] in _POINTERS:
        index += 1
    if stop == start or index >= len(words):
        return None
    is_builtin = words[start] in BUILTIN_TYPES
    if words[index] in (b"(", b"["):
        return _read_brackets(words, start, index, is_builtin=is_builtin)
    is_end = index + 1 == len(words) or words[index + 1] in _AFTER_NAME
    if not is_end or not is_name(words[index]) or words[index] in KEYWORDS:
        return None
    return _read_declarators(words, start, stop, is_builtin=is_builtin)


def _read_brackets(words: list[bytes], start: int, index: int, *, is_builtin: bool) -> Local | None:
    """Read ``type (*name)(...)`` or ``auto [first, second]``."""
    end = skip_group(words, index)
    if words[index] == b"[":
        is_declaration = b"auto" in words[start:index]
    else:  # nobody declares variables as `Type(name);`, so it can be a call
        is_declaration = is_builtin or words[end : end + 1] in ([b"("], [b"["])
    if not is_declaration:
        return None
    return Local(frozenset(filter(is_name, words[index:end])), is_builtin, tuple(words))


def _skip_type(words: list[bytes], start: int) -> int:
    """Return the index after a type; ``start`` if there is none."""
    index = start
    while index < len(words) and (words[index] in BUILTIN_TYPES or words[index] in _SPECIFIERS):
        index += 1
    if index > start:
        return index
    if words[start : start + 1] == [b"auto"]:
        return start + 1
    if words[start : start + 2] == [b"decltype", b"("]:
        return skip_group(words, start + 1)
    return _skip_name(words, start)


def _skip_name(words: list[bytes], start: int) -> int:
    """Return the index after a qualified name with template arguments, or else ``start``."""
    index = start
    while index < len(words):
        index += words[index] == b"::"
        if index >= len(words) or not is_name(words[index]) or words[index] in KEYWORDS:
            return start
        index += 1
        if index < len(words) and words[index] == b"<":
            end = skip_angles(words, index)
            if end == index + 1:  # an operator
                return start
            index = end
        if index >= len(words) or words[index] != b"::":
            return index
    return start


def _read_declarators(words: list[bytes], start: int, stop: int, *, is_builtin: bool) -> Local:
    names: set[bytes] = set()
    essence = list(words[:stop])
    is_simple = is_builtin or (
        stop == start + 1 and SIMPLE_TYPE.fullmatch(words[start]) is not None
    )
    index, is_value = stop, False
    while index < len(words):
        word = words[index]
        end = skip_group(words, index) if word in _BRACKETS else index + 1
        if word == b",":
            is_value = False
        elif word in (b"=", b"{", b":"):
            is_value = True
        elif not is_value and is_name(word) and word not in KEYWORDS:
            names.add(word)
        elif word == b"(":
            is_value = not any(w in BUILTIN_TYPES for w in words[index:end])  # else, a function
        if not is_value:
            essence += words[index:end]
        index = end
    is_pointer = words[stop] == b"*" and b"," not in words
    is_constant = not _CONSTANT.isdisjoint(words[:stop]) and not is_pointer
    if not is_simple or is_constant or b"const" in essence[stop:] or b":" in words:
        essence = list(words)
    return Local(frozenset(names), is_builtin, tuple(essence))
