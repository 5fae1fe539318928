"""Values as ``cuda-core`` launches take them."""

from __future__ import annotations

from typing import Any, Final

from kbuild.backends.cuda_driver import np
from kbuild.runtime.conversion import (
    AS_IT_IS,
    QUICK,
    Converter,
    NotQuickError,
    is_same,
    read_address,
)
from kbuild.runtime.parameters import Builtin, Meaning, Pointer

ARRAY_INTERFACE: Final = "__cuda_array_interface__"

_LARGEST_NUMBER: Final = 8


def find_converter(meaning: Meaning, kind: type, stream: int) -> Converter | None:
    """How cuda-core's launch takes such values; None for those that have to be looked at.

    It takes Python's int for 64 bits, its float for double, bool, and numpy's scalars.  ``stream``
    is the launch's.
    """
    if isinstance(meaning, Pointer):
        if hasattr(kind, ARRAY_INTERFACE):
            return read_address(meaning, ARRAY_INTERFACE, stream)
        return AS_IT_IS if kind is int else None
    if not isinstance(meaning, Builtin):
        return None
    is_python = kind in QUICK[meaning.kinds[0]]
    is_double = kind is float and meaning.size == _LARGEST_NUMBER
    if is_same(meaning, kind) or (is_python and (kind is bool or is_double)):
        return AS_IT_IS
    return _make_number(meaning) if is_python else None


def _make_number(builtin: Builtin) -> Converter:
    """Makes the numpy scalar of a Python number that it can hold."""
    dtype = np.dtype(f"{builtin.kinds[-1]}{builtin.size}")
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    python = float if dtype.kind == "f" else int
    make, least, most = dtype.type, python(limits.min), python(limits.max)

    def convert(value: Any) -> Any:
        if least <= value <= most:
            return make(value)
        raise NotQuickError

    return convert
