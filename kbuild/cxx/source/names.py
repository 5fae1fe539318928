"""Find the names that a declaration declares and mentions.

The functions take the tokens of one declaration. C++ cannot be parsed without knowing which names
are types, so `list_declared` can return names that the declaration only mentions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.cxx.source.declarations import CLASS_KEYS, is_name

_AFTER_NAME: Final = frozenset((b"(", b"=", b";", b",", b"[", b"{", b":", b")", b"]"))
_AFTER_LOCAL: Final = frozenset((b",", b")", b"=", b"[", b";", b"{", b">", b":"))
_BEFORE_LOCAL: Final = frozenset((b"*", b"&", b">", b"]"))
_PAIRS: Final = {b"(": b")", b"[": b"]", b"{": b"}"}


def skip_group(words: Sequence[bytes], index: int) -> int:
    """Return the index after the bracket that matches the one at ``index``."""
    opening, depth = words[index], 0
    closing = _PAIRS[opening]
    for position in range(index, len(words)):
        if words[position] == opening:
            depth += 1
        elif words[position] == closing:
            depth -= 1
            if not depth:
                return position + 1
    return len(words)


def skip_angles(words: Sequence[bytes], index: int) -> int:
    """Return the index after template arguments that start at ``index``.

    Returns ``index + 1`` if the ``<`` there is an operator.
    """
    depth, position = 0, index
    while position < len(words):
        word = words[position]
        if word in _PAIRS:
            position = skip_group(words, position)
            continue
        if word in (b";", b"}", b")", b"]"):
            break
        depth += (word == b"<") - (word == b">")
        position += 1
        if not depth:
            return position
    return index + 1


def skip_template_headers(words: Sequence[bytes]) -> int:
    """Return the index after all ``template <...>`` at the start of a declaration."""
    index = 0
    while list(words[index : index + 2]) == [b"template", b"<"]:
        index = skip_angles(words, index + 1)
    return index


def list_declared(words: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the names outside of brackets that can be those that a declaration declares."""
    index = 0
    while index + 1 < len(words):
        word, following = words[index], words[index + 1]
        if word in _PAIRS:
            index = skip_group(words, index)
        elif word == b"<" and index and is_name(words[index - 1]):
            index = skip_angles(words, index)
        else:
            if is_name(word) and following in _AFTER_NAME and word != b"operator":
                yield word
            index += 1


def find_function_name(words: Sequence[bytes]) -> bytes:
    """Return the unqualified name of the function that a head defines; empty for an operator."""
    index = 0
    while index + 1 < len(words):
        word = words[index]
        if word == b"operator":
            return b""
        if is_name(word) and words[index + 1] == b"(" and not _takes_arguments(word):
            return word
        if word in _PAIRS:
            index = skip_group(words, index)
        elif word == b"<" and index and is_name(words[index - 1]):
            index = skip_angles(words, index)
            if words[index : index + 1] == [b"("] and is_name(words[index - 1]):
                return words[index - 1]
        else:
            index += 1
    return b""


def _takes_arguments(word: bytes) -> bool:
    return word in (b"alignas", b"decltype", b"explicit", b"noexcept") or word.startswith(b"__")


def list_local(words: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the names of parameters, template parameters, and local variables."""
    for index in range(1, len(words)):
        before, word = words[index - 1], words[index]
        is_end = index + 1 == len(words) or words[index + 1] in _AFTER_LOCAL
        if is_end and is_name(word) and (before in _BEFORE_LOCAL or is_name(before)):
            yield word


def list_names(words: Sequence[bytes]) -> Iterator[bytes]:
    """Yield all names, except members of objects."""
    before = b""
    for word in words:
        if is_name(word) and before not in (b".", b"->"):
            yield word
        before = word


def defines_class(words: Sequence[bytes]) -> bool:
    """Return whether a declaration without template headers declares a class."""
    for word in words:
        if word in CLASS_KEYS:
            return True
        if not is_name(word) and word not in (b"[", b"]"):
            return False
    return False
