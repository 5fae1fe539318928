"""Recognize the heads of plain functions in source text that is not preprocessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from kbuild.cxx.source.declarations import is_name
from kbuild.cxx.source.names import skip_angles, skip_group
from kbuild.cxx.source.words import BUILTIN_TYPES

_SPECIFIERS: Final = frozenset(
    b"static inline extern virtual explicit friend __host__ __forceinline__ __noinline__"
    b" __inline__ CUDART_CB".split()
)
_ELABORATED: Final = frozenset((b"struct", b"class", b"union", b"enum", b"typename"))
_CV: Final = frozenset((b"const", b"volatile", b"__restrict__", b"__restrict"))
_ENDINGS: Final = frozenset((b"noexcept", b"override", b"final", b"throw"))
_OTHER: Final = frozenset(
    b"template auto constexpr consteval constinit decltype concept requires operator if else for"
    b" while do switch return catch try using typedef case namespace asm __asm__".split()
)
# One letter per token: S a specifier, B a built-in type, C const, E struct, N a name with template
# arguments, Q ::, P parentheses, F what follows parameters.
_PLAIN: Final = re.compile(
    r"""
    [SCA]* (?: (?:[BC]*B|E?Q?N(?:QN)*) [CS]* (?:[*&]C*)* (?P<type>) )?
    (?P<name>(?:NQ)*~?N) P
    (?: [CF&]P? )* (?: :.* )?
    """,
    re.VERBOSE,
)


def is_plain_function(head: Sequence[bytes], class_name: bytes | None) -> bool:
    """Return whether a head can only be that of a non-template function with a declared type.

    Args:
        head: The tokens before the body.
        class_name: The class around the function; None outside of classes.
    """
    shape, names = _read_shape(head)
    match = _PLAIN.fullmatch(shape)
    if match is None:
        return False
    start, stop = match.span("name")
    name = [names[index] for index in range(start, stop) if shape[index] == "N"]
    has_type = match.group("type") is not None
    # With a macro in front, a constructor or destructor looks like a function with a result.
    is_constructor = len(name) > 1 and name[-1] == name[-2]
    is_constructor = is_constructor or "~" in match["name"]
    is_constructor = is_constructor or (len(name) == 1 and name[0] == class_name)
    return has_type is not is_constructor


def is_specifier(word: bytes) -> bool:
    """Return whether a word can be part of any declaration without changing what it declares."""
    return word in _SPECIFIERS or word in BUILTIN_TYPES or word in _CV or word == b"*"


def _read_shape(head: Sequence[bytes]) -> tuple[str, dict[int, bytes]]:
    """Return one letter per token or group, and the names by their places in these letters."""
    shape, names, index = "", {}, 0
    while index < len(head):
        word = head[index]
        following = head[index + 1 : index + 2]
        letter, end = _classify(word), index + 1
        if letter == "N":
            names[len(shape)] = word
            end = skip_angles(head, end) if following == [b"<"] else end
        elif letter == "P" or (word == b"[" and following == [b"["]):
            letter, end = "P" if letter == "P" else "A", skip_group(head, index)
        shape += letter
        index = end
    return shape, names


_LETTERS: Final = {
    **dict.fromkeys(_SPECIFIERS, "S"),
    **dict.fromkeys(BUILTIN_TYPES, "B"),
    **dict.fromkeys(_CV, "C"),
    **dict.fromkeys(_ELABORATED, "E"),
    **dict.fromkeys(_ENDINGS, "F"),
    **dict.fromkeys(_OTHER, "!"),
    b"::": "Q",
    b"(": "P",
}


def _classify(word: bytes) -> str:
    if word in _LETTERS:
        return _LETTERS[word]
    if word[:1] == b'"':  # extern "C"
        return "S"
    return "N" if is_name(word) else word.decode(errors="replace")[:1]
