"""The values of a compilation: images, how they were compiled, and the variants of a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from kbuild.model import HighWaterMarks, ImageKind, Resources


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledImage:
    """One file of device code in memory: an image, or the assembly that it was made from.

    Attributes:
        file_name: The name for a saved file.  The files of one compilation differ in the
            suffix only.
    """

    arch: str
    kind: ImageKind
    file_name: str
    sha256: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """The record of one compilation: the source, the command, and the output of the compiler.

    Attributes:
        source: The source's name in messages.
        base_name: The name of the saved files, without a suffix.
        command: The command line of the compiler.
        log: Everything that the compiler printed.
        warnings: The part of ``log`` that people should read.
    """

    source: str
    base_name: str
    backend: str
    arch: str
    command: tuple[str, ...]
    compiler: str
    compiler_version: str
    log: str
    warnings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileArguments:
    """The arguments of the compiler that made a module.

    Attributes:
        name: The symbol of the requested kernel, if the module was compiled for one.
    """

    backend: str
    arch: str
    options: tuple[str, ...] = ()
    standard: str | None = None
    debug: bool = False
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The code of one kernel for launches within ``marks``.

    Attributes:
        reason: Why this variant was made.
        marks: The largest block and the number of registers that it was compiled for.
        resources: The resources of the kernel in the first image.
        images: The images, those with machine code first, or an empty tuple if the variant was
            dropped from the cache.
        command: The command line of the tool that made the variant.
        log: Everything that this tool printed.
    """

    reason: str
    marks: HighWaterMarks
    resources: Resources
    images: tuple[CompiledImage, ...]
    command: tuple[str, ...]
    log: str


class Recompiler(Protocol):
    """Assembles a kernel again; it can be pickled."""

    @property
    def assembly(self) -> CompiledImage:
        """The assembly that the first compilation produced."""

    def recompile(self, kernel: str, marks: HighWaterMarks, reason: str) -> Variant:
        """Return the code of ``kernel`` for ``marks``, made from its assembly.

        Raises:
            ToolError: The assembler fails.
        """

    def find_largest_block(self, resources: Resources) -> int | None:
        """Return the largest block, in threads, for code that uses ``resources``.

        Returns:
            None if it is unknown.
        """

    def choose_registers(self, threads: int) -> int | None:
        """Return the most registers per thread that blocks of ``threads`` threads can have.

        Returns:
            None if it is unknown.
        """

    def choose_launch_bound(self, threads: int) -> int | None:
        """Return the launch bound to compile for, so that blocks can have ``threads`` threads.

        Returns:
            None if no launch bound makes such a block possible.
        """
