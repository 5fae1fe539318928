"""Shared objects in this process: open them, find addresses in them, and close them."""

from __future__ import annotations

import ctypes
import os
import weakref
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError, InputError
from kbuild.runtime.loading.shared_object import LoadedBytes

_RTLD_DI_LINKMAP: Final = 2  # dlfcn.h


class _LinkMap(ctypes.Structure):
    # The public beginning of struct link_map; see link.h.
    _fields_ = (("l_addr", ctypes.c_size_t), ("l_name", ctypes.c_char_p))


class Library:
    """An open shared object; it closes on request, or when nothing refers to it.

    Raises:
        InputError: The dynamic loader cannot load the file; the message has its reason.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # The loader would search for a name without a slash.
            opened = ctypes.CDLL(str(path.absolute()), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise InputError(f"{path}: cannot be loaded: {error}") from error
        handle = opened._handle  # noqa: SLF001 - documented, and the only way to dlclose
        self._close = weakref.finalize(self, _close_handle, handle)
        # At the end of the process, the dynamic loader cleans up in the right order.
        self._close.atexit = False
        self._base = _find_base(handle)

    def address(self, relative: int) -> int:
        """Return the address in this process of a location relative to the load base."""
        self.require_open()
        return self._base + relative

    def require_open(self) -> None:
        """Raise ConfigurationError if the library was closed."""
        if not self._close.alive:
            raise ConfigurationError(f"{self._path} was closed; load it again")

    def require_loaded(self, expected: LoadedBytes) -> None:
        """Raise ConfigurationError unless the process has loaded the bytes of the file.

        The dynamic loader identifies files by name.  If a file is replaced while it is open,
        opening it again returns the old one, which has other addresses.
        """
        found = _read_memory(self.address(expected.address), len(expected.content))
        if found is not None and found != expected.content:
            raise ConfigurationError(
                f"{self._path} has changed since this process loaded it; close the "
                "library that was loaded first (LoadedLibrary.close), or start a new process"
            )

    def close(self) -> None:
        """Close the library; addresses in it are invalid after this."""
        self._close()


def _close_handle(handle: int) -> None:
    dlclose = ctypes.CDLL(None).dlclose
    dlclose.argtypes = (ctypes.c_void_p,)
    dlclose(handle)


def _find_base(handle: int) -> int:
    dlinfo = ctypes.CDLL(None).dlinfo
    dlinfo.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    link_map = ctypes.POINTER(_LinkMap)()
    if dlinfo(handle, _RTLD_DI_LINKMAP, ctypes.byref(link_map)) != 0:
        raise InputError("the dynamic loader does not report where it loaded the file")
    return int(link_map.contents.l_addr)


def _read_memory(address: int, size: int) -> bytes | None:
    """Read memory of this process; return None without /proc.

    Unlike an access through ctypes, this does not crash if no memory is mapped at ``address``:
    it returns fewer bytes.
    """
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.pread(memory, size, address)
    except (OSError, OverflowError):
        return b""
    finally:
        os.close(memory)
