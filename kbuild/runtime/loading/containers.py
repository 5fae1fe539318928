"""Read the images and the compilations of an open library's kernels."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from kbuild.backends.module import abi
from kbuild.backends.module.runtime import Device
from kbuild.errors import InputError
from kbuild.files import sha256
from kbuild.model import HighWaterMarks, Kernel, KernelRecord, TargetRecord
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Variant
from kbuild.runtime.fat_binary import find_reader, unpack_fat_binary
from kbuild.runtime.loading.library import Library

# The images of a container, and the kernels of the first one by name.
_Content: TypeAlias = tuple[tuple[CompiledImage, ...], dict[str, Kernel]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadedTarget:
    """A kernel target in an open library.

    Attributes:
        record: The kernel table.
        descriptor: The descriptor in memory.
        device: The runtime that the target is linked to.
        contents: The containers that were read, by their number.
    """

    library: Library
    record: TargetRecord
    descriptor: abi.Module
    device: Device
    contents: dict[int, _Content] = field(default_factory=dict)


def describe_compilation(target: LoadedTarget, index: int) -> Compilation:
    """Describe how the source of a container was compiled, as far as the kernel table says."""
    container = target.record.containers[index]
    first = container.images[0] if container.images else None
    number = first.compiler if first else None
    compiler = target.record.compilers[number] if number is not None else None
    return Compilation(
        source=container.source,
        base_name=Path(container.source).stem,
        backend=target.record.backend,
        arch=first.arch if first else "",
        command=(compiler.name, *compiler.options) if compiler else (),
        compiler=compiler.name if compiler else "",
        compiler_version=compiler.version if compiler else "",
        log="",
        warnings="",
    )


def read_variant(target: LoadedTarget, kernel: KernelRecord) -> Variant:
    """Read the code of a kernel in the library.

    Raises:
        InputError: The fat binary is damaged.
        ConfigurationError: The library was closed.
    """
    content = target.contents.get(kernel.container)
    if content is None:
        content = target.contents[kernel.container] = _read_container(target, kernel.container)
    images, kernels = content
    if kernel.device_name not in kernels:
        raise InputError(f"the images of {kernel.display} do not contain {kernel.device_name}")
    resources = kernels[kernel.device_name].resources
    return Variant(
        reason="built",
        marks=HighWaterMarks(max_threads=resources.max_threads, max_registers=resources.registers),
        resources=resources,
        images=images,
        command=(),
        log="",
    )


def _read_container(target: LoadedTarget, index: int) -> _Content:
    target.library.require_open()
    row = target.descriptor.containers[index]
    source = target.record.containers[index].source
    backend = target.record.backend
    unpacked = unpack_fat_binary(backend, ctypes.string_at(row.data, row.size), source)
    images = tuple(
        CompiledImage(
            arch=stored.arch,
            kind=stored.kind,
            file_name=f"{Path(source).stem}.{stored.arch}.{stored.kind}",
            sha256=sha256(bytes(data)),
            data=bytes(data),
        )
        for stored, data in unpacked
    )
    if not images:
        raise InputError(f"{source}: the fat binary has no images")
    # Machine code says more about resources than code that the driver compiles.
    images = tuple(sorted(images, key=lambda image: image.kind != "elf"))
    content = find_reader(backend).read_image(images[0].data, images[0].kind)
    return images, {kernel.name: kernel for kernel in content.kernels}
