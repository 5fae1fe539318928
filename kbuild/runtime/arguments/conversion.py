"""Which values `struct` packs as a kernel's arguments, told by their types alone.

What is doubtful is left to `kbuild.runtime.arguments.encode`, which checks and explains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from kbuild.backends.interface.devices import ArrayInterface
from kbuild.runtime.arguments.meanings import Builtin, Meaning, Pointer

# What of Python's numbers may stand for a type, by the first letter of its kinds.
_PYTHON: Final = {"i": (int,), "u": (int,), "f": (float, int), "b": (bool,)}

Converter: TypeAlias = Callable[[Any], Any]


class NotQuickError(Exception):
    """A value that has to be looked at."""


def keep(value: Any) -> Any:
    """The converter of values that need none."""
    return value


def find_converter(
    meaning: Meaning, kind: type, interface: ArrayInterface | None
) -> Converter | None:
    """What makes values of type ``kind`` packable; None for those that have to be looked at."""
    if isinstance(meaning, Builtin):
        is_number = kind in _PYTHON[meaning.kinds[0]] or _is_same(meaning, kind)
        return keep if is_number else None
    if not isinstance(meaning, Pointer):
        return None
    if interface is not None and hasattr(kind, interface.attribute):
        return _read_address(meaning, interface)
    return keep if kind is int else None


def _is_same(meaning: Builtin, kind: type) -> bool:
    """Whether ``kind`` is the numpy scalar of this type."""
    # Who passes a numpy value has imported numpy.
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(kind, numpy.generic):
        return False
    dtype = numpy.dtype(kind)
    return dtype.kind in meaning.kinds and bool(dtype.itemsize == meaning.size)


def _read_address(pointer: Pointer, interface: ArrayInterface) -> Converter:
    """Reads the address of a contiguous array of the right type."""
    attribute = interface.attribute
    streams = (None, interface.stream)
    pointee = pointer.pointee
    spelled = {f"{kind}{pointee.size}" for kind in pointee.kinds} if pointee else None

    def read(value: Any) -> int:
        try:
            found = getattr(value, attribute)
            is_plain = (
                found.get("strides") is None
                and found.get("stream") in streams
                and (spelled is None or found["typestr"][1:] in spelled)
            )
            address: int = found["data"][0]
        except Exception as error:  # whatever the library raises for an array that lies elsewhere
            raise NotQuickError from error
        if not is_plain:
            raise NotQuickError
        return address

    return read
