"""The ``build`` capability: compile kernel sources and pack the images.

A builder describes commands and reads what tools print. It runs nothing itself: stages run the
commands and write the files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from kbuild.backends.interface.toolchain import (
    Candidates,
    CrossCompilers,
    Fallback,
    Runtime,
    Toolchain,
    ToolchainHints,
    Traits,
    Trial,
)
from kbuild.files import sha256
from kbuild.model import Command, CompressionMode, ImageKind
from kbuild.values import dataclass

_NAME_DIGITS: Final = 16  # 64 bits

# How to fix a device link to which a definition is missing.
UNDEFINED_FIX: Final = (
    "define it in a source of the target, or in a static library that the target links; both need "
    "RDC ON"
)
# How to fix a compile edge to which a definition of device code is missing.
RELOCATABLE_FIX: Final = (
    "to use device code of another source or of a static library, write RDC ON for both, or "
    "--rdc for kbuild run, -dc for kbuild-nvcc"
)
# How to list what only one of several backends understands.
ARCHITECTURE_FIX: Final = (
    "put the name of the backend in front if it is for another one, such as cuda:80"
)
OPTION_FIX: Final = (
    "if an option is for the compiler of another backend, put the name of the backend in front, "
    "such as cuda:--use_fast_math"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileUnit:
    """One compile edge: one source for one architecture.

    Attributes:
        source: The source file.
        display_source: The name of the source in messages and images.
        arch: The architecture, as `expand_architectures` spells it.
        output: The path, without a suffix, that all files of the edge start with.
        stamp: The file that build tools wait for and that the depfile names.
        depfile: Where the compiler lists the headers that it read.
        include_directories: The target's include directories.
        definitions: The target's macros, as ``NAME`` or ``NAME=value``.
        build_options: The options of the build type, as a C++ compiler takes them.
        options: The target's own options, as the device compiler takes them.
        host_options: The options of a mixed source for the host compiler. What they mean to a
            preprocessor applies to the device pass, too.
        architectures: All architectures of a mixed source, which macros can list.
        device_standard: The C++ standard of the source.
        debug: Whether the options request debug information.
        relocatable: Whether the images are the input of a device link.
        is_checked: Whether to instrument the device code for checks.
        keep_assembly: Whether to keep the assembly from which the images are made.
        is_mixed: Whether the source also contains host code.
        module: The part of generated names that is unique to the source; if it is empty, names are
            made from ``display_source``.
        text: The rewritten text of the source, to compile instead; None to compile the source.
        headers: The files that the front end has read, once it has run.
        failures: What the compiler said about earlier texts of the source, with guesses of the
            backend. Finally, a text must have none.
        findings: What objects of earlier texts said against decisions of the backend: the kind, and
            the number of a kernel.
    """

    source: Path
    display_source: str
    arch: str
    output: Path
    stamp: Path
    depfile: Path
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    build_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    device_standard: int = 17
    debug: bool = False
    relocatable: bool = False
    is_checked: bool = False
    keep_assembly: bool = False
    is_mixed: bool = False
    module: str = ""
    text: Path | None = None
    headers: tuple[Path, ...] = ()
    failures: tuple[str, ...] = ()
    findings: tuple[tuple[str, int], ...] = ()

    @property
    def own_name(self) -> str:
        """What tells the names of the source from those of other sources of a device link."""
        return (self.module or sha256(self.display_source.encode()))[:_NAME_DIGITS]

    @property
    def root(self) -> Path | None:
        """The directory that ``display_source`` is relative to; None if it is not relative."""
        shown = Path(self.display_source)
        if shown.is_absolute() or self.source.parts[-len(shown.parts) :] != shown.parts:
            return None
        return self.source.parents[len(shown.parts) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEndStep:
    """One command of a front-end run, as compiler caches understand it.

    Attributes:
        command: The command.
        is_cacheable: Whether the compiler launcher goes in front of the command.
        root: The directory whose files the command's first output names by absolute paths.
            The paths are made relative, so that a cache finds the text from another checkout.
    """

    command: Command
    is_cacheable: bool = False
    root: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUnit:
    """One device link: the images of a target's sources for one architecture.

    Attributes:
        target: The target.
        arch: The architecture, as `expand_architectures` spells it.
        images: The images that the compile edges for ``arch`` made.
        output: The path of the linked image without its suffix.
        build_options: The options of the build type, as a C++ compiler takes them.
        debug: Whether the options request debug information.
        is_checked: Whether the images are instrumented for checks.
    """

    target: str
    arch: str
    images: tuple[Path, ...]
    output: Path
    build_options: tuple[str, ...] = ()
    debug: bool = False
    is_checked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedSource:
    """A file that a stage renders from a template before it runs the next commands."""

    path: Path
    template: str
    rows: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOutput:
    """An image that a compile edge or a device link wrote.

    Attributes:
        path: The file.
        arch: The architecture, as the vendor spells it.
        kind: The kind of image.
        spills: (kernel, bytes stored, bytes loaded) for registers that did not fit, from the
            compiler's log. No image contains them.
    """

    path: Path
    arch: str
    kind: ImageKind
    spills: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The work that remains after the front end or the device linker was described.

    A stage writes the files, renders the sources, runs the commands, ends the images, moves files,
    and removes the temporary directories, in this order.

    Attributes:
        images: The images that exist afterward.
        contents: (path, content) of files to write.
        sources: The files to render.
        commands: The commands to run.
        end_image: Returns what is appended to an image, from its content.
        moves: (from, to) paths of files to move.
        temporary: The directories to remove, with the files in them.
        preprocessed: The preprocessed source.
        preprocessing: The command that writes it, if the front end does not. Without
            ``preprocessed``, it prints the text.
        describes_parameters: Whether the images describe the parameters of their kernels. Then
            the preprocessed source is needed only to look for host code.
        assembly: The text from which the images were assembled, if the unit keeps it.
    """

    images: tuple[ImageOutput, ...]
    contents: tuple[tuple[Path, bytes], ...] = ()
    sources: tuple[GeneratedSource, ...] = ()
    commands: tuple[Command, ...] = ()
    end_image: Callable[[bytes], bytes] | None = None
    moves: tuple[tuple[Path, Path], ...] = ()
    temporary: tuple[Path, ...] = ()
    preprocessed: Path | None = None
    preprocessing: Command | None = None
    describes_parameters: bool = False
    assembly: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerLog:
    """The useful part of a tool's log.

    Attributes:
        text: The text to show: warnings, and the errors of a failure.
        fix: How to fix a failure that the tool itself does not explain; empty if it does.
    """

    text: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedImage:
    """An image that goes into a container."""

    arch: str
    kind: ImageKind
    sha256: str
    path: Path
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PackUnit:
    """One container to write.

    Attributes:
        images: The images, in order.
        output: The file that a tool can write the container to.
        linking: Whether the images come from a device link (``linked``), or are the inputs that
            the runtime links itself (``prelinked``).
        compression: The compression that the user prefers.
    """

    images: tuple[PackedImage, ...]
    output: Path
    linking: Literal["none", "linked", "prelinked"] = "none"
    compression: CompressionMode = "balance"


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """A container to make: its bytes, or commands that write it to the unit's output."""

    content: bytes = b""
    commands: tuple[Command, ...] = ()


class Builder(Protocol):
    """The members of a backend's ``build`` module. Its functions are pure, but can look for files.

    The properties that return functions are optional: a backend that does not need one sets it
    to None.
    """

    @property
    def TRAITS(self) -> Traits:  # noqa: N802 - a module constant
        """The facts about the backend."""

    def list_candidates(self, hints: ToolchainHints) -> Candidates:
        """List the compilers to look for."""

    def probe_commands(self, compiler: Path) -> tuple[Command, ...]:
        """Return the commands that make ``compiler`` describe itself."""

    def read_toolchain(
        self, compiler: Path, texts: tuple[str, ...], hints: ToolchainHints
    ) -> Toolchain:
        """Read the outputs of the probe commands; raise ToolchainError if it is unusable."""

    def describe_trial(self, tc: Toolchain) -> Trial:
        """Describe how the toolchain compiles and links one line."""

    def expand_architectures(
        self, requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
    ) -> tuple[str, ...]:
        """Return one architecture per compile edge, by default those of the backend.

        Raises ConfigurationError for an unknown architecture.
        """

    def device_links(self, architectures: tuple[str, ...]) -> tuple[str, ...]:
        """Return the architectures for which a device link makes an image.

        Raises ConfigurationError if separate compilation is not possible.
        """

    def find_runtimes(self, hints: ToolchainHints) -> tuple[Runtime, ...]:
        """Find the installed runtimes, the shared one first."""

    @property
    def provide_runtimes(self) -> Callable[[ToolchainHints], None] | None:
        """Build the runtimes that `find_runtimes` describes as provided, if they do not exist."""

    def editor_options(self, unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
        """Return the options with which clang reads the source for an editor.

        The target's own options, definitions, and include directories are not among them.
        """

    def target_options(self, unit: CompileUnit) -> tuple[str, ...]:
        """Return the options of the target and its build type for the device compiler.

        Definitions and include directories of the unit are not among them.
        """

    def compile_command(self, unit: CompileUnit, tc: Toolchain) -> Command:
        """Return the front-end run of ``unit``; `complete` reads its first output."""

    def cacheable_steps(
        self, unit: CompileUnit, tc: Toolchain, listing: str
    ) -> tuple[FrontEndStep, ...]:
        """Divide `compile_command` into steps that a compiler cache understands.

        Args:
            unit: The compile edge.
            tc: The toolchain.
            listing: The output of `listing_command`; empty if there is no such command.

        Returns:
            The steps; an empty tuple if the listing makes no sense.
        """

    def complete(self, unit: CompileUnit, compiled: bytes, log: str, tc: Toolchain) -> Completion:
        """Describe how the front end's output becomes images.

        Raises SourceError if the source has no kernel.
        """

    def link_images(self, unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
        """Describe how the images of ``unit``, with these contents, become one."""

    def read_log(self, log: str, unit: CompileUnit | LinkUnit | None = None) -> CompilerLog:
        """Read the log of the front end, or of the device linker for a `LinkUnit`."""

    def pack(self, unit: PackUnit, tc: Toolchain) -> Packing:
        """Describe how the images of ``unit`` become one container."""

    @property
    def find_fallback(self) -> Callable[[ToolchainHints], Fallback | None] | None:
        """Find the backend that builds this one's sources, if the user selected its platform."""

    @property
    def list_notes(self) -> Callable[[Toolchain, ToolchainHints], tuple[str, ...]] | None:
        """List properties of the selected toolchain that can surprise users."""

    @property
    def check_compression(self) -> Callable[[CompressionMode, Toolchain], None] | None:
        """Raise ConfigurationError if the tools do not support a compression mode."""

    @property
    def cross_compilers(self) -> Callable[[str, Toolchain], CrossCompilers | None] | None:
        """Tell where to find a compiler for an architecture; None if the toolchain is one."""

    @property
    def listing_command(self) -> Callable[[CompileUnit, Toolchain], Command] | None:
        """Return the command that lists the steps of a front-end run without running them."""
