"""The runtime entry points of an artifact as Python calls that raise LaunchError."""

from __future__ import annotations

import ctypes
from typing import Any

from kbuild.backends.module import abi
from kbuild.errors import LaunchError


class Device:
    """What kernels of one target run on, through the runtime the target is linked to."""

    def __init__(self, runtime: abi.Runtime) -> None:
        self._runtime = runtime

    def count(self) -> int:
        """How many devices there are; LaunchError in the runtime's words where there is none."""
        count = ctypes.c_int(0)
        status = self._runtime.device_count(ctypes.byref(count))
        if status != 0:
            raise LaunchError(self._explain(status))
        return count.value

    def resolve(self, handle: int) -> None:
        """Load the image that holds the kernel, as its first launch would."""
        self._check(self._runtime.resolve(handle), "loading the kernel")

    def launch(self, handle: int, config: abi.LaunchConfig, arguments: Any) -> None:
        """Launch with the argument values at ``arguments``, an array of addresses; do not wait."""
        status = self._runtime.launch(handle, ctypes.byref(config), arguments)
        self._check(status, "launching")

    def synchronize(self) -> None:
        """Wait for everything launched; raises what went wrong meanwhile."""
        self._check(self._runtime.synchronize(), "running")

    def allocate(self, size: int) -> int:
        """The address of ``size`` bytes of device memory; 0 for no bytes."""
        pointer = ctypes.c_void_p()
        status = self._runtime.allocate(ctypes.byref(pointer), size)
        self._check(status, f"allocating {size} bytes")
        return pointer.value or 0

    def release(self, address: int) -> None:
        """Give device memory back; failing to is no error.

        It follows failed launches, after which some runtimes refuse every call.
        """
        self._runtime.release(address)

    def copy_in(self, device: int, host: int, size: int) -> None:
        """Copy ``size`` bytes from host to device memory."""
        status = self._runtime.copy(device, host, size, abi.COPY_TO_DEVICE)
        self._check(status, f"copying {size} bytes to the device")

    def copy_out(self, host: int, device: int, size: int) -> None:
        """Copy ``size`` bytes from device to host memory."""
        status = self._runtime.copy(host, device, size, abi.COPY_TO_HOST)
        self._check(status, f"copying {size} bytes from the device")

    def _check(self, status: int, doing: str) -> None:
        if status != 0:
            raise LaunchError(f"{doing} failed: {self._explain(status)} (error {status})")

    def _explain(self, status: int) -> str:
        message = self._runtime.error_message(status) or b"the runtime gives no reason"
        return message.decode(errors="replace")
