"""The arguments of launches in memory, laid out as parameters are.

Numbers and addresses go through one `struct` call; all other values, and whatever that refuses,
are checked one by one by `encode_arguments`, whose messages people read.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, Final

from kbuild.backends.interface.devices import ArrayInterface
from kbuild.model import Param
from kbuild.runtime.arguments.conversion import (
    Converter,
    NotQuickError,
    find_converter,
    keep,
)
from kbuild.runtime.arguments.meanings import Pointer, read_meaning

# No parameter type asks for more; offsets keep the alignment of what lies there.
_ALIGNMENT: Final = 256


class Frame:
    """Memory for the arguments of one launch; ``pointers`` are their addresses."""

    def __init__(self, params: tuple[Param, ...]) -> None:
        self.size = max((param.offset + param.size for param in params), default=0)
        self.memory = ctypes.create_string_buffer(self.size + _ALIGNMENT)
        self.start = -ctypes.addressof(self.memory) % _ALIGNMENT
        base = ctypes.addressof(self.memory) + self.start
        self._addresses = tuple(base + param.offset for param in params)
        self.pointers = (ctypes.c_void_p * max(len(params), 1))(*self._addresses)
        self.address = ctypes.addressof(self.pointers)

    def write(self, index: int, content: bytes) -> None:
        """Make ``content`` the argument number ``index``."""
        ctypes.memmove(self._addresses[index], content, len(content))


class FrameLayout:
    """How values become the frames of one kernel, and the frames that are free.

    ``interface`` is how arrays on the device tell their address, None where there are none.
    """

    def __init__(self, params: tuple[Param, ...], interface: ArrayInterface | None = None) -> None:
        self._params = params
        self._meanings = tuple(read_meaning(param) for param in params)
        self._interface = interface
        self._packer = _make_packer(params)
        self._free: list[Frame] = []
        # By the values' types.  None: to be looked at; empty: packed as they are.
        self._converters: dict[tuple[type, ...], tuple[Converter, ...] | None] = {}

    def fill(self, values: Sequence[Any]) -> Frame | None:
        """A frame with the values that nobody else writes to; None where one has to be looked at.

        `give_back` has the next launch use it again.
        """
        kinds = tuple(map(type, values))
        try:
            converters = self._converters[kinds]
        except KeyError:
            converters = self._converters[kinds] = self._find_converters(kinds)
        if converters is None or self._packer is None:
            return None
        try:
            if converters:
                values = [convert(value) for convert, value in zip(converters, values, strict=True)]
            try:
                frame = self._free.pop()
            except IndexError:
                frame = Frame(self._params)
            self._packer.pack_into(frame.memory, frame.start, *values)
        except (struct.error, OverflowError, ValueError, NotQuickError):
            return None
        return frame

    def give_back(self, frame: Frame) -> None:
        """Let another launch have it."""
        self._free.append(frame)

    def _find_converters(self, kinds: tuple[type, ...]) -> tuple[Converter, ...] | None:
        if len(kinds) != len(self._params):
            return None
        found: list[Converter] = []
        for meaning, kind in zip(self._meanings, kinds, strict=True):
            converter = find_converter(meaning, kind, self._interface)
            if converter is None:
                return None
            found.append(converter)
        return tuple(found) if any(converter is not keep for converter in found) else ()


def _make_packer(params: tuple[Param, ...]) -> struct.Struct | None:
    """All parameters as one `struct` format; None where one is not a number or a pointer."""
    form = "<"
    end = 0
    for param in params:
        meaning = read_meaning(param)
        code = "Q" if isinstance(meaning, Pointer) else getattr(meaning, "code", None)
        if code is None or param.offset < end:
            return None
        form += f"{param.offset - end}x{code.removeprefix('<')}"
        end = param.offset + param.size
    return struct.Struct(form)
