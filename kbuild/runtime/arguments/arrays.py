"""Device memory behind the arrays of one launch: copied in, copied back, given back."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from kbuild.runtime.arguments.encode import ArrayArgument, identify

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(slots=True, kw_only=True)
class _Copy:
    array: Any
    host: Any  # the elements in C order: the array itself, or a copy of it
    address: int
    is_output: bool


class DeviceMemory(Protocol):
    """What copies arrays: `Device` and the queues of `kbuild.backends.interface.devices` do."""

    def allocate(self, size: int) -> int: ...  # noqa: D102 - as there
    def release(self, address: int) -> None: ...  # noqa: D102
    def copy_in(self, device: int, host: int, size: int) -> None: ...  # noqa: D102
    def copy_out(self, host: int, device: int, size: int) -> None: ...  # noqa: D102


class DeviceArrays:
    """A context that holds device copies of arrays; leaving it releases them all.

    An array that is given twice has one copy, so that a kernel sees the aliasing its
    caller meant.
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
        """Whether there are any."""
        return bool(self._copies)

    def copy_in(self, argument: ArrayArgument) -> int:
        """Copy the array's elements to the device and return their address there."""
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
        """Copy what the kernel may have written back into the callers' arrays."""
        numpy: Any = sys.modules.get("numpy")
        for copy in self._copies.values():
            if not copy.is_output or not copy.host.nbytes:
                continue
            self._device.copy_out(copy.host.ctypes.data, copy.address, copy.host.nbytes)
            if not numpy.may_share_memory(copy.host, copy.array):
                numpy.asarray(copy.array)[...] = copy.host
