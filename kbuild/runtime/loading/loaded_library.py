"""``kbuild.load``: the kernels of a shared object, by name, ready to launch."""

from __future__ import annotations

import ctypes
import os
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kbuild.backends.module import abi
from kbuild.backends.module.launch import ModuleFunction
from kbuild.backends.module.runtime import Device
from kbuild.errors import InputError
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.kernel_names import KernelMapping
from kbuild.runtime.loading.containers import LoadedTarget, describe_compilation, read_variant
from kbuild.runtime.loading.library import Library
from kbuild.runtime.loading.shared_object import TargetNote, read_shared_object

if TYPE_CHECKING:
    from typing_extensions import Self


def load(path: str | os.PathLike[str]) -> LoadedLibrary:
    """Open the shared object at ``path`` with all its kernels.

    The kernels are those of the library in this process: they share their device variables with
    its host code, whether or not the process has linked or loaded it before.  The device image of
    a kernel is loaded when the kernel is first launched.

    Raises:
        InputError: The file is not a shared object with kernels, or cannot be loaded.
        ConfigurationError: The process has already loaded another version of the file.
    """
    file = read_shared_object(Path(path))
    library = Library(file.path)
    try:
        for notes in file.notes:
            library.require_loaded(notes)
        targets = [_open_target(library, file.path, target) for target in file.targets]
        return LoadedLibrary(file.path, library, targets)
    except BaseException:
        library.close()
        raise


class LoadedLibrary(KernelMapping[CompiledKernel]):
    """The kernels of an open library.

    Iteration yields demangled names, or symbols where those are ambiguous.  Lookup accepts both,
    and demangled names without return type and parameter list if they are unambiguous.  If several
    targets have a static kernel with the same symbol, the name of the target and a colon precede
    the symbol.

    A library is also a context manager, which closes it.

    Attributes:
        path: The path of the shared object.
    """

    def __init__(self, path: Path, library: Library, targets: list[LoadedTarget]) -> None:
        kernels = [kernel for target in targets for kernel in _list_kernels(target)]
        super().__init__(
            (key, kernel.name, kernel) for key, kernel in _choose_keys(kernels).items()
        )
        self.path = path
        self._library = library
        self._targets = targets

    def __repr__(self) -> str:
        return f"<library {self.path} with {len(self)} kernels>"

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
        return min(target.device.count() for target in self._targets)

    def close(self) -> None:
        """Close the shared object; its kernels cannot be launched after this."""
        self._library.close()


def _open_target(library: Library, path: Path, target: TargetNote) -> LoadedTarget:
    """Find one target by its descriptor in memory."""
    name = target.record.target
    descriptor = abi.Module.from_address(library.address(target.descriptor))
    size = ctypes.sizeof(abi.Module)
    if descriptor.abi != abi.MODULE_ABI or descriptor.size < size:
        raise InputError(
            f"{path}: target {name!r} has a descriptor with ABI {descriptor.abi} and "
            f"{descriptor.size} bytes; expected ABI {abi.MODULE_ABI} and {size} bytes; rebuild it "
            "with this version of kbuild"
        )
    if (
        descriptor.kernel_count != len(target.record.kernels)
        or descriptor.container_count != len(target.record.containers)
        or not descriptor.runtime
    ):
        raise InputError(
            f"{path}: the descriptor of target {name!r} contradicts its note; rebuild the target"
        )
    return LoadedTarget(
        library=library,
        record=target.record,
        descriptor=descriptor,
        device=Device(descriptor.runtime.contents),
    )


def _list_kernels(target: LoadedTarget) -> Iterator[tuple[str, CompiledKernel]]:
    """Yield the name of the target with each of its kernels."""
    compilations = [
        describe_compilation(target, index) for index in range(len(target.record.containers))
    ]
    for index, record in enumerate(target.record.kernels):
        function = ModuleFunction(
            device=target.device,
            handle=target.descriptor.kernels[index].handle,
            owner=target.library,
            require_open=target.library.require_open,
        )
        yield (
            target.record.target,
            CompiledKernel(
                record=record,
                compilation=compilations[record.container],
                variant=partial(read_variant, target, record),
                registered=function,
            ),
        )


def _choose_keys(kernels: list[tuple[str, CompiledKernel]]) -> dict[str, CompiledKernel]:
    """Return the kernels by unique names.

    Two targets can have the same instantiation of a template, which is one kernel, or static
    kernels with the same symbol, which are two kernels.
    """
    distinct = {
        (k.name, k.registered and k.registered.handle): (t, k) for t, k in reversed(kernels)
    }
    counts = Counter(symbol for symbol, _ in distinct)
    return {
        k.name if counts[k.name] == 1 else f"{target}:{k.name}": k
        for target, k in reversed(distinct.values())
    }
