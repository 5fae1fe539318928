"""The seam of running kernels from Python: what a device does, apart from any compiler.

A device is a module's `open_device`; only what a program runs on is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol

from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError
from kbuild.model import ImageKind, KernelRecord

# Those whose kernels can be run without a host program.
_MODULES: Final = {"cpu": "kbuild.backends.cpu.devices", "cuda": "kbuild.backends.cuda.devices"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayInterface:
    """How arrays on a device describe themselves: by the dictionary that is their ``attribute``.

    ``stream`` is that of the launch: an array that another one still fills has to be looked at.
    """

    attribute: str
    stream: int


class ImageBytes(Protocol):
    """A device image in memory."""

    @property
    def arch(self) -> str:
        """Its architecture."""

    @property
    def kind(self) -> ImageKind:
        """What it is."""

    @property
    def sha256(self) -> str:
        """What identifies its bytes."""

    @property
    def data(self) -> bytes:
        """Its bytes."""


class Arguments(Protocol):
    """The arguments of one launch, in memory."""

    @property
    def pointers(self) -> Any:
        """A ctypes array of their addresses, of ``void *``."""

    @property
    def address(self) -> int:
        """Where that array is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayView:
    """An array that lies where a device can use it, as its library describes it.

    ``dtype`` is a numpy dtype, None for types that numpy has not; ``owner`` keeps the memory, and
    ``read`` copies its bytes to the host.
    """

    address: int
    dtype: Any
    is_contiguous: bool
    owner: Any
    read: Callable[[], bytes]


class Queue(Protocol):
    """One stream of a device: what is given to it happens in order."""

    @property
    def array_interface(self) -> ArrayInterface | None:
        """How arrays on the device tell their address; None where none does."""

    def bind(self, function: Any, config: LaunchConfig) -> Callable[[Arguments], None]:
        """A call that launches ``function`` so; it reads the arguments before it returns.

        The call raises LaunchError.
        """

    def synchronize(self) -> None:
        """Wait for everything in the stream; LaunchError for what went wrong meanwhile."""

    def start_timer(self) -> Callable[[], float]:
        """Begin to measure; the call ends it, waits, and says the seconds on the device."""

    def allocate(self, size: int) -> int:
        """The address of ``size`` bytes of device memory, 0 for none; LaunchError."""

    def release(self, address: int) -> None:
        """Give it back; failing to is no error."""

    def copy_in(self, device: int, host: int, size: int) -> None:
        """Copy ``size`` bytes from host to device memory; LaunchError."""

    def copy_out(self, host: int, device: int, size: int) -> None:
        """Copy ``size`` bytes from device to host memory, and wait; LaunchError."""


class ExecutionDevice(Protocol):
    """What kernels run on."""

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> Any:
        """The kernel of the best of ``images``, ready to launch; LaunchError if there is none.

        Kernels of one image share its device variables.
        """

    def open_queue(self, stream: Any) -> Queue:
        """The queue of a stream, None for the default one; ConfigurationError for no stream."""

    def view_array(self, value: Any, queue: Queue) -> ArrayView | None:
        """Another library's array, uncopied; None for what is none.

        ConfigurationError for one that lies where the device cannot use it.
        """


def open_device(backend: str) -> ExecutionDevice:
    """The current device of ``backend``: one object for each device, as long as the process lasts.

    Raises ConfigurationError where kernels of the backend cannot be run from Python or what
    that takes is not installed, LaunchError where there is no device.
    """
    if backend not in _MODULES:
        raise ConfigurationError(
            f"kernels of backend {backend!r} are not run by a KernelExecutor (those of "
            f"{', '.join(_MODULES)} are); build a library of them and use kbuild.load"
        )
    device: ExecutionDevice = import_module(_MODULES[backend]).open_device()
    return device
