"""Python values to kernel arguments, checked against the kernel's parameter layout."""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

from kbuild.errors import ConfigurationError
from kbuild.model import KernelRecord, Param
from kbuild.runtime.arguments.meanings import POINTER_SIZE, Builtin, Meaning, Pointer, read_meaning

# The common base of everything that ctypes makes; it has no public name.
_CTYPES_VALUE: Final = ctypes.Structure.__mro__[1]
# Last letters of the buffer formats of ctypes: pointers, and numbers by their kind.
_CTYPES_POINTERS: Final = "PzZ"
_CTYPES_KINDS: Final = {"?": "b", **dict.fromkeys("bhilqc", "i"), **dict.fromkeys("BHILQ", "u")}
_CTYPES_FLOATS: Final = "efdg"
_NULL_POINTERS: Final = ("decltype(nullptr)", "std::nullptr_t")
# Telling whether strided arrays overlap can take for ever; see numpy.shares_memory.
_OVERLAP_EFFORT: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayArgument:
    """A numpy array to be copied to the device, and back if ``is_output``.

    The device sees the elements in C order, however the array lies in memory.
    """

    array: Any
    is_output: bool


# An argument: its bytes, or an array whose device address will be them.
Argument: TypeAlias = bytes | ArrayArgument


class _RefusalError(Exception):
    """A value that cannot stand for its parameter: what was expected instead."""


class ForeignArray(Protocol):
    """An array of another library, which lies where the device can use it.

    ``dtype`` is a numpy dtype, None where numpy has no such type.
    """

    @property
    def address(self) -> int: ...  # noqa: D102 - the class says it
    @property
    def dtype(self) -> Any: ...  # noqa: D102
    @property
    def is_contiguous(self) -> bool: ...  # noqa: D102


def _view_nothing(_: object) -> None:
    return None


def encode_arguments(
    kernel: KernelRecord,
    values: Sequence[object],
    *,
    view: Callable[[object], ForeignArray | None] = _view_nothing,
) -> tuple[Argument, ...]:
    """The arguments that ``values`` stand for.

    ``view`` tells arrays of other libraries from other values.  Raises ConfigurationError naming
    kernel, parameter, what it takes and what it got.
    """
    _require_sequence(kernel, values)
    if len(values) != len(kernel.params):
        count = len(kernel.params)
        raise ConfigurationError(
            f"{kernel.display} takes {count} argument{'' if count == 1 else 's'}, not {len(values)}"
        )
    arguments = tuple(
        _encode(kernel, param, value, view)
        for param, value in zip(kernel.params, values, strict=True)
    )
    _require_apart(kernel, arguments)
    return arguments


def _require_sequence(kernel: KernelRecord, values: object) -> None:
    """A sole argument is easily given without the list around it."""
    is_text = isinstance(values, (str, bytes, bytearray))
    if is_text or not isinstance(values, Sequence):
        raise ConfigurationError(
            f"{kernel.display}: args is a sequence of arguments, such as [n, array], not "
            f"{_describe(values)}"
        )


def describe_param(param: Param) -> str:
    """How messages call a parameter: ``argument 2 'n' (int)``."""
    name = f" {param.name!r}" if param.name else ""
    return f"argument {param.index}{name} ({param.type or f'{param.size} bytes'})"


def _encode(
    kernel: KernelRecord,
    param: Param,
    value: object,
    view: Callable[[object], ForeignArray | None],
) -> Argument:
    meaning = read_meaning(param)
    try:
        if _is_numpy(value, "ndarray"):
            return _encode_array(param, meaning, value)
        if not _is_numpy(value, "generic") and (foreign := view(value)) is not None:
            return _encode_foreign(param, meaning, foreign)
        if isinstance(meaning, Pointer):
            return _encode_address(value)
        if isinstance(meaning, Builtin):
            return _encode_number(meaning, value)
        return _encode_opaque(param, value)
    except _RefusalError as expected:
        raise ConfigurationError(
            f"{kernel.display}: {describe_param(param)} takes {expected}, not {_describe(value)}"
        ) from None


def _is_numpy(value: object, kind: str) -> bool:
    # Who passes a numpy value has imported numpy: no need to do it here.
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind))


def _encode_array(param: Param, meaning: Meaning, array: Any) -> ArrayArgument:
    _require_elements(param, meaning, array.dtype)
    if hasattr(array, "mask"):  # numpy.ma's, which kernels do not see
        raise _RefusalError("an array without a mask (its filled() or data)")
    is_to_const = isinstance(meaning, Pointer) and meaning.is_to_const
    return ArrayArgument(array=array, is_output=not is_to_const and bool(array.flags.writeable))


def _encode_foreign(param: Param, meaning: Meaning, array: ForeignArray) -> bytes:
    _require_elements(param, meaning, array.dtype)
    if not array.is_contiguous:
        raise _RefusalError("a contiguous array (or its address)")
    return array.address.to_bytes(POINTER_SIZE, "little")


def _require_elements(param: Param, meaning: Meaning, dtype: Any) -> None:
    """Refuse arrays where there is no pointer, or one to another type."""
    may_be_pointer = meaning is None and param.type is None and param.size == POINTER_SIZE
    if not isinstance(meaning, Pointer) and not may_be_pointer:
        raise _RefusalError(_suggest(param, meaning))
    if dtype is None:  # of a type that numpy has not
        return
    if dtype.hasobject or not dtype.isnative:
        raise _RefusalError("an array of plain values in the machine's byte order")
    pointee = meaning.pointee if isinstance(meaning, Pointer) else None
    if pointee and not _is_of_kind(pointee, dtype):
        raise _RefusalError(f"an array of {pointee.dtype}")


def _is_of_kind(builtin: Builtin, dtype: Any) -> bool:
    return dtype.kind in builtin.kinds and dtype.itemsize == builtin.size


def _encode_address(value: object) -> bytes:
    """A device address: an int, None for null, a 64-bit numpy integer or a ctypes pointer."""
    if value is None:
        return bytes(POINTER_SIZE)
    foreign = _view_ctypes(value)
    if foreign is not None and _kind_of(foreign) == "P":
        return foreign.tobytes()
    if _is_numpy(value, "integer") and getattr(value, "itemsize", 0) == POINTER_SIZE:
        value = int(value)  # type: ignore[call-overload]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return struct.pack("<Q", value)
        except struct.error as error:
            raise _RefusalError("an address of 64 bits") from error
    raise _RefusalError("an array, an address, a ctypes pointer or None")


def _encode_number(builtin: Builtin, value: object) -> bytes:
    if _is_numpy(value, "generic"):
        scalar: Any = value
        if _is_of_kind(builtin, scalar.dtype):
            return bytes(scalar.tobytes())
    elif isinstance(value, (int, float)) and builtin.code:
        return _pack_number(builtin, value)
    foreign = _view_ctypes(value)
    is_of_size = foreign is not None and foreign.nbytes == builtin.size
    if foreign is not None and is_of_size and _kind_of(foreign) in builtin.kinds:
        return foreign.tobytes()
    raise _RefusalError(_suggest_number(builtin))


def _pack_number(builtin: Builtin, value: float) -> bytes:
    """A Python number; like C++, a bool is a 0 or 1, but nothing is ever rounded to an int."""
    if builtin.kinds != "f" and isinstance(value, float):
        raise _RefusalError(_suggest_number(builtin))
    if builtin.kinds == "b" and value not in (0, 1):
        raise _RefusalError("a bool")
    try:
        return struct.pack(builtin.code or "", value)
    except (struct.error, OverflowError) as error:
        raise _RefusalError(f"a number in the range of {builtin.dtype}") from error


def _encode_opaque(param: Param, value: object) -> bytes:
    """A value of which only the size can be checked: structures, enumerations, unknown types."""
    is_null = param.type is None or param.type in _NULL_POINTERS
    if value is None and is_null and param.size == POINTER_SIZE:
        return bytes(POINTER_SIZE)
    content = memoryview(value) if isinstance(value, bytes) else _view_ctypes(value)
    if _is_numpy(value, "generic"):
        scalar: Any = value
        content = None if scalar.dtype.hasobject else memoryview(scalar.tobytes())
    if content is None or content.nbytes != param.size:
        raise _RefusalError(_suggest(param, None))
    return content.tobytes()


def _suggest(param: Param, meaning: Meaning) -> str:
    if isinstance(meaning, Builtin):
        return _suggest_number(meaning)
    return (
        f"{param.size} bytes: a numpy scalar or structured value, a ctypes value or bytes of "
        "that size"
    )


def _suggest_number(builtin: Builtin) -> str:
    what = {"b": "a bool", "f": "a number"}.get(builtin.kinds, "an int")
    return f"{what} or {builtin.dtype}" if builtin.code else builtin.dtype


def _view_ctypes(value: object) -> memoryview | None:
    """The bytes of a ctypes value; None for anything else."""
    if not isinstance(value, _CTYPES_VALUE):
        return None
    buffer: Any = value
    return memoryview(buffer)


def _kind_of(view: memoryview) -> str:
    """``P`` for pointers, a numpy kind for numbers, else the buffer format."""
    form = view.format
    last = form[-1:]
    if form.startswith("&") or last in _CTYPES_POINTERS:
        return "P"
    return "f" if last in _CTYPES_FLOATS else _CTYPES_KINDS.get(last, form)


def _describe(value: Any) -> str:
    """What a value is, for messages: its type, its size where that may be the mistake."""
    if _is_numpy(value, "ndarray"):
        return f"an array of {value.dtype}"
    if isinstance(value, (bool, int, float)) and not _is_numpy(value, "generic"):
        return f"{type(value).__name__} {value!r}"
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    content = memoryview(value) if isinstance(value, bytes) else _view_ctypes(value)
    if content is not None or _is_numpy(value, "generic"):
        return f"{kind} of {(value if content is None else content).nbytes} bytes"
    return "None" if value is None else kind


def _require_apart(kernel: KernelRecord, arguments: tuple[Argument, ...]) -> None:
    """Refuse outputs that overlap in part: copying one back would undo the other.

    One and the same array passed twice is fine: it is one piece of memory on the device too.
    """
    outputs = [
        (index, argument.array)
        for index, argument in enumerate(arguments)
        if isinstance(argument, ArrayArgument) and argument.is_output
    ]
    for position, (second, array) in enumerate(outputs):
        for first, other in outputs[:position]:
            if identify(array) != identify(other) and _overlap(array, other):
                raise ConfigurationError(
                    f"{kernel.display}: the arrays of argument {first} and argument {second} "
                    "overlap and the kernel may write both; pass one array, or copies"
                )


def identify(array: Any) -> tuple[object, ...]:
    """Equal for arrays that are the same elements of the same memory."""
    interface = array.__array_interface__
    return (interface["data"][0], array.shape, array.strides, array.dtype.str)


def _overlap(first: Any, second: Any) -> bool:
    numpy: Any = sys.modules["numpy"]
    too_hard = getattr(numpy, "exceptions", numpy).TooHardError  # moved in numpy 1.25
    try:
        return bool(numpy.shares_memory(first, second, max_work=_OVERLAP_EFFORT))
    except too_hard:
        return True
