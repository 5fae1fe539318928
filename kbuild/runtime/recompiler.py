"""Assembles a kernel again, with the tools that first compiled it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from kbuild import process, record
from kbuild.backends import find_backend
from kbuild.backends.protocol import AssembleUnit, Toolchain
from kbuild.backends.readers import device_limits
from kbuild.errors import InputError
from kbuild.model import Marks, Resources
from kbuild.runtime.compiled_kernel import CompiledImage, Variant
from kbuild.stages.compile import describe_image


def find_most_threads(backend: str, arch: str, resources: Resources) -> int | None:
    """The largest block that code of these needs can be launched with; None if unknown."""
    return device_limits(backend).most_threads_of(arch, resources)


def mark_block(backend: str, threads: int) -> int | None:
    """The bound to compile for where blocks have so many threads; None where there is none.

    Registers are given to a block in steps: what lies between costs nothing.
    """
    limits = device_limits(backend)
    if limits.largest_block is None or threads > limits.largest_block:
        return None
    unit = limits.block_unit
    return min(-(-threads // unit) * unit, limits.largest_block)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRecompiler:
    """A recompiler that calls the assembler of ``toolchain``; ``arch`` is the image's."""

    toolchain: Toolchain
    source: str
    base_name: str
    arch: str
    options: tuple[str, ...]
    assembly: CompiledImage

    def recompile(self, kernel: str, marks: Marks, reason: str) -> Variant:
        """See `Recompiler`."""
        backend = find_backend(self.toolchain.backend)
        marked = backend.mark_assembly(self.assembly.data, kernel, marks)
        if marked is None:
            raise InputError(f"backend {backend.NAME} assembles nothing again")
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
            command = backend.assemble_command(unit, self.toolchain)
            log = process.run_checked(command).stderr
            output = backend.read_assembled(unit, log)
            image = describe_image(self.source, output, backend)
            data = record.read_file(output.path)
        resources = next(k.resources for k in image.kernels if k.name == kernel)
        return Variant(
            reason=reason,
            marks=marks,
            resources=resources,
            images=(
                CompiledImage(
                    arch=image.arch,
                    kind=image.kind,
                    file_name=output.path.name,
                    sha256=image.sha256,
                    data=data,
                ),
            ),
            command=command.argv,
            log=log,
        )

    def find_most_threads(self, resources: Resources) -> int | None:
        """See `Recompiler`."""
        return find_most_threads(self.toolchain.backend, self.arch, resources)

    def mark_block(self, threads: int) -> int | None:
        """See `Recompiler`."""
        return mark_block(self.toolchain.backend, threads)
