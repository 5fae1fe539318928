"""``kbuild.load``: the kernels of a shared object, by name, ready to launch."""

from __future__ import annotations

import ctypes
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kbuild.backends.interface.launch_config import Extent, LaunchConfig
from kbuild.backends.module import abi
from kbuild.backends.module.launch import encode_config
from kbuild.backends.module.runtime import Device
from kbuild.errors import InputError, LaunchError
from kbuild.model import KernelRecord, Param
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encoder import ArgumentEncoder
from kbuild.runtime.kernel_names import KernelMapping
from kbuild.runtime.loading.library import Library
from kbuild.runtime.loading.shared_object import TargetNote, read_shared_object

if TYPE_CHECKING:
    from typing_extensions import Self


def load(path: str | os.PathLike[str]) -> LoadedModule:
    """Open the shared object at ``path`` with all its kernels.

    The device image of a kernel is loaded when the kernel is first launched.

    Raises:
        InputError: The file is not a shared object with kernels, or cannot be loaded.
        ConfigurationError: The process has already loaded another version of the file.
    """
    file = read_shared_object(Path(path))
    library = Library(file.path)
    try:
        for notes in file.notes:
            library.require_loaded(notes)
        kernels = [k for target in file.targets for k in _read_target(library, file.path, target)]
        return LoadedModule(file.path, library, _choose_keys(kernels))
    except BaseException:
        library.close()
        raise


class LoadedKernel:
    """A kernel of a loaded module; it keeps the module open."""

    def __init__(
        self, library: Library, device: Device, target: str, record: KernelRecord, handle: int
    ) -> None:
        self._library = library
        self._device = device
        self._handle = handle
        self._record = record
        self.target = target

    def __repr__(self) -> str:
        return f"<kernel {self.display}>"

    @property
    def symbol(self) -> str:
        """The host symbol."""
        return self._record.handle

    @property
    def display(self) -> str:
        """The demangled name."""
        return self._record.display

    @property
    def params(self) -> tuple[Param, ...]:
        """The parameters, with the layout of the device image."""
        return self._record.params

    @property
    def identity(self) -> int:
        """The address of the handle, which identifies the kernel to its runtime."""
        return self._handle

    def resolve(self) -> None:
        """Load the device image now.

        Raises:
            LaunchError: There is no image for this machine.
        """
        self._library.require_open()
        try:
            self._device.resolve(self._handle)
        except LaunchError as error:
            raise LaunchError(f"{self.display}: {error}") from None

    def launch(
        self, *, grid: Extent, block: Extent, args: Sequence[object] = (), shared_bytes: int = 0
    ) -> None:
        """Launch the kernel and wait for it.

        Args:
            grid: The number of blocks: one number, or a sequence of up to three.
            block: The number of threads in a block, like ``grid``.
            args: The arguments, which are checked against the parameters.  NumPy arrays for
                pointers are copied to the device and, unless they are read-only or the
                parameter points to const, back; the device sees them in C order.  Addresses,
                None, and ctypes pointers are passed as they are.
            shared_bytes: The size of the dynamic shared memory in bytes.

        Raises:
            ConfigurationError: The arguments do not fit, or the library was closed.
            LaunchError: The launch or the kernel failed.  Nothing is copied back then.
        """
        self._library.require_open()
        config = encode_config(LaunchConfig(grid=grid, block=block, shared_bytes=shared_bytes))
        arguments = self._encoder.convert(args)
        try:
            with DeviceArrays(self._device) as arrays:
                frame = self._encoder.make_frame(arrays.copy_in(arguments))
                self._device.launch(self._handle, config, frame.pointers)
                self._device.synchronize()
                arrays.copy_back()
        except LaunchError as error:
            raise LaunchError(f"{self.display}: {error}") from None

    @cached_property
    def _encoder(self) -> ArgumentEncoder:
        return ArgumentEncoder(self._record)


class LoadedModule(KernelMapping[LoadedKernel]):
    """The kernels of a loaded shared object.

    Iteration yields symbols.  If several targets have a static kernel with the same symbol, the
    name of the target and a colon precede it.  Lookup also accepts demangled names, with or
    without return type and parameter list, if they are unambiguous.
    """

    def __init__(self, path: Path, library: Library, kernels: dict[str, LoadedKernel]) -> None:
        super().__init__((key, kernel.symbol, kernel) for key, kernel in kernels.items())
        self.path = path
        self._library = library

    def __repr__(self) -> str:
        return f"<module {self.path} with {len(self)} kernels>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def count_devices(self) -> int:
        """Return the number of devices that every kernel can use.

        Raises:
            LaunchError: A runtime reports an error instead of its number of devices.
        """
        self._library.require_open()
        return min(kernel._device.count() for kernel in self.values())  # noqa: SLF001

    def close(self) -> None:
        """Unload the shared object; its kernels cannot be launched after this."""
        self._library.close()


def _read_target(library: Library, path: Path, target: TargetNote) -> Iterator[LoadedKernel]:
    """Read the kernels of one target from its descriptor in memory."""
    name = target.record.target
    descriptor = abi.Module.from_address(library.address(target.descriptor))
    size = ctypes.sizeof(abi.Module)
    if descriptor.abi != abi.MODULE_ABI or descriptor.size < size:
        raise InputError(
            f"{path}: target {name!r} has a descriptor with ABI {descriptor.abi} and "
            f"{descriptor.size} bytes; expected ABI {abi.MODULE_ABI} and {size} bytes; rebuild it "
            "with this version of kbuild"
        )
    if descriptor.kernel_count != len(target.record.kernels) or not descriptor.runtime:
        raise InputError(
            f"{path}: the descriptor of target {name!r} contradicts its note; rebuild the target"
        )
    device = Device(descriptor.runtime.contents)
    for index, record in enumerate(target.record.kernels):
        yield LoadedKernel(library, device, name, record, descriptor.kernels[index].handle)


def _choose_keys(kernels: list[LoadedKernel]) -> dict[str, LoadedKernel]:
    """Return the kernels by unique names.

    Two targets can have the same instantiation of a template, which is one kernel, or static
    kernels with the same symbol, which are two kernels.
    """
    distinct = {(k.symbol, k.identity): k for k in reversed(kernels)}
    counts = Counter(symbol for symbol, _ in distinct)
    return {
        k.symbol if counts[k.symbol] == 1 else f"{k.target}:{k.symbol}": k
        for k in reversed(distinct.values())
    }
