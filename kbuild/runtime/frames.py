"""The arguments of launches in memory, laid out as parameters are.

Numbers and addresses go through one `struct` call; all other values, and whatever that refuses,
are checked one by one by `encode_arguments`, whose messages people read.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, Final

from kbuild.model import Param
from kbuild.runtime.conversion import AS_IT_IS, QUICK, Converter, ValueConverter, is_same
from kbuild.runtime.parameters import Builtin, Meaning, Pointer, read_meaning

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
    """How values become the frames of one kernel, and the frames that are free."""

    def __init__(self, params: tuple[Param, ...]) -> None:
        self._params = params
        self._free: list[Frame] = []
        self._packer = _make_packer(params)
        self._converter = ValueConverter(params, find_packed)

    def take(self) -> Frame:
        """A frame that nobody else writes to."""
        try:
            return self._free.pop()
        except IndexError:
            return Frame(self._params)

    def give_back(self, frame: Frame) -> None:
        """Let the next launch have it."""
        self._free.append(frame)

    def pack(self, frame: Frame, values: Sequence[Any]) -> bool:
        """Fill the frame, where that can be done quickly; whether it was."""
        if self._packer is None:
            return False
        converted = self._converter.convert(values)
        if converted is None:
            return False
        try:
            self._packer.pack_into(frame.memory, frame.start, *converted)
        except (struct.error, OverflowError, ValueError):
            return False
        return True


def find_packed(meaning: Meaning, kind: type) -> Converter | None:
    """What `struct` packs as it is; it refuses what is out of range."""
    if isinstance(meaning, Pointer):
        return AS_IT_IS if kind is int else None
    if isinstance(meaning, Builtin) and (kind in QUICK[meaning.kinds[0]] or is_same(meaning, kind)):
        return AS_IT_IS
    return None


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
