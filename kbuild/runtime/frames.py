"""The arguments of launches in memory, laid out as parameters are: the quick way and the checked.

Values whose types were seen before go through one `struct` call; all others, and whatever that
refuses, are checked one by one by `encode_arguments`, whose messages people read.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from kbuild.model import Param
from kbuild.runtime.parameters import Builtin, Pointer, read_meaning

# No parameter type asks for more; offsets keep the alignment of what lies there.
_ALIGNMENT: Final = 256
_QUICK: Final = {"i": (int,), "u": (int,), "f": (float, int), "b": (bool,)}

# Turns a value into what `struct` packs; None leaves it as it is.
Converter: TypeAlias = Callable[[Any], Any] | None


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

    ``array_interface`` is the attribute by which arrays on the device describe themselves.
    """

    def __init__(self, params: tuple[Param, ...], array_interface: str | None = None) -> None:
        self._params = params
        self._array_interface = array_interface
        self._meanings = tuple(read_meaning(param) for param in params)
        self._free: list[Frame] = []
        self._packer = _make_packer(params)
        self._converters: dict[tuple[type, ...], tuple[Converter, ...] | None] = {}

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
        kinds = tuple(map(type, values))
        try:
            converters = self._converters[kinds]
        except KeyError:
            converters = self._converters[kinds] = self._find_converters(kinds)
        if converters is None:
            return False
        try:
            self._packer.pack_into(
                frame.memory,
                frame.start,
                *(
                    value if convert is None else convert(value)
                    for convert, value in zip(converters, values, strict=True)
                ),
            )
        except (struct.error, OverflowError, ValueError, _NotQuickError):
            return False
        return True

    def _find_converters(self, kinds: tuple[type, ...]) -> tuple[Converter, ...] | None:
        if len(kinds) != len(self._params):
            return None
        found: list[Converter] = []
        interface = self._array_interface
        for meaning, kind in zip(self._meanings, kinds, strict=True):
            if isinstance(meaning, Pointer):
                if kind is int:
                    found.append(None)
                elif interface is not None and hasattr(kind, interface):
                    found.append(_make_address_reader(meaning, interface))
                else:
                    return None
            elif isinstance(meaning, Builtin) and _is_quick(meaning, kind):
                found.append(None)
            else:
                return None
        return tuple(found)


class _NotQuickError(Exception):
    """A value that has to be looked at."""


def _is_quick(meaning: Builtin, kind: type) -> bool:
    """Whether `struct` packs such values as they are; what is out of range it refuses."""
    if kind in _QUICK[meaning.kinds[0]]:
        return True
    # Who passes a numpy value has imported numpy.
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(kind, numpy.number):
        return False
    dtype = numpy.dtype(kind)
    return dtype.kind in meaning.kinds and dtype.itemsize == meaning.size


def _make_address_reader(pointer: Pointer, attribute: str) -> Callable[[Any], int]:
    """Reads the address of a contiguous array of the right type off its array interface."""
    pointee = pointer.pointee
    spelled = {f"{k}{pointee.size}" for k in pointee.kinds} if pointee else None

    def read(value: Any) -> int:
        try:
            interface = getattr(value, attribute)
        except Exception as error:  # whatever the library raises for an array that lies elsewhere
            raise _NotQuickError from error
        if (
            interface.get("strides") is not None
            or interface.get("stream") is not None
            or (spelled is not None and interface["typestr"][1:] not in spelled)
        ):
            raise _NotQuickError
        address: int = interface["data"][0]
        return address

    return read


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
