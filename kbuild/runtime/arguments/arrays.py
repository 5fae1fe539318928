"""NumPy arrays as arguments: their copies in device memory, and the arrays that overlap."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol

from kbuild.errors import ConfigurationError
from kbuild.model import KernelRecord
from kbuild.runtime.arguments.converters import Argument, ArrayArgument, Packable

if TYPE_CHECKING:
    from typing_extensions import Self

# It can take forever to find out whether strided arrays overlap; see numpy.shares_memory.
_OVERLAP_EFFORT: Final = 10_000


@dataclass(slots=True, kw_only=True)
class _Copy:
    array: Any
    host: Any  # the elements in C order: the array itself, or a copy of it
    address: int
    is_output: bool


class DeviceMemory(Protocol):
    """Memory of a device: `Device` and the queues of `kbuild.backends.interface.devices`."""

    def allocate(self, size: int) -> int: ...  # noqa: D102 - see Queue
    def release(self, address: int) -> None: ...  # noqa: D102
    def copy_in(self, device: int, host: int, size: int) -> None: ...  # noqa: D102
    def copy_out(self, host: int, device: int, size: int) -> None: ...  # noqa: D102


class DeviceArrays:
    """A context that holds the device copies of the arrays of one launch.

    Leaving the context releases the copies.  An array that is passed twice has one copy, so
    that the kernel sees the aliasing that its caller intended.
    """

    def __init__(self, device: DeviceMemory) -> None:
        self._device = device
        self._copies: dict[tuple[object, ...], _Copy] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for copy in self._copies.values():
            self._device.release(copy.address)
        self._copies.clear()

    def __bool__(self) -> bool:
        """Return whether any array was copied."""
        return bool(self._copies)

    def copy_in(self, arguments: Iterable[Argument]) -> list[Packable]:
        """Copy all arrays to the device; return the arguments with addresses in their place."""
        return [self._copy_in(a) if isinstance(a, ArrayArgument) else a for a in arguments]

    def _copy_in(self, argument: ArrayArgument) -> int:
        key = identify(argument.array)
        copy = self._copies.get(key)
        if copy is None:
            numpy: Any = sys.modules["numpy"]
            host = numpy.asarray(argument.array, order="C")
            address = self._device.allocate(host.nbytes)
            copy = _Copy(array=argument.array, host=host, address=address, is_output=False)
            self._copies[key] = copy
            if host.nbytes:
                self._device.copy_in(address, host.ctypes.data, host.nbytes)
        copy.is_output |= argument.is_output
        return copy.address

    def copy_back(self) -> None:
        """Copy the arrays that the kernel could write back into the callers' arrays."""
        numpy: Any = sys.modules.get("numpy")
        for copy in self._copies.values():
            if not copy.is_output or not copy.host.nbytes:
                continue
            self._device.copy_out(copy.host.ctypes.data, copy.address, copy.host.nbytes)
            if not numpy.may_share_memory(copy.host, copy.array):
                numpy.asarray(copy.array)[...] = copy.host


def require_disjoint_outputs(kernel: KernelRecord, arguments: Sequence[Argument]) -> None:
    """Refuse outputs that overlap partly, because copying one back would undo the other.

    Passing the same array twice is fine: it is one piece of memory on the device, too.

    Raises:
        ConfigurationError: Two output arrays overlap and are not the same array.
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
                    "overlap, and the kernel could write both; pass the same array twice, or copies"
                )


def identify(array: Any) -> tuple[object, ...]:
    """Return a key that is equal for arrays of the same elements in the same memory."""
    interface = array.__array_interface__
    return (interface["data"][0], array.shape, array.strides, array.dtype.str)


def _overlap(first: Any, second: Any) -> bool:
    numpy: Any = sys.modules["numpy"]
    too_hard = getattr(numpy, "exceptions", numpy).TooHardError  # moved in NumPy 1.25
    try:
        return bool(numpy.shares_memory(first, second, max_work=_OVERLAP_EFFORT))
    except too_hard:
        return True
