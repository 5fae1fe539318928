"""Assembles a kernel again, with the tools that first compiled it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from kbuild import files, process
from kbuild.backends import find_backend, find_limits
from kbuild.backends.interface.build import ImageOutput
from kbuild.backends.interface.rtc import AssembleUnit, RuntimeCompiler
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import InputError, ToolchainError
from kbuild.model import HighWaterMarks, ImageKind, Resources
from kbuild.runtime.compiling.kernel import CompiledImage, Variant
from kbuild.stages.compile import describe_content


def find_most_threads(backend: str, arch: str, resources: Resources) -> int | None:
    """The largest block that code of these needs can be launched with; None if unknown."""
    return find_limits(backend).most_threads_of(arch, resources)


def mark_block(backend: str, threads: int) -> int | None:
    """The bound to compile for where blocks have so many threads; None where there is none.

    Registers are given to a block in steps: what lies between costs nothing.
    """
    limits = find_limits(backend)
    if limits.largest_block is None or threads > limits.largest_block:
        return None
    unit = limits.block_unit
    return min(-(-threads // unit) * unit, limits.largest_block)


def require_assembler(backend: str) -> RuntimeCompiler:
    """Return what assembles kernels of ``backend`` again; raise InputError if nothing does."""
    assembler = find_backend(backend).rtc
    if assembler is None:
        raise InputError(f"backend {backend!r} cannot assemble a kernel again")
    return assembler


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """An image that was assembled again, for the sake of one kernel."""

    source: str
    backend: str
    kernel: str
    arch: str
    file_name: str
    data: bytes
    command: tuple[str, ...] = ()
    log: str = ""
    kind: ImageKind = "elf"


def describe_variant(made: Assembled, marks: HighWaterMarks, reason: str) -> Variant:
    """The kernel in what was assembled; InputError where that makes no sense."""
    output = ImageOutput(
        path=Path(made.file_name),
        arch=made.arch,
        kind=made.kind,
        spills=require_assembler(made.backend).read_spills(made.log),
    )
    image = describe_content(made.source, output, made.data, made.backend)
    resources = next(k.resources for k in image.kernels if k.name == made.kernel)
    return Variant(
        reason=reason,
        marks=marks,
        resources=resources,
        images=(
            CompiledImage(
                arch=image.arch,
                kind=image.kind,
                file_name=made.file_name,
                sha256=image.sha256,
                data=made.data,
            ),
        ),
        command=made.command,
        log=made.log,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecompiler:
    """A recompiler that calls the assembler of ``toolchain``; ``arch`` is the image's.

    Where that is not installed, as a kernel may run on another machine than it was compiled on,
    the device's driver assembles instead.
    """

    toolchain: Toolchain
    source: str
    base_name: str
    arch: str
    options: tuple[str, ...]
    assembly: CompiledImage

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """See `Recompiler`."""
        assembler = require_assembler(self.toolchain.backend)
        marked = assembler.mark_assembly(self.assembly.data, kernel, marks)
        with tempfile.TemporaryDirectory(prefix="kbuild-assemble-") as name:
            folder = Path(name)
            unit = AssembleUnit(
                kernel=kernel,
                arch=self.arch,
                assembly=folder / self.assembly.file_name,
                output=folder / self.base_name,
                options=self.options,
            )
            unit.assembly.write_bytes(marked)
            command = assembler.assemble_command(unit, self.toolchain)
            try:
                log = process.run_checked(command).stderr
            except ToolchainError as error:
                return self._leave_to_driver(kernel, marks, f"{reason}; {error}")
            file = command.outputs[0]
            made = Assembled(
                source=self.source,
                backend=self.toolchain.backend,
                kernel=kernel,
                arch=self.arch,
                file_name=file.name,
                data=files.read_file(file),
                command=command.argv,
                log=log,
            )
        return describe_variant(made, marks, reason)

    def _leave_to_driver(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        portable = PortableRecompiler(
            backend=self.toolchain.backend, source=self.source, assembly=self.assembly
        )
        return portable.recompile(kernel, marks, reason)

    def find_most_threads(self, resources: Resources) -> int | None:
        """See `Recompiler`."""
        return find_most_threads(self.toolchain.backend, self.arch, resources)

    def mark_block(self, threads: int) -> int | None:
        """See `Recompiler`."""
        return mark_block(self.toolchain.backend, threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableRecompiler:
    """A recompiler of code that the device's driver assembles: marking it is all there is to do."""

    backend: str
    source: str
    assembly: CompiledImage

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """See `Recompiler`."""
        assembler = require_assembler(self.backend)
        marked = assembler.mark_assembly(self.assembly.data, kernel, marks)
        made = Assembled(
            source=self.source,
            backend=self.backend,
            kernel=kernel,
            arch=self.assembly.arch,
            kind=self.assembly.kind,
            file_name=self.assembly.file_name,
            data=marked,
        )
        return describe_variant(made, marks, reason)

    def find_most_threads(self, resources: Resources) -> int | None:
        """See `Recompiler`."""
        return find_most_threads(self.backend, self.assembly.arch, resources)

    def mark_block(self, threads: int) -> int | None:
        """See `Recompiler`."""
        return mark_block(self.backend, threads)
