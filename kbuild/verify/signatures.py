"""Compare parameter layouts with each other and with the name of the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from kbuild.demangle.names import list_groups, split_function
from kbuild.facts.parameter_layout import find_difference
from kbuild.model import Param
from kbuild.verify.wording import plural

# Types with the same size on every device and host that kbuild supports (LP64), as demanglers
# write them.
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
# Windows has other sizes of these types (LLP64).
_OTHERWISE_ON_WINDOWS: Final = {"long": 4, "unsigned long": 4, "wchar_t": 2}
_POINTER_BYTES: Final = 8
# `float*`, `int&`; not `int S::*`, whose size varies.
_POINTER: Final = re.compile(r"(?<!::)[*&]$")
# `void (*)(int)`, `int (&) [3]`, `void (*(*)(int))(float)`.
_POINTER_GROUP: Final = re.compile(r"[*&]")


def describe_difference(
    left: tuple[Param, ...], right: tuple[Param, ...]
) -> tuple[str, str] | None:
    """Return the first difference of two layouts, described for each, or None."""
    if len(left) != len(right):
        return _count(left), _count(right)
    index = find_difference(left, right)
    return None if index is None else (_layout(left[index]), _layout(right[index]))


def contradict_name(
    display: str, params: tuple[Param, ...], *, is_windows: bool = False
) -> str | None:
    """Return how a layout contradicts the types in a demangled name, or None if it does not.

    A C name contains no types, and the size of a class is unknown.
    """
    _, types = split_function(display)
    if types is None or "..." in types:
        return None
    if len(types) != len(params):
        return f"the name has {plural(len(types), 'parameter')}, but the layout has {len(params)}"
    return contradict_types(params, types, is_windows=is_windows)


def contradict_types(
    params: tuple[Param, ...], types: Iterable[str], *, is_windows: bool = False
) -> str | None:
    """Return how a layout contradicts the types of the parameters, or None if it does not."""
    for param, kind in zip(params, types, strict=True):
        size = _OTHERWISE_ON_WINDOWS.get(kind) if is_windows else None
        size = size or size_of(kind)
        if size is not None and size != param.size:
            return (
                f"according to the name, parameter {param.index} is '{kind}' of {size} bytes, "
                f"but the layout has {param.size}"
            )
    return None


# The kernels of a library have the same few types.
@lru_cache(maxsize=1 << 12)
def size_of(kind: str) -> int | None:
    """Return the size of a type as demanglers write it, or None if it is not fixed."""
    if _POINTER.search(kind) or any(map(_POINTER_GROUP.match, list_groups(kind))):
        return _POINTER_BYTES
    return _SIZES.get(kind)


def _count(params: tuple[Param, ...]) -> str:
    return plural(len(params), "parameter")


def _layout(param: Param) -> str:
    return f"parameter {param.index} with {param.size} bytes at offset {param.offset}"
