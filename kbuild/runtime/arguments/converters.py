"""Converters: functions that turn the Python values of one type into one kernel parameter.

A converter is chosen once for each parameter and Python type.  It returns something that
:mod:`struct` packs as the parameter, or an array that has to be copied to the device first.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from kbuild.backends.interface.devices import ArrayView
from kbuild.backends.interface.queue import ArrayInterface
from kbuild.facts.parameter_types import (
    POINTER_SIZE,
    ArithmeticType,
    PointerType,
    read_parameter_type,
)
from kbuild.model import Param
from kbuild.runtime.arguments.values import is_numpy, read_ctypes_kind, view_ctypes

# The format characters that the compiled launcher packs itself.
_COMPILED_CODES: Final = "?bBhHiIqQfds"
_NULL_POINTERS: Final = ("decltype(nullptr)", "std::nullptr_t")

_NOT_CONTIGUOUS: Final = (
    "which is not contiguous; pass a contiguous copy (x.contiguous() in PyTorch, "
    "ascontiguousarray(x) in NumPy and CuPy), or the address"
)


class UnsuitableValueError(Exception):
    """A value that cannot be passed for a parameter; the message says what was expected.

    ``fix`` says what is wrong with the value, and what to do, if the types do not tell.
    """

    def __init__(self, expected: str, fix: str | None = None) -> None:
        super().__init__(expected)
        self.fix = fix


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayArgument:
    """A NumPy array to copy to the device, and back if ``is_output`` is true.

    The device sees the elements in C order, even if the layout of the array differs.
    """

    array: Any
    is_output: bool


class DeviceAddress(int):
    """The address of another library's array; ``view`` keeps the array's memory alive."""

    view: ArrayView


# A value that `struct` packs: a number, an address, or the bytes of the parameter.
Packable: TypeAlias = Any
Argument: TypeAlias = Packable | ArrayArgument
Converter: TypeAlias = Callable[[Any], Argument]
FindRoute: TypeAlias = Callable[[type], "Converter | Literal[False] | None"]
ViewArray: TypeAlias = Callable[[object], ArrayView | None]


def keep(value: Any) -> Any:
    """Return ``value``: the converter for values that `struct` can pack."""
    return value


class ParameterConverters:
    """The converters for one parameter.

    Args:
        param: The parameter.
        view: Returns a view of another library's array, or None for any other value.
        interface: How arrays on the device state their address, or None if none of them do.
    """

    def __init__(self, param: Param, view: ViewArray, interface: ArrayInterface | None) -> None:
        self.param = param
        self.type = read_parameter_type(param)
        self.code = self._choose_code()
        self._packer = struct.Struct(f"<{self.code}")
        self._view = view
        self._interface = interface
        self._converters: dict[type, Converter] = {}

    def find(self, kind: type) -> Converter:
        """Return the converter for values of type ``kind``.

        A converter raises UnsuitableValueError for values that cannot be passed.
        """
        converter = self._converters.get(kind)
        if converter is None:
            converter = self._converters[kind] = self._choose(kind)
        return converter

    @property
    def row(self) -> tuple[int, int, str, bool, tuple[str, ...], FindRoute]:
        """The parameter, as the compiled launcher describes it."""
        is_pointer = isinstance(self.type, PointerType)
        elements = self.type.elements if isinstance(self.type, PointerType) else ()
        code = self.code[-1] if self.code[-1] in _COMPILED_CODES else "s"
        return (self.param.offset, self.param.size, code, is_pointer, elements, self._find_route)

    def _find_route(self, kind: type) -> Converter | Literal[False] | None:
        """Return the converter to what the compiled launcher packs.

        None means that there is nothing to convert, and False that values of this type need more
        than a conversion.
        """
        if is_numpy(kind, "ndarray"):
            return False
        converter = self.find(kind)
        if self.code[-1] in _COMPILED_CODES:
            return None if converter is keep else converter
        return lambda value: self._packer.pack(converter(value))

    def convert(self, value: object) -> Argument:
        """Convert one value and check that it fits into the parameter.

        Raises:
            UnsuitableValueError: The value cannot be passed for the parameter.
        """
        argument = self.find(type(value))(value)
        if not isinstance(argument, ArrayArgument):
            try:
                self._packer.pack(argument)
            except (struct.error, OverflowError) as error:
                if isinstance(self.type, ArithmeticType):
                    expected = f"a number in the range of {self.type.dtype}"
                    raise UnsuitableValueError(expected) from error
                raise UnsuitableValueError("an address of 64 bits") from error
        return argument

    def _choose_code(self) -> str:
        if isinstance(self.type, ArithmeticType) and self.type.code:
            return self.type.code
        # A parameter of an unknown type and this size can be a pointer.
        return "Q" if self.param.size == POINTER_SIZE else f"{self.param.size}s"

    def _choose(self, kind: type) -> Converter:
        if is_numpy(kind, "ndarray"):
            return self._convert_array
        if isinstance(self.type, PointerType):
            return self._choose_for_pointer(kind, self.type)
        if isinstance(self.type, ArithmeticType):
            return self._choose_for_number(kind, self.type)
        return self._choose_for_opaque(kind)

    def _choose_for_pointer(self, kind: type, pointer: PointerType) -> Converter:
        """Choose a converter for a device address."""
        attribute = self._interface.attribute if self._interface else None
        if self._interface and attribute and hasattr(kind, attribute):
            return self._read_interface(pointer, self._interface, attribute)
        if kind is type(None):
            return _make_null
        is_index = is_numpy(kind, "integer") and kind().itemsize == POINTER_SIZE
        if is_index or (issubclass(kind, int) and kind is not bool):
            return keep
        return self._refuse if is_numpy(kind, "generic") else self._convert_object

    def _choose_for_number(self, kind: type, number: ArithmeticType) -> Converter:
        """Choose a converter for a number.

        As in C++, a bool is 0 or 1; but a float is never rounded to an integer.
        """
        if is_numpy(kind, "generic"):
            if not _is_of_kind(number, sys.modules["numpy"].dtype(kind)):
                return self._refuse
            # One code cannot pack both the signed and the unsigned values of char.
            is_packable = number.code is not None and len(number.kinds) == 1
            return keep if is_packable else self._convert_scalar
        if not issubclass(kind, (int, float)):
            return self._convert_object
        if number.code is None or (issubclass(kind, float) and number.kinds != "f"):
            return self._refuse
        return _convert_bit if number.kinds == "b" and kind is not bool else keep

    def _choose_for_opaque(self, kind: type) -> Converter:
        """Choose a converter for a value of which only the size can be checked."""
        if kind is type(None):
            can_be_null = self.param.type is None or self.param.type in _NULL_POINTERS
            is_null = can_be_null and self.param.size == POINTER_SIZE
            return _make_null if is_null else self._refuse
        if is_numpy(kind, "generic"):
            return self._convert_scalar
        return self._unpack if issubclass(kind, bytes) else self._convert_object

    def _refuse(self, value: object) -> Argument:  # noqa: ARG002 - a converter
        raise UnsuitableValueError(self._describe_expected())

    def _convert_array(self, array: Any) -> ArrayArgument:
        self._require_elements(array.dtype)
        if hasattr(array, "mask"):  # numpy.ma; kernels do not see masks
            raise UnsuitableValueError("an array without a mask (its filled() or data)")
        is_to_const = isinstance(self.type, PointerType) and self.type.is_to_const
        return ArrayArgument(array=array, is_output=not is_to_const and array.flags.writeable)

    def _convert_scalar(self, scalar: Any) -> Packable:
        if scalar.dtype.hasobject:
            raise UnsuitableValueError(self._describe_expected())
        return self._unpack(scalar.tobytes())

    def _convert_object(self, value: object) -> Packable:
        """Convert another library's array or a ctypes value."""
        array = self._view(_detach(value))
        if array is not None:
            self._require_elements(array.dtype)
            if not array.is_contiguous:
                raise UnsuitableValueError("a contiguous array", _NOT_CONTIGUOUS)
            address = DeviceAddress(array.address)
            address.view = array
            return address
        content = view_ctypes(value)
        if content is None or not self._accepts_ctypes(read_ctypes_kind(content)):
            raise UnsuitableValueError(self._describe_expected())
        return self._unpack(content.tobytes())

    def _accepts_ctypes(self, kind: str) -> bool:
        if isinstance(self.type, PointerType):
            return kind == "P"
        return self.type is None or kind in self.type.kinds

    def _unpack(self, content: bytes) -> Packable:
        """Return the value that `struct` packs as ``content``."""
        if len(content) != self.param.size:
            raise UnsuitableValueError(self._describe_expected())
        return self._packer.unpack(content)[0]

    def _require_elements(self, dtype: Any) -> None:
        """Refuse an array if the parameter is not a pointer to elements of its type."""
        can_be_pointer = self.param.type is None and self.param.size == POINTER_SIZE
        if not isinstance(self.type, PointerType) and not can_be_pointer:
            raise UnsuitableValueError(self._describe_expected())
        if dtype is None:  # NumPy does not support the type, such as bfloat16.
            return
        if dtype.hasobject or not dtype.isnative:
            raise UnsuitableValueError("an array of plain values in the machine's byte order")
        pointee = self.type.pointee if isinstance(self.type, PointerType) else None
        if pointee and not _is_of_kind(pointee, dtype):
            raise UnsuitableValueError(f"an array of {pointee.dtype}")

    def _read_interface(
        self, pointer: PointerType, interface: ArrayInterface, attribute: str
    ) -> Converter:
        """Make a converter that reads the address of a contiguous array of the right type.

        All other arrays are passed on to `_convert_object`, which explains what is wrong.
        """
        streams = (None, interface.stream)
        spelled = pointer.elements

        def read(value: Any) -> Packable:
            try:
                found = getattr(value, attribute)
                address = found["data"][0]
                if (
                    type(address) is int
                    and found.get("strides") is None
                    and found.get("stream") in streams
                    and (not spelled or found["typestr"][1:] in spelled)
                ):
                    return address
            except Exception:  # noqa: BLE001, S110 - libraries raise anything for host arrays
                pass
            return self._convert_object(value)

        return read

    def _describe_expected(self) -> str:
        if isinstance(self.type, PointerType):
            return "an array, an address, a ctypes pointer or None"
        if self.type is None:
            return (
                f"{self.param.size} bytes: a numpy scalar or structured value, a ctypes value or "
                "bytes of that size"
            )
        what = {"b": "a bool", "f": "a number"}.get(self.type.kinds, "an int")
        return f"{what} or {self.type.dtype}" if self.type.code else self.type.dtype


def _detach(value: Any) -> Any:
    """Return the array itself for one that records gradients, which PyTorch does not export."""
    return value.detach() if getattr(value, "requires_grad", False) is True else value


def _make_null(value: None) -> int:  # noqa: ARG001 - a converter
    return 0


def _convert_bit(value: int) -> int:
    if value not in (0, 1):
        raise UnsuitableValueError("a bool")
    return value


def _is_of_kind(number: ArithmeticType, dtype: Any) -> bool:
    return dtype.kind in number.kinds and dtype.itemsize == number.size
