"""The demangler of the C++ runtime library (Itanium C++ ABI, section 3.4, ``__cxa_demangle``).

It is on every machine that runs a C++ compiler, and where it is not, names stay mangled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

# find_library() would start processes (ldconfig, gcc); these are the names the ABI fixes.
_LIBRARIES: Final = ("libstdc++.so.6", "libc++abi.so.1")
_LONGEST_DISPLAY: Final = 1 << 18


def call_demangler(name: str) -> str | None:
    """What the C++ runtime library makes of ``name``; None where that is nothing sensible."""
    functions = _demangler()
    if functions is None:
        return None
    call, free = functions
    status = ctypes.c_int(0)
    address = call(name.encode("utf-8", "replace"), None, None, ctypes.byref(status))
    if not address:
        return None
    try:
        if status.value != 0:
            return None
        text = ctypes.string_at(address)
        return text.decode("utf-8", "replace") if len(text) <= _LONGEST_DISPLAY else None
    finally:
        free(address)


@cache
def _demangler() -> tuple[Callable[..., int | None], Callable[[int], None]] | None:
    """The demangler, and what gives back the memory of its results."""
    for library in _LIBRARIES:
        try:
            function = ctypes.CDLL(library)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = [
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_size_t),
            ctypes.POINTER(ctypes.c_int),
        ]
        free = ctypes.CDLL(None).free
        free.restype = None
        free.argtypes = [ctypes.c_void_p]
        return function, free
    return None
