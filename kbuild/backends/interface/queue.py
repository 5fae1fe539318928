"""Queues: the streams of a device, with memory, launches, and events in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayInterface:
    """The protocol by which arrays in device memory describe themselves.

    Attributes:
        attribute: The attribute that holds the describing dictionary; None if it does not exist.
        stream: The stream of the launch. An array that another stream still fills needs a check.
        devices: DLPack's numbers of the devices whose memory kernels can use: pairs of a device
            type, and a device or -1 for all of them.
    """

    attribute: str | None
    stream: int
    devices: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchCall:
    """A call of a runtime's launch function that lacks only the arguments of the kernel.

    Attributes:
        entry: The address of the function. With ``is_driver``, it takes the addresses of the
            configuration, the function, the array of arguments, and null, as CUDA's driver does;
            otherwise those of the function, the configuration, and the array of arguments. It
            returns 0 or the number of an error.
        function: The address that stands for the kernel.
        config: The bytes of the configuration.
        stream_offset: Where in ``config`` the stream is.
        is_driver: See ``entry``.
        prepare: Must be called before each launch; None if there is nothing to prepare.
        keep: Receives what must exist until the kernel has run, after each launch; None if that is
            not necessary, because the launch waits or the owners of memory care for that.
        recover: Receives the error of a failed launch, and whether that was the first try.
            Returns whether a second try makes sense; otherwise raises LaunchError.
        owner: An object that must exist as long as launches are possible.
    """

    entry: int
    function: int
    config: bytes
    stream_offset: int
    is_driver: bool
    prepare: Callable[[], None] | None
    keep: Callable[..., None] | None
    recover: Callable[[int, bool], bool]
    owner: Any


class Queue(Protocol):
    """One stream of a device. Its operations run in order.

    All functions raise LaunchError if the device or its driver reports an error.
    """

    @property
    def handle(self) -> int:
        """The address of the stream."""

    @property
    def array_interface(self) -> ArrayInterface:
        """The protocol by which arrays in memory of the device state their address."""

    def bind(self, function: Any, config: LaunchConfig) -> LaunchCall:
        """Return the call that launches ``function``. It reads the arguments before it returns."""

    def synchronize(self) -> None:
        """Wait until everything in the stream is done."""

    def start_timer(self) -> Callable[[], float]:
        """Start to measure.

        Returns:
            A call that ends the measurement, waits, and returns the seconds on the device.
        """

    def allocate(self, size: int) -> int:
        """Return the address of ``size`` bytes of device memory; 0 for a size of 0."""

    def release(self, address: int) -> None:
        """Free device memory. A failure is not an error."""

    def copy_in(self, device: int, host: int, size: int) -> None:
        """Copy ``size`` bytes from the address ``host`` to the address ``device``."""

    def copy_out(self, host: int, device: int, size: int) -> None:
        """Copy ``size`` bytes from the address ``device`` to the address ``host``, and wait."""
