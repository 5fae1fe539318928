"""What a kernel's name says about its parameters, and how two layouts differ."""

from __future__ import annotations

import re
from typing import Final

from kbuild.demangle.names import split_function
from kbuild.facts.parameters import find_difference
from kbuild.model import Param

# Types whose size is the same on every device and host that kbuild knows (LP64), as
# demanglers spell them.
_SIZES: Final = {
    "bool": 1,
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "char8_t": 1,
    "short": 2,
    "unsigned short": 2,
    "char16_t": 2,
    "_Float16": 2,
    "int": 4,
    "unsigned int": 4,
    "wchar_t": 4,
    "char32_t": 4,
    "float": 4,
    "long": 8,
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "double": 8,
    "__int128": 16,
    "unsigned __int128": 16,
}
_POINTER_BYTES: Final = 8
# `float*`, `int&`, `void (*)(int)`, `int (&) [3]`; not `int S::*`, which varies.
_POINTER: Final = re.compile(r"(?<!::)[*&]$|\([*&]\)")


def describe_difference(
    left: tuple[Param, ...], right: tuple[Param, ...]
) -> tuple[str, str] | None:
    """How two layouts differ first, each in its own words; None when they agree."""
    if len(left) != len(right):
        return _count(left), _count(right)
    index = find_difference(left, right)
    return None if index is None else (_layout(left[index]), _layout(right[index]))


def contradict_name(display: str, params: tuple[Param, ...]) -> str | None:
    """How ``params`` contradict the types in a demangled name; None when they do not.

    A C name says nothing, and of a class only that it is there.
    """
    _, types = split_function(display)
    if types is None or "..." in types:
        return None
    if len(types) != len(params):
        return f"the name has {len(types)} parameters, the layout {len(params)}"
    for param, kind in zip(params, types, strict=True):
        size = size_of(kind)
        if size is not None and size != param.size:
            return (
                f"the name says that parameter {param.index} is '{kind}' of {size} bytes, "
                f"the layout has {param.size}"
            )
    return None


def size_of(kind: str) -> int | None:
    """The size of a type as demanglers spell it; None where it is not fixed."""
    return _POINTER_BYTES if _POINTER.search(kind) else _SIZES.get(kind)


def _count(params: tuple[Param, ...]) -> str:
    return f"{len(params)} parameter{'' if len(params) == 1 else 's'}"


def _layout(param: Param) -> str:
    return f"parameter {param.index} with {param.size} bytes at offset {param.offset}"
