"""The kernels of one compiled source or file, by name."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kbuild import __version__, records
from kbuild.errors import InputError
from kbuild.model import DeviceImage, HighWaterMarks, KernelRecord, Resources
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.device_files import read_device_file
from kbuild.runtime.compiling.model import (
    Compilation,
    CompileArguments,
    CompiledImage,
    Recompiler,
    Variant,
)
from kbuild.runtime.compiling.saved import (
    SUFFIX,
    SavedModule,
    describe_file,
    describe_recompiler,
    read_files,
    read_saved,
    restore_recompiler,
    save_module,
)
from kbuild.runtime.kernel_names import KernelMapping
from kbuild.stages.compile import CompiledSource


class CompiledModule(KernelMapping[CompiledKernel]):
    """The kernels of one compiled source, or of one file of device code.

    Iteration yields demangled names, or symbols where those are ambiguous.  Lookup accepts both,
    and demangled names without return type and parameter list if they are unambiguous.

    Attributes:
        compilation: How the source was compiled.
        text: The content of the source; None if the module was loaded from device code alone.
        arguments: The arguments of the compiler; None if the module was loaded from device code
            alone.
        images: The device images.
        recompiler: Assembles the kernels again, if that is possible.
    """

    def __init__(
        self,
        compilation: Compilation,
        files: CompiledFiles,
        rows: tuple[KernelRecord, ...],
        recompiler: Recompiler | None,
    ) -> None:
        described = files.compiled.images
        self.compilation = compilation
        self.compiled = files.compiled
        self.text = files.text
        self.arguments = files.arguments
        self.recompiler = recompiler
        self.images = tuple(
            CompiledImage(
                arch=image.arch,
                kind=image.kind,
                file_name=image.path.name,
                sha256=image.sha256,
                data=data,
            )
            for image, data in zip(described, files.images, strict=True)
        )
        containers = [
            [pair for pair in zip(described, self.images, strict=True) if pair[0].source == source]
            for source in dict.fromkeys(image.source for image in described)
        ]
        text = None if files.text is None else files.text.decode(errors="replace")
        kernels = (
            CompiledKernel(
                record=row,
                compilation=compilation,
                variant=_describe_first(row, containers[row.container], compilation),
                recompiler=recompiler or _make_recompiler(compilation, containers[row.container]),
                source_text=text,
            )
            for row in rows
        )
        super().__init__((kernel.name, kernel.name, kernel) for kernel in kernels)

    @property
    def record(self) -> bytes:
        """The ``kbuild.image/1`` record that a compile edge writes for the same source."""
        return records.dump(records.IMAGE_SCHEMA, self.compiled)

    @property
    def source_name(self) -> str:
        """The file name of the source when it is saved."""
        return f"{self.compilation.base_name}{Path(self.compilation.source).suffix}"

    def __repr__(self) -> str:
        return f"<compiled {self.compilation.source} with {len(self)} kernels>"

    def save(self, directory: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write the source, the assembly, the images, and a description into ``directory``.

        `load` reads them again.  Code that was assembled again for a launch is not saved.

        Returns:
            The paths of the files, which have the same name apart from their suffixes.
        """
        assembly = self.recompiler.assembly if self.recompiler else None
        images = (*((assembly,) if assembly else ()), *self.images)
        contents = {} if self.text is None else {self.source_name: self.text}
        contents |= {image.file_name: image.data for image in images}
        saved = SavedModule(
            version=__version__,
            compilation=self.compilation,
            arguments=self.arguments,
            source=None if self.text is None else describe_file(self.source_name, self.text),
            compiled=self.compiled,
            kernels=tuple(kernel.record for kernel in self.values()),
            recompiler=describe_recompiler(self.recompiler),
        )
        return save_module(saved, contents, Path(directory))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CompiledModule:
        """Read a saved module, or the kernels in a file of device code.

        Nothing in the file runs: kernels of a library have their own device variables here.  Use
        `kbuild.load` to share those of the library's host code.

        Args:
            path: The directory or the description that `save` wrote; or a cubin, PTX, a fat binary,
                a code object, an image for the processor, or a library or object that contains
                device code.

        Raises:
            InputError: The file or a part of it is missing or damaged, comes from another version
                of kbuild, or contains no kernels.
        """
        path = Path(path)
        if path.is_dir() or path.name.endswith(SUFFIX):
            return _restore(path)
        file = read_device_file(path)
        files = CompiledFiles(compiled=file.compiled, images=file.contents)
        return cls(file.compilation, files, file.rows, None)


def _restore(path: Path) -> CompiledModule:
    saved, directory = read_saved(path)
    contents = read_files(saved, directory)
    files = CompiledFiles(
        compiled=saved.compiled,
        images=tuple(contents[str(image.path)] for image in saved.compiled.images),
        text=contents[saved.source.file_name] if saved.source else None,
        arguments=saved.arguments,
    )
    recompiler = restore_recompiler(saved.recompiler, saved.compilation, contents)
    try:
        return CompiledModule(saved.compilation, files, saved.kernels, recompiler)
    except (IndexError, ValueError):
        raise InputError(
            f"{path}: the kernel table does not fit the images; save the module again"
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledFiles:
    """The outputs of a compilation in memory; the images have the order of the record."""

    compiled: CompiledSource
    images: tuple[bytes, ...]
    text: bytes | None = None
    arguments: CompileArguments | None = None


def _make_recompiler(
    compilation: Compilation, images: list[tuple[DeviceImage, CompiledImage]]
) -> Recompiler | None:
    """Return a recompiler for the kernels of a file with PTX; None if there is no PTX."""
    assembly = next((image for _, image in images if image.kind == "ptx"), None)
    if assembly is None:
        return None
    from kbuild.runtime.compiling.recompilers import PortableRecompiler  # noqa: PLC0415 - slow to import

    real = next((image for _, image in images if image.kind == "elf"), assembly)
    return PortableRecompiler(
        backend=compilation.backend,
        source=compilation.source,
        arch=real.arch,
        assembly=assembly,
    )


def _describe_first(
    row: KernelRecord,
    images: list[tuple[DeviceImage, CompiledImage]],
    compilation: Compilation,
) -> Variant:
    def find(image: DeviceImage) -> Resources | None:
        return next((k.resources for k in image.kernels if k.name == row.device_name), None)

    # Machine code says more about resources than code that the driver compiles.
    images = sorted(images, key=lambda pair: (find(pair[0]) is None, pair[0].kind != "elf"))
    resources = find(images[0][0])
    if resources is None:
        raise IndexError(row.device_name)
    return Variant(
        reason="first compiled",
        marks=HighWaterMarks(max_threads=resources.max_threads, max_registers=resources.registers),
        resources=resources,
        images=tuple(image for _, image in images),
        command=compilation.command,
        log=compilation.log,
    )
