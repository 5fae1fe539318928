"""The ``rtc`` capability: compile source text, and assemble kernels again, in a running program.

Without it, the compiler of a build also compiles at run time, and kernels are not assembled again.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Protocol

from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command, HighWaterMarks, ImageKind
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcSource:
    """Source text to compile.

    Attributes:
        text: The text.
        file_name: The name of the text in messages.
        arch: The architecture, as ARCHITECTURES spells it.
        options: The compiler's options.
        expression: The template to instantiate, as C++ spells it.
        include_directories: The directories of the toolkit's headers.
        debug: Whether to compile without optimization and with debug information.
    """

    text: str
    file_name: str
    arch: str
    options: tuple[str, ...] = ()
    expression: str | None = None
    include_directories: tuple[Path, ...] = ()
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcOutput:
    """The output of a runtime compiler: an image, and the assembly of that image.

    Attributes:
        arch: The architecture of the image.
        image: The image, an ELF file.
        assembly: The assembly.
        suffix: The suffix of files with such images.
        symbol: The symbol of the kernel that the expression names.
        compiler: The name of the compiler.
        version: The version of the compiler.
        command: The compiler's name, the options, and the name of the text.
        log: The output of the compiler.
        options: The options for assembling the assembly again.
    """

    arch: str
    image: bytes = field(repr=False)
    assembly: bytes = field(repr=False)
    suffix: str
    symbol: str | None
    compiler: str
    version: str
    command: tuple[str, ...]
    log: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembleUnit:
    """One kernel to assemble again.

    Attributes:
        kernel: The symbol of the kernel.
        arch: The architecture of the image, as the vendor spells it.
        assembly: The file with the marked assembly.
        output: The path of the image without its suffix.
        options: The options of the compile edge that made the assembly.
        debug: Whether the compiler did not optimize and added debug information.
    """

    kernel: str
    arch: str
    assembly: Path
    output: Path
    options: tuple[str, ...] = ()
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkInput:
    """Relocatable code to link.

    Attributes:
        name: Its name in messages.
        kind: The kind of the image.
        data: The image.
        options: The options that it was compiled with; None if they are unknown.
    """

    name: str
    kind: ImageKind
    data: bytes = field(repr=False)
    options: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOutput:
    """A linked image, the suffix of files with such images, and the output of the linker."""

    image: bytes = field(repr=False)
    suffix: str
    log: str


class RuntimeCompiler(Protocol):
    """The functions of a backend's ``rtc`` module."""

    def read_version(self) -> str:
        """Return the version of the compiler.

        Raises:
            ConfigurationError: The compiler's library is not installed.
        """

    def compile_source(self, source: RtcSource) -> RtcOutput:
        """Compile source text.

        Raises:
            ToolError: The compiler failed; the message has its log, with the text's own lines.
            ConfigurationError: The compiler's library is not installed.
        """

    def assemble(self, assembly: bytes, arch: str, options: tuple[str, ...]) -> tuple[bytes, str]:
        """Assemble marked assembly in memory.

        Returns:
            The image and the log.

        Raises:
            ToolError: The assembler failed.
            ConfigurationError: The assembler's library is not installed.
        """

    def list_linkable(
        self, arch: str, options: tuple[str, ...]
    ) -> tuple[tuple[ImageKind, str], ...]:
        """List the kinds and architectures of images that `link` can use, the best one first."""

    def link(
        self, inputs: tuple[LinkInput, ...], arch: str, options: tuple[str, ...]
    ) -> LinkOutput:
        """Link relocatable code in memory.

        Raises:
            ToolError: The linker failed; the message has its log, with the names of the inputs.
            ConfigurationError: The linker's library is not installed.
        """

    def mark_assembly(self, assembly: bytes, kernel: str, marks: HighWaterMarks) -> bytes:
        """Return the assembly with ``marks`` as the launch bounds of one kernel."""

    def assemble_command(self, unit: AssembleUnit, tc: Toolchain) -> Command:
        """Return the command that assembles one kernel; its first output is the image."""

    def read_spills(self, log: str) -> tuple[tuple[str, int, int], ...]:
        """Return (kernel, bytes stored, bytes loaded) for the spills that a log mentions."""
