"""The kernels of one compiled source, by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kbuild import records
from kbuild.files import write_file
from kbuild.model import DeviceImage, HighWaterMarks, Kernel, KernelRecord
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Recompiler, Variant
from kbuild.runtime.kernel_names import KernelMapping
from kbuild.stages.compile import CompiledSource


class CompiledModule(KernelMapping[CompiledKernel]):
    """The kernels of one compiled source.

    Iteration yields demangled names, or symbols where those are ambiguous.  Lookup accepts both,
    and demangled names without return type and parameter list if they are unambiguous.

    Attributes:
        compilation: How the source was compiled.
        text: The content of the source.
    """

    def __init__(
        self,
        compilation: Compilation,
        kernels: tuple[CompiledKernel, ...],
        compiled: CompiledSource,
        text: bytes,
    ) -> None:
        super().__init__((kernel.name, kernel.name, kernel) for kernel in kernels)
        self.compilation = compilation
        self.text = text
        self._compiled = compiled

    @property
    def record(self) -> bytes:
        """The ``kbuild.image/1`` record that a compile edge writes for the same source."""
        return records.dump(records.IMAGE_SCHEMA, self._compiled)

    def __repr__(self) -> str:
        return f"<compiled {self.compilation.source} with {len(self)} kernels>"

    def save(self, directory: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the source, the assembly, and the images into ``directory``.

        Returns:
            The paths of the files, which have the same name apart from their suffixes.
        """
        suffix = Path(self.compilation.source).suffix
        contents = {f"{self.compilation.base_name}{suffix}": self.text}
        for kernel in self.values():
            assembly = (kernel.assembly,) if kernel.assembly else ()
            contents |= {image.file_name: image.data for image in (*assembly, *kernel.images)}
        for name, content in contents.items():
            write_file(Path(directory) / name, content)
        return tuple(Path(directory) / name for name in contents)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFiles:
    """The outputs of a compilation in memory; the images have the order of the record."""

    compiled: CompiledSource
    images: tuple[bytes, ...]
    text: bytes


def make_module(
    compilation: Compilation,
    files: CompiledFiles,
    rows: tuple[KernelRecord, ...],
    recompiler: Recompiler | None,
) -> CompiledModule:
    """Return the module of the kernels in ``rows``, the kernel table of ``files``."""
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
