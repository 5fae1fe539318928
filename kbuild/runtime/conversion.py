"""Values that a device's own launch takes, made of a caller's as quickly as Python can.

What is doubtful is left to `kbuild.runtime.arguments`, which checks and explains.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from kbuild.model import Param
from kbuild.runtime.parameters import Builtin, Meaning, Pointer, read_meaning

# What of Python's numbers may stand for a type, by the first letter of its kinds.
QUICK: Final = {"i": (int,), "u": (int,), "f": (float, int), "b": (bool,)}

Converter: TypeAlias = Callable[[Any], Any]


class NotQuickError(Exception):
    """A value that has to be looked at."""


def AS_IT_IS(value: Any) -> Any:  # noqa: N802 - a constant that can be called
    """The converter of values that need none."""
    return value


class ValueConverter:
    """Converts the arguments of one kernel, by converters that it finds once for types.

    ``find`` gives the converter for a parameter's meaning and a value's type, `AS_IT_IS` where
    there is nothing to do, None where such values have to be looked at.
    """

    def __init__(
        self, params: tuple[Param, ...], find: Callable[[Meaning, type], Converter | None]
    ) -> None:
        self._meanings = tuple(read_meaning(param) for param in params)
        self._find = find
        # None: to be looked at; empty: as they are.
        self._known: dict[tuple[type, ...], tuple[Converter, ...] | None] = {}

    def convert(self, values: Sequence[Any]) -> Sequence[Any] | None:
        """The values converted; None where one of them has to be looked at."""
        kinds = tuple(map(type, values))
        try:
            converters = self._known[kinds]
        except KeyError:
            converters = self._known[kinds] = self._find_all(kinds)
        if not converters:
            return None if converters is None else values
        try:
            return [convert(value) for convert, value in zip(converters, values, strict=True)]
        except NotQuickError:
            return None

    def _find_all(self, kinds: tuple[type, ...]) -> tuple[Converter, ...] | None:
        if len(kinds) != len(self._meanings):
            return None
        found = []
        for meaning, kind in zip(self._meanings, kinds, strict=True):
            converter = self._find(meaning, kind)
            if converter is None:
                return None
            found.append(converter)
        return tuple(found) if any(c is not AS_IT_IS for c in found) else ()


def is_same(meaning: Builtin, kind: type) -> bool:
    """Whether ``kind`` is the numpy scalar of this type."""
    # Who passes a numpy value has imported numpy.
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(kind, numpy.generic):
        return False
    dtype = numpy.dtype(kind)
    return dtype.kind in meaning.kinds and bool(dtype.itemsize == meaning.size)


def read_address(pointer: Pointer, attribute: str, stream: int) -> Converter:
    """Reads the address of a contiguous array of the right type off its array interface.

    ``stream`` is that of the launch: an array that another one still fills is to be looked at.
    """
    pointee = pointer.pointee
    spelled = {f"{kind}{pointee.size}" for kind in pointee.kinds} if pointee else None

    def read(value: Any) -> int:
        try:
            interface = getattr(value, attribute)
        except Exception as error:  # whatever the library raises for an array that lies elsewhere
            raise NotQuickError from error
        if (
            interface.get("strides") is not None
            or interface.get("stream") not in (None, stream)
            or (spelled is not None and interface["typestr"][1:] not in spelled)
        ):
            raise NotQuickError
        address: int = interface["data"][0]
        return address

    return read
