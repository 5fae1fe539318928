"""The ``devices`` capability: the devices of this machine, and how kernels run on them.

Listing devices takes a driver. Running kernels from Python can take a vendor's packages, which
only `Devices.open_device` imports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kbuild.backends.interface.queue import Queue
from kbuild.model import ImageKind, KernelRecord
from kbuild.values import dataclass

if TYPE_CHECKING:
    from kbuild.backends.interface.streams import Stream
    from kbuild.backends.module.launch import ModuleFunction
    from kbuild.backends.module.runtime import Device as ModuleRuntime


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that a driver lists, with its architecture as the vendor spells it."""

    name: str
    architecture: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A vendor's driver on this machine.

    Attributes:
        version: The newest version of the vendor's API that it supports; None if it does not
            say, or if there is no driver.
        devices: Its devices, in its own order.
    """

    version: str | None = None
    devices: tuple[Device, ...] = ()


class ImageBytes(Protocol):
    """A device image in memory."""

    @property
    def arch(self) -> str:
        """The architecture of the image."""

    @property
    def kind(self) -> ImageKind:
        """The kind of image."""

    @property
    def sha256(self) -> str:
        """The digest of the bytes."""

    @property
    def data(self) -> bytes:
        """The bytes."""


ImageT = TypeVar("ImageT", bound=ImageBytes)


class Arguments(Protocol):
    """The arguments of one launch, in memory."""

    @property
    def pointers(self) -> Any:
        """The ctypes array of the arguments' addresses, as ``void *``."""

    @property
    def address(self) -> int:
        """The address of that array."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayView:
    """An array in memory that a device can use, as the array's library describes it.

    Attributes:
        address: The address of the first element.
        dtype: The NumPy dtype; None for a type that NumPy does not support.
        is_contiguous: Whether the elements are contiguous, in C order.
        owner: The object that keeps the memory alive.
        read: Copies the array's bytes to the host.
    """

    address: int
    dtype: Any
    is_contiguous: bool
    owner: Any
    read: Callable[[], bytes]


class ExecutionDevice(Protocol):
    """A device that runs kernels."""

    @property
    def is_current(self) -> Callable[[], bool] | None:
        """Return whether this is the current device of the calling thread; None if it always is."""

    def rank_images(self, images: Sequence[ImageT]) -> Sequence[ImageT]:
        """Return the images that the device can run, the best one first.

        An empty sequence means that there are none, or that the device cannot tell.
        """

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> Any:
        """Load a kernel from the best of ``images``, and return it ready to launch.

        Kernels of one image share its device variables. Raises LaunchError if no image fits.
        """

    def adopt(self, function: ModuleFunction) -> Any:
        """Return a kernel that a library of this process registered, ready to launch.

        It shares its device variables with the host code of the library. Raises LaunchError if no
        image of the library fits.
        """

    def count_active_blocks(self, function: Any, threads: int, shared_bytes: int) -> int:
        """Return how many blocks of a loaded kernel a multiprocessor runs at the same time.

        Raises LaunchError if the driver reports an error.
        """

    def create_stream(self) -> Stream:
        """Create a stream that does not wait for the default stream.

        Raises ConfigurationError if the runtime cannot do this.
        """

    def open_queue(self, stream: Any) -> Queue:
        """Return the queue of a stream; None is the default stream.

        Raises ConfigurationError if ``stream`` is not a stream.
        """

    def find_stream(self, values: Sequence[object]) -> int | None:
        """Return the stream that the library of the arrays in ``values`` uses now.

        None if there are no arrays on the device, or their library states no stream.
        """

    def view_array(self, value: Any, queue: Queue) -> ArrayView | None:
        """View another library's array without copying it; None if ``value`` is not an array.

        Raises ConfigurationError if the device cannot use the array's memory.
        """


class Devices(Protocol):
    """The functions of a backend's ``devices`` module."""

    def query_driver(self) -> Driver:
        """Ask the driver for its version and devices. A missing driver is not an error."""

    def native_architectures(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Return the architectures of this machine, as ``ARCHITECTURES`` takes them.

        Args:
            devices: The architectures of all devices that the drivers list.

        Raises:
            ConfigurationError: None of them belongs to this backend.
        """

    @property
    def open_device(self) -> Callable[[], ExecutionDevice] | None:
        """Open the current device; None if kernels cannot run from Python."""

    @property
    def open_library_device(self) -> Callable[[ModuleRuntime], ExecutionDevice | None] | None:
        """Open the current device for kernels of a library that this process has loaded.

        The argument has the entry points of the library. The result is None if a package is missing
        that this needs. Then, and if the property is None, launches use the entry points alone.
        """
