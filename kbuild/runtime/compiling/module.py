"""The kernels of one compiled source, by name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbuild import records
from kbuild.files import write_file
from kbuild.model import DeviceImage, HighWaterMarks, Kernel, KernelRecord
from kbuild.runtime.compiling.kernel import (
    Compilation,
    CompiledImage,
    CompiledKernel,
    Recompiler,
    Variant,
)
from kbuild.runtime.names import KernelName, KernelNotFoundError, NameIndex
from kbuild.stages.compile import CompiledSource


class CompiledModule(Mapping[str, CompiledKernel]):
    """The kernels of one compiled source.

    Iteration gives symbols; look-up takes these, and demangled names, with or without return
    type and parameter list, where they are unambiguous.  ``text`` is the source's content.
    """

    def __init__(
        self,
        compilation: Compilation,
        kernels: tuple[CompiledKernel, ...],
        compiled: CompiledSource,
        text: bytes,
    ) -> None:
        self.compilation = compilation
        self.text = text
        self._compiled = compiled
        self._kernels = {kernel.name: kernel for kernel in kernels}
        self._names = _index(self._kernels)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_names"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._names = _index(self._kernels)

    @property
    def record(self) -> bytes:
        """What a build's compile edge leaves of the same source: a ``kbuild.image/1``."""
        return records.dump(records.IMAGE_SCHEMA, self._compiled)

    def __getitem__(self, name: str) -> CompiledKernel:
        """The kernel called ``name``; KernelNotFoundError lists candidates."""
        if not isinstance(name, str):
            raise KernelNotFoundError(f"a kernel goes by its name, not by {name!r}")
        return self._kernels[self._names.find(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        return f"<compiled {self.compilation.source} with {len(self)} kernels>"

    def save(self, directory: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write source, assembly and images into ``directory``, under one base name."""
        suffix = Path(self.compilation.source).suffix
        contents = {f"{self.compilation.base_name}{suffix}": self.text}
        for kernel in self.values():
            assembly = (kernel.assembly,) if kernel.assembly else ()
            contents |= {image.file_name: image.data for image in (*assembly, *kernel.images)}
        for name, content in contents.items():
            write_file(Path(directory) / name, content)
        return tuple(Path(directory) / name for name in contents)


def _index(kernels: dict[str, CompiledKernel]) -> NameIndex:
    return NameIndex(
        KernelName(key=key, symbol=kernel.name, display=kernel.display)
        for key, kernel in kernels.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFiles:
    """What a compilation left, read into memory: the images in the record's order."""

    compiled: CompiledSource
    images: tuple[bytes, ...]
    assembly: CompiledImage | None
    text: bytes


def make_module(
    compilation: Compilation,
    files: CompiledFiles,
    rows: tuple[KernelRecord, ...],
    recompiler: Recompiler | None,
) -> CompiledModule:
    """The module of ``rows``, the kernel table of what ``files`` hold."""
    described = files.compiled.images
    images = tuple(
        CompiledImage(
            arch=image.arch,
            kind=image.kind,
            file_name=image.path.name,
            sha256=image.sha256,
            data=data,
        )
        for image, data in zip(described, files.images, strict=True)
    )
    kernels = tuple(
        CompiledKernel(
            record=row,
            compilation=compilation,
            variant=_describe_first(row, described, images, compilation),
            assembly=files.assembly,
            recompiler=recompiler,
        )
        for row in rows
    )
    return CompiledModule(compilation, kernels, files.compiled, files.text)


def _describe_first(
    row: KernelRecord,
    described: tuple[DeviceImage, ...],
    images: tuple[CompiledImage, ...],
    compilation: Compilation,
) -> Variant:
    kernels: dict[str, Kernel] = {kernel.name: kernel for kernel in described[0].kernels}
    resources = kernels[row.device_name].resources
    return Variant(
        reason="first compiled",
        marks=HighWaterMarks(max_threads=resources.max_threads, max_registers=resources.registers),
        resources=resources,
        images=images,
        command=compilation.command,
        log=compilation.log,
    )
