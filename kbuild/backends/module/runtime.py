"""The runtime entry points of an artifact as Python functions that raise LaunchError."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeVar

from kbuild.backends.module import abi
from kbuild.errors import LaunchError

T = TypeVar("T")


class Device:
    """The device of the kernels in one target, through the runtime that the target links."""

    def __init__(
        self, runtime: abi.Runtime, take_error: Callable[[], object] | None = None
    ) -> None:
        """Take the entry points.

        Args:
            runtime: The entry points.
            take_error: Removes the last error from the runtime; None if ``error_message`` does.
        """
        self._runtime = runtime
        self._take_error = take_error
        self._opened: dict[Any, Any] = {}

    def open(self, kind: Callable[[Device], T]) -> T:
        """Return ``kind(self)``, the same object each time."""
        found: T = self._opened.get(kind) or self._opened.setdefault(kind, kind(self))
        return found

    def count(self) -> int:
        """Return the number of devices.

        Raises:
            LaunchError: The runtime reports an error, for example because there is no device.
        """
        count = ctypes.c_int(0)
        status = self._runtime.device_count(ctypes.byref(count))
        if status != 0:
            raise LaunchError(self._explain(status))
        return count.value

    def resolve(self, handle: int) -> None:
        """Load the image that contains the kernel, as its first launch would."""
        self.check(self._runtime.resolve(handle), "loading the kernel")

    @property
    def resolve_address(self) -> int:
        """The address of the function that loads kernels, which is a part of the runtime."""
        return ctypes.cast(self._runtime.resolve, ctypes.c_void_p).value or 0

    @property
    def launch_address(self) -> int:
        """The address of the function that launches; see ``kbuild/runtime.h``."""
        return ctypes.cast(self._runtime.launch, ctypes.c_void_p).value or 0

    def synchronize(self) -> None:
        """Wait for all launches; raise LaunchError if one of them failed."""
        self.check(self._runtime.synchronize(), "running")

    def allocate(self, size: int) -> int:
        """Return the address of ``size`` bytes of device memory, or 0 if ``size`` is 0."""
        pointer = ctypes.c_void_p()
        status = self._runtime.allocate(ctypes.byref(pointer), size)
        self.check(status, f"allocating {size} bytes")
        return pointer.value or 0

    def release(self, address: int) -> None:
        """Free device memory, ignoring errors.

        After a failed launch, some runtimes refuse every call.
        """
        self._runtime.release(address)

    def copy_in(self, device: int, host: int, size: int) -> None:
        """Copy ``size`` bytes from host to device memory."""
        status = self._runtime.copy(device, host, size, abi.COPY_TO_DEVICE)
        self.check(status, f"copying {size} bytes to the device")

    def copy_out(self, host: int, device: int, size: int) -> None:
        """Copy ``size`` bytes from device to host memory."""
        status = self._runtime.copy(host, device, size, abi.COPY_TO_HOST)
        self.check(status, f"copying {size} bytes from the device")

    def check(self, status: int, doing: str) -> None:
        """Raise LaunchError with the runtime's words if ``status`` is an error."""
        if status != 0:
            raise LaunchError(f"{doing} failed: {self._explain(status)} (error {status})")

    def _explain(self, status: int) -> str:
        if self._take_error is not None:
            self._take_error()
        message = self._runtime.error_message(status) or b"the runtime states no reason"
        return message.decode(errors="replace")
