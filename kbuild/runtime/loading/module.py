"""``kbuild.load``: the kernels of a shared object, by name, ready to launch."""

from __future__ import annotations

import ctypes
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kbuild.backends.interface.launch_config import Extent, LaunchConfig
from kbuild.backends.module import abi
from kbuild.backends.module.launch import encode_config
from kbuild.backends.module.runtime import Device
from kbuild.errors import InputError, LaunchError
from kbuild.model import KernelRecord, Param
from kbuild.runtime.launch import launch
from kbuild.runtime.loading.library import Library
from kbuild.runtime.loading.shared_object import TargetNote, read_shared_object
from kbuild.runtime.names import KernelName, KernelNotFoundError, NameIndex

if TYPE_CHECKING:
    from typing_extensions import Self


def load(path: str | os.PathLike[str]) -> Module:
    """Open the shared object at ``path``, with all its kernels.

    Raises InputError for what is no shared object with kernels, or cannot be loaded.  A
    kernel's device image loads when it is first launched.
    """
    file = read_shared_object(Path(path))
    library = Library(file.path)
    try:
        for notes in file.notes:
            library.require_loaded(notes)
        kernels = [k for target in file.targets for k in _read_target(library, file.path, target)]
        return Module(file.path, library, _name_apart(kernels))
    except BaseException:
        library.close()
        raise


class LoadedKernel:
    """A kernel of a loaded module, which it keeps open."""

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
        """The parameters, as the device image lays them out."""
        return self._record.params

    @property
    def identity(self) -> int:
        """The address of the handle: what identifies the kernel to its runtime."""
        return self._handle

    def resolve(self) -> None:
        """Load the device image now; LaunchError where there is none for this machine."""
        self._library.require_open()
        try:
            self._device.resolve(self._handle)
        except LaunchError as error:
            raise LaunchError(f"{self.display}: {error}") from None

    def launch(
        self, *, grid: Extent, block: Extent, args: Sequence[object] = (), shared_bytes: int = 0
    ) -> None:
        """Launch, wait until it is done, and raise LaunchError for what went wrong.

        ``grid`` and ``block`` are a number or up to three.  ``args`` are checked against
        the parameters (ConfigurationError): numpy arrays for pointers are copied to the
        device and, unless they are read-only or the pointer is to const, back; the device
        sees them in C order.  Addresses, None and ctypes pointers are passed as they are.
        """
        self._library.require_open()
        config = encode_config(LaunchConfig(grid=grid, block=block, shared_bytes=shared_bytes))
        try:
            launch(self._device, self._handle, self._record, config, args)
        except LaunchError as error:
            raise LaunchError(f"{self.display}: {error}") from None


class Module(Mapping[str, LoadedKernel]):
    """The kernels of a loaded shared object.

    Iteration gives symbols, except that a static kernel's begins with its target's name
    where several targets have one.  Look-up takes these, and demangled names, with or
    without return type and parameter list, where they are unambiguous.
    """

    def __init__(self, path: Path, library: Library, kernels: dict[str, LoadedKernel]) -> None:
        self.path = path
        self._library = library
        self._kernels = kernels
        self._names = NameIndex(
            KernelName(key=key, symbol=kernel.symbol, display=kernel.display)
            for key, kernel in kernels.items()
        )

    def __getitem__(self, name: str) -> LoadedKernel:
        """The kernel called ``name``; KernelNotFoundError lists candidates."""
        if not isinstance(name, str):
            raise KernelNotFoundError(f"a kernel goes by its name, not by {name!r}")
        return self._kernels[self._names.find(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

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
        """How many devices there are for every kernel; LaunchError if a runtime cannot tell."""
        self._library.require_open()
        return min(kernel._device.count() for kernel in self._kernels.values())  # noqa: SLF001

    def close(self) -> None:
        """Unload the shared object; its kernels cannot be launched any more."""
        self._library.close()


def _read_target(library: Library, path: Path, target: TargetNote) -> Iterator[LoadedKernel]:
    """The kernels of one target, through its descriptor in memory."""
    descriptor = abi.Module.from_address(library.address(target.descriptor))
    size = ctypes.sizeof(abi.Module)
    if descriptor.abi != abi.MODULE_ABI or descriptor.size < size:
        raise InputError(
            f"{path}: target {target.record.target} has ABI {descriptor.abi} of {descriptor.size} "
            f"bytes, not ABI {abi.MODULE_ABI} of {size}; build it with this kbuild"
        )
    if descriptor.kernel_count != len(target.record.kernels) or not descriptor.runtime:
        raise InputError(f"{path}: target {target.record.target} disagrees with its own record")
    device = Device(descriptor.runtime.contents)
    for index, record in enumerate(target.record.kernels):
        handle = descriptor.kernels[index].handle
        yield LoadedKernel(library, device, target.record.target, record, handle)


def _name_apart(kernels: list[LoadedKernel]) -> dict[str, LoadedKernel]:
    """The kernels by names of their own.

    Two targets may have one instantiation of a template, which is one kernel, and static
    kernels of one name, which are two.
    """
    distinct = {(k.symbol, k.identity): k for k in reversed(kernels)}
    counts = Counter(symbol for symbol, _ in distinct)
    return {
        k.symbol if counts[k.symbol] == 1 else f"{k.target}:{k.symbol}": k
        for k in reversed(distinct.values())
    }
