"""The demangler of the C++ runtime library (Itanium C++ ABI, section 3.4, ``__cxa_demangle``).

Every machine with a C++ compiler has this library. Without it, names stay mangled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final

# find_library() would start processes (ldconfig, gcc). The ABI defines these file names.
_LIBRARIES: Final = ("libstdc++.so.6", "libc++abi.so.1")
# Real names have up to 20,000 characters.
LONGEST_DISPLAY: Final = 1 << 16


def call_demangler(name: str) -> str | None:
    """Demangle ``name`` with the C++ runtime library.

    Returns:
        The demangled name, or None if the library is missing, the name is invalid, or the result
        is longer than 64 KiB.
    """
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
        return text.decode("utf-8", "replace") if len(text) <= LONGEST_DISPLAY else None
    finally:
        free(address)


@cache
def _demangler() -> tuple[Callable[..., int | None], Callable[[int], None]] | None:
    """Return the demangler and the function that frees its results; None if it is missing."""
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
