"""Shared objects in this process: opening, finding addresses, closing."""

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
    # The public beginning of struct link_map, see link.h.
    _fields_ = (("l_addr", ctypes.c_size_t), ("l_name", ctypes.c_char_p))


class Library:
    """An open shared object; it closes when asked to, or when nothing refers to it."""

    def __init__(self, path: Path) -> None:
        """Open ``path``; InputError says what the dynamic loader said."""
        self._path = path
        try:
            # A name without a slash would be searched for.
            opened = ctypes.CDLL(str(path.absolute()), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            raise InputError(f"{path} cannot be loaded: {error}") from error
        handle = opened._handle  # noqa: SLF001 - documented, and the only way to dlclose
        self._close = weakref.finalize(self, _close_handle, handle)
        # When the process ends, its own clean-up order is the right one.
        self._close.atexit = False
        self._base = _find_base(handle)

    def address(self, relative: int) -> int:
        """The address in this process of what the file places at ``relative``."""
        self.require_open()
        return self._base + relative

    def require_open(self) -> None:
        """Raise ConfigurationError if the library was closed."""
        if not self._close.alive:
            raise ConfigurationError(f"{self._path} was closed; load it again")

    def require_loaded(self, expected: LoadedBytes) -> None:
        """Raise ConfigurationError unless the process really holds these bytes.

        The dynamic loader goes by name: when a file is replaced while it is open, opening
        it again gives the old one, whose addresses are others.
        """
        found = _read_memory(self.address(expected.address), len(expected.content))
        if found is not None and found != expected.content:
            raise ConfigurationError(
                f"{self._path} has changed since this process loaded it; close the module "
                "that was loaded first (Module.close), or start a new process"
            )

    def close(self) -> None:
        """Close the library; what was found in it must not be used any more."""
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
        raise InputError("the dynamic loader does not tell where it loaded the file")
    return int(link_map.contents.l_addr)


def _read_memory(address: int, size: int) -> bytes | None:
    """Our own memory, without a crash where none is mapped; None where /proc is not there."""
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
