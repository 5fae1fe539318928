"""Recompilers: assemble a kernel again, with the tools that first compiled it."""

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
from kbuild.runtime.compiling.model import CompiledImage, Variant
from kbuild.stages.compile import describe_content


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembledImage:
    """An image that was assembled again for one kernel.

    ``command`` and ``log`` are of the tool that assembled it.
    """

    arch: str
    file_name: str
    data: bytes
    kind: ImageKind = "elf"
    command: tuple[str, ...] = ()
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableRecompiler:
    """A recompiler for code that the driver of the device assembles.

    It only writes the new bounds into the assembly.

    Attributes:
        source: The source's name in messages.
        arch: The architecture of the image that the kernel first had.
        assembly: The assembly that the first compilation produced.
        options: The options of the first compilation.
    """

    backend: str
    source: str
    arch: str
    assembly: CompiledImage
    options: tuple[str, ...] = ()

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """See `Recompiler`."""
        image = AssembledImage(
            arch=self.assembly.arch,
            kind=self.assembly.kind,
            file_name=self.assembly.file_name,
            data=self.mark_assembly(kernel, marks),
        )
        return self.describe_variant(image, kernel, marks, reason)

    def find_largest_block(self, resources: Resources) -> int | None:
        """See `Recompiler`."""
        return find_largest_block(self.backend, self.arch, resources)

    def choose_launch_bound(self, threads: int) -> int | None:
        """See `Recompiler`."""
        return choose_launch_bound(self.backend, threads)

    def choose_registers(self, threads: int) -> int | None:
        """See `Recompiler`."""
        return choose_registers(self.backend, self.arch, threads, self.options)

    def mark_assembly(self, kernel: str, marks: HighWaterMarks) -> bytes:
        """Return the assembly with ``marks`` as the bounds of ``kernel``.

        Raises:
            InputError: The backend does not support this.
        """
        assembler = require_assembler(self.backend)
        return assembler.mark_assembly(self.assembly.data, kernel, marks)

    def describe_variant(
        self, assembled: AssembledImage, kernel: str, marks: HighWaterMarks, reason: str
    ) -> Variant:
        """Return the variant of ``kernel`` in an assembled image.

        Raises:
            InputError: The image is malformed.
        """
        output = ImageOutput(
            path=Path(assembled.file_name),
            arch=assembled.arch,
            kind=assembled.kind,
            spills=require_assembler(self.backend).read_spills(assembled.log),
        )
        image = describe_content(self.source, output, assembled.data, self.backend)
        resources = next(k.resources for k in image.kernels if k.name == kernel)
        return Variant(
            reason=reason,
            marks=marks,
            resources=resources,
            images=(
                CompiledImage(
                    arch=image.arch,
                    kind=image.kind,
                    file_name=assembled.file_name,
                    sha256=image.sha256,
                    data=assembled.data,
                ),
            ),
            command=assembled.command,
            log=assembled.log,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecompiler(PortableRecompiler):
    """A recompiler that calls the assembler of ``toolchain``.

    A kernel can run on another machine than the one that compiled it.  If the assembler is not
    installed, the driver of the device assembles the kernel instead.
    """

    toolchain: Toolchain
    base_name: str
    debug: bool = False

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """See `Recompiler`."""
        marked = self.mark_assembly(kernel, marks)
        with tempfile.TemporaryDirectory(prefix="kbuild-assemble-") as name:
            directory = Path(name)
            unit = AssembleUnit(
                kernel=kernel,
                arch=self.arch,
                assembly=directory / self.assembly.file_name,
                output=directory / self.base_name,
                options=self.options,
                debug=self.debug,
            )
            unit.assembly.write_bytes(marked)
            command = require_assembler(self.backend).assemble_command(unit, self.toolchain)
            try:
                log = process.run_checked(command).stderr
            except ToolchainError as error:
                return PortableRecompiler.recompile(self, kernel, marks, f"{reason}; {error}")
            file = command.outputs[0]
            image = AssembledImage(
                arch=self.arch,
                file_name=file.name,
                data=files.read_file(file),
                command=command.argv,
                log=log,
            )
        return self.describe_variant(image, kernel, marks, reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcRecompiler(PortableRecompiler):
    """A recompiler that calls the assembler of the runtime compiler."""

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """See `Recompiler`."""
        marked = self.mark_assembly(kernel, marks)
        data, log = require_assembler(self.backend).assemble(marked, self.arch, self.options)
        file_name = f"{Path(self.source).stem}.cubin"
        image = AssembledImage(arch=self.arch, file_name=file_name, data=data, log=log)
        return self.describe_variant(image, kernel, marks, reason)


def require_assembler(backend: str) -> RuntimeCompiler:
    """Return the capability of ``backend`` that assembles kernels again.

    Raises:
        InputError: The backend does not have it.
    """
    assembler = find_backend(backend).rtc
    if assembler is None:
        raise InputError(f"backend {backend!r} cannot assemble a kernel again")
    return assembler


def find_largest_block(backend: str, arch: str, resources: Resources) -> int | None:
    """Return the largest number of threads in a block of code that uses ``resources``.

    Returns:
        None if the limits of the architecture are unknown.
    """
    return find_limits(backend).most_threads_of(arch, resources)


def choose_registers(backend: str, arch: str, threads: int, options: tuple[str, ...]) -> int | None:
    """Return the register limit to compile for: what a block can have and ``options`` allow.

    Without a limit, ptxas chooses one for several blocks per multiprocessor.  Measured with CUDA
    13.0 for sm_90: a kernel with 64 live doubles and a launch bound of 512 threads gets 32
    registers and spills 13 KB; with a limit of 128 registers, it spills 1.3 KB.

    Returns:
        None if the limit is unknown.
    """
    limits = find_limits(backend)
    known = (limits.registers_of(arch, threads), limits.limit_in(options))
    return min((value for value in known if value is not None), default=None)


def choose_launch_bound(backend: str, threads: int) -> int | None:
    """Return the launch bound to compile for, so that blocks can have ``threads`` threads.

    A device allocates registers to a block in units of threads, so rounding up costs nothing.

    Returns:
        None if no device of the backend supports such a block, or the limit is unknown.
    """
    limits = find_limits(backend)
    if limits.largest_block is None or threads > limits.largest_block:
        return None
    unit = limits.block_unit
    return min(-(-threads // unit) * unit, limits.largest_block)
