"""Facts about Python values, read without importing NumPy."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

# The common base of all ctypes types; it has no public name.
_CTYPES_VALUE: Final = ctypes.Structure.__mro__[1]
# The last letters of the buffer formats that ctypes uses for pointers and for numbers.
_CTYPES_POINTERS: Final = "PzZ"
_CTYPES_KINDS: Final = {
    "?": "b",
    **dict.fromkeys("bhilqc", "i"),
    **dict.fromkeys("BHILQ", "u"),
    **dict.fromkeys("efdg", "f"),
}


def is_numpy(kind: type, name: str) -> bool:
    """Return whether ``kind`` is a subclass of the NumPy class ``name``."""
    # A caller with a NumPy value has imported NumPy, so there is no need to import it here.
    numpy = sys.modules.get("numpy")
    return numpy is not None and issubclass(kind, getattr(numpy, name))


def view_ctypes(value: object) -> memoryview | None:
    """Return the bytes of a ctypes value, or None for any other value."""
    if not isinstance(value, _CTYPES_VALUE):
        return None
    buffer: Any = value
    return memoryview(buffer)


def read_ctypes_kind(view: memoryview) -> str:
    """Return ``P`` for pointers, a NumPy kind letter for numbers, or else the buffer format."""
    form = view.format
    last = form[-1:]
    if form.startswith("&") or last in _CTYPES_POINTERS:
        return "P"
    return _CTYPES_KINDS.get(last, form)


def describe_value(value: Any) -> str:
    """Describe a value in a message: its type, and its size if that can be the mistake."""
    kind = type(value)
    if is_numpy(kind, "ndarray"):
        return f"an array of {value.dtype}"
    is_scalar = is_numpy(kind, "generic")
    if isinstance(value, (bool, int, float)) and not is_scalar:
        return f"{kind.__name__} {value!r}"
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    content = memoryview(value) if isinstance(value, bytes) else view_ctypes(value)
    if content is not None or is_scalar:
        return f"{name} of {(value if content is None else content).nbytes} bytes"
    return "None" if value is None else name
