"""Run the kernels of a module through its own entry points alone.

This serves backends without a device library for Python.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from typing import Any

from kbuild.backends.interface.devices import ArrayView, ImageBytes, ImageT
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall, Queue
from kbuild.backends.interface.streams import Stream
from kbuild.backends.module.launch import ModuleFunction
from kbuild.backends.module.runtime import Device
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import KernelRecord


class ModuleQueue:
    """One stream of a runtime; 0 is the default stream."""

    def __init__(
        self, device: Device, stream: int, array_devices: tuple[tuple[int, int], ...]
    ) -> None:
        self.array_interface = ArrayInterface(attribute=None, stream=stream, devices=array_devices)
        self.handle = stream
        self.synchronize = device.synchronize
        self.allocate = device.allocate
        self.release = device.release
        self.copy_in = device.copy_in
        self.copy_out = device.copy_out

    def bind(self, function: ModuleFunction, config: LaunchConfig) -> LaunchCall:
        """See `Queue`."""
        return function.bind(config, self.handle)

    def start_timer(self) -> Callable[[], float]:
        """See `Queue`: the time on the host from one idle moment of the device to the next."""
        return start_host_timer(self.synchronize)


def start_host_timer(synchronize: Callable[[], None]) -> Callable[[], float]:
    """Measure the time on the host from one idle moment to the next."""
    synchronize()
    start = time.perf_counter()

    def stop() -> float:
        synchronize()
        return time.perf_counter() - start

    return stop


class ModuleDevice:
    """The current device of a runtime.

    Attributes:
        array_devices: See `ArrayInterface`.
    """

    array_devices: tuple[tuple[int, int], ...] = ()
    # See `ExecutionDevice`: all devices of a runtime have the same entry points.
    is_current: Callable[[], bool] | None = None

    def __init__(self, device: Device) -> None:
        self._device = device
        self._queue = ModuleQueue(device, 0, self.array_devices)

    def rank_images(self, images: Sequence[ImageT]) -> Sequence[ImageT]:  # noqa: ARG002 - the interface's signature
        """See `ExecutionDevice`: entry points do not name the device."""
        return ()

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> ModuleFunction:
        """See `ExecutionDevice`: entry points of a module launch its own kernels only."""
        raise LaunchError(
            f"{kernel.display} is not part of an open library, and its backend cannot load device "
            f"code for {', '.join(image.arch for image in images)}; use kbuild.load"
        )

    def adopt(self, function: ModuleFunction) -> ModuleFunction:
        """See `ExecutionDevice`."""
        function.resolve()
        return function

    def count_active_blocks(self, function: Any, threads: int, shared_bytes: int) -> int:  # noqa: ARG002 - the interface's signature
        """See `ExecutionDevice`: entry points have no such function."""
        raise LaunchError("the runtime of the library cannot tell how many blocks run at once")

    def create_stream(self) -> Stream:
        """See `ExecutionDevice`: entry points have no such function."""
        raise ConfigurationError(
            "the entry points of the library cannot create streams; create one with the functions "
            "of its runtime, and pass the address"
        )

    def open_queue(self, stream: Any) -> Queue:
        """See `ExecutionDevice`: a stream of this runtime by its address."""
        if stream is None:
            return self._queue
        return ModuleQueue(self._device, read_address(stream), self.array_devices)

    def find_stream(self, values: Sequence[object]) -> int | None:  # noqa: ARG002 - the interface's signature
        """See `ExecutionDevice`: entry points cannot tell which stream a library uses."""
        return None

    def view_array(self, value: Any, queue: Any) -> ArrayView | None:  # noqa: ARG002 - the interface's signature
        """See `ExecutionDevice`: entry points cannot tell whose memory an array has."""
        return None


def read_address(stream: Any) -> int:
    """Return the address of a stream; raise ConfigurationError if it is not an integer."""
    try:
        return operator.index(stream)
    except TypeError:
        raise ConfigurationError(
            f"invalid stream {stream!r}; expected a stream from create_stream of a kernel of this "
            "runtime, the address of a stream, or None"
        ) from None
