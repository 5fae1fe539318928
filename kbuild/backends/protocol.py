"""What a backend is: a module that names, invokes and reads, and runs nothing.

A stage calls these functions and never asks which backend it has.  ``CONTRIBUTING.md``
walks through adding one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from kbuild.model import Command, ImageKind, Kernel

if TYPE_CHECKING:  # no edge needs what readers found, and build tools start many edges
    from kbuild.facts import Compression, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The tools that a backend found: ``compiler`` and its version, by what was found."""

    backend: str
    compiler: Path
    compiler_id: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCompilers:
    """How to get a toolchain for a machine that the one in hand does not compile for.

    ``names`` are compilers to look for, best first; ``trial`` the words after the
    compiler's name of a call that works only where all that images need is installed (it
    runs in an empty folder); ``advice`` what to install.
    """

    names: tuple[str, ...]
    trial: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """A library that a backend's artifacts launch through.

    ``definitions`` are what host code compiles with, ``link_libraries`` what the library
    itself needs from the linker.
    """

    linkage: Literal["shared", "static"]
    library: Path
    definitions: tuple[str, ...] = ()
    link_libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileUnit:
    """One compile edge: one source for one (virtual) architecture.

    ``output`` is the path without suffix that everything the edge writes starts with,
    ``stamp`` the file that build tools wait for and the depfile names.  ``options`` are
    the build type's and the target's; ``debug`` says that they ask for debug information.
    """

    source: Path
    display_source: str
    arch: str
    output: Path
    stamp: Path
    depfile: Path
    include_directories: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    standard: str = "17"
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedSource:
    """A file that a stage writes before it runs a backend's next commands."""

    path: Path
    template: str
    rows: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOutput:
    """An image that a finished compile edge left on disk."""

    path: Path
    arch: str
    kind: ImageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What remains after the front end ran: sources to write, commands, images made."""

    sources: tuple[GeneratedSource, ...]
    commands: tuple[Command, ...]
    images: tuple[ImageOutput, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImage:
    """A device image as it lies in a fat binary section, ``offset`` bytes from its start.

    ``span`` is what its slot takes up there, header included; ``data`` the decompressed
    image.
    """

    offset: int
    span: int
    arch: str
    kind: ImageKind
    compression: Compression
    stored_size: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedImage:
    """An image on its way into a container."""

    arch: str
    kind: ImageKind
    sha256: str
    data: bytes


class Backend(Protocol):
    """The seam.  Every function is pure: reading files and running tools is the stages'."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The word for it in CMake, JSON and on the command line."""

    @property
    def FAT_BINARY_SECTION(self) -> str:  # noqa: N802
        """The ELF section that holds its containers."""

    @property
    def FAT_BINARY_ALIGNMENT(self) -> int:  # noqa: N802
        """What the format of a container asks of its address."""

    @property
    def REGISTRATION_HEADER(self) -> str:  # noqa: N802
        """The hand-written header through which a stub unit registers."""

    def compiler_candidates(self, hint: str | None) -> tuple[str, ...]:
        """Compilers to look for, best first; ``hint`` is the user's own choice."""

    def version_command(self, compiler: Path) -> Command:
        """The call that makes ``compiler`` say what it is."""

    def read_version(self, compiler: Path, text: str) -> Toolchain:
        """The toolchain that the version text describes; ToolchainError if unusable."""

    def expand_architectures(self, requested: tuple[str, ...], tc: Toolchain) -> tuple[str, ...]:
        """One entry a compile edge; ConfigurationError names an unknown architecture."""

    def cross_compilers(self, arch: str, tc: Toolchain) -> CrossCompilers | None:
        """Where to look for a compiler of ``arch``; None where ``tc`` itself is one."""

    def find_runtimes(self) -> tuple[Runtime, ...]:
        """The runtimes that are installed, the shared one first."""

    def compile_command(self, unit: CompileUnit, tc: Toolchain) -> Command:
        """The front-end run of ``unit``; its first output is what `complete` reads."""

    def language_options(self, unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
        """The front end's options but for the target's own: what an editor has to know."""

    def complete(self, unit: CompileUnit, compiled: bytes, tc: Toolchain) -> Completion:
        """How to make images of the front end's output; SourceError for host code in it."""

    def read_image(self, data: bytes) -> tuple[Kernel, ...]:
        """The kernels of a finished image; InputError when it is not sound."""

    def write_container(self, images: tuple[PackedImage, ...]) -> bytes:
        """The images of one source as one container of the fat binary."""

    def read_fat_binary(
        self, content: bytes
    ) -> tuple[tuple[StoredImage, ...], tuple[Problem, ...]]:
        """Every image in a fat binary section, and what could not be read."""
