"""What a backend is: a module that names, invokes and reads, and runs nothing.

A stage calls these functions and never asks which backend it has.  ``CONTRIBUTING.md``
walks through adding one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from kbuild.model import Command, CompressionMode, ImageKind, Kernel, Marks, Problem, Variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The tools that a backend found.

    ``host_compiler`` is what a device compiler preprocesses with, where the user named
    one; ``architectures`` those that it can make images for, where it says so; ``options``
    what the compiler has to be told about this machine; ``packer`` the tool that writes
    containers, where it has one of its own.  ``environment`` are the variables that compilers
    read, as ``NAME=value``, ``script`` is the digest of a compiler that is a script: nothing else
    tells that what it makes has changed.
    """

    backend: str
    compiler: Path
    compiler_id: str
    version: str
    host_compiler: Path | None = None
    architectures: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    packer: Path | None = None
    environment: tuple[str, ...] = ()
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolchainHints:
    """Where to look for compilers, from the user's own choice to the usual places.

    ``host_compiler`` is HOST_COMPILER; ``compilers``, ``architectures`` and ``platforms`` are
    CMake's, by language; ``environment`` the variables that are set, ``search_path`` the folders of
    PATH; ``site_packages`` the folders that wheels put toolchains in, ``wheels`` the
    toolchain wheels in them, as (folder, name, version); ``devices`` the architectures of
    the machine's, where the target asks for them.
    """

    host_compiler: str | None = None
    compilers: tuple[tuple[str, str], ...] = ()
    architectures: tuple[tuple[str, str], ...] = ()
    platforms: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    search_path: tuple[Path, ...] = ()
    site_packages: tuple[Path, ...] = ()
    wheels: tuple[tuple[Path, str, str], ...] = ()
    devices: tuple[str, ...] = ()

    def compiler(self, language: str) -> str | None:
        """The compiler that CMake uses for ``language``."""
        return dict(self.compilers).get(language)

    def variable(self, name: str) -> str | None:
        """An environment variable, None where it is unset or empty."""
        return dict(self.environment).get(name) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """The backend that builds another's sources, and ``reason``: the user's word for it."""

    backend: str
    reason: str


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
    include_directories: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    link_libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileUnit:
    """One compile edge: one source for one (virtual) architecture.

    ``output`` is the path without suffix that everything the edge writes starts with,
    ``stamp`` the file that build tools wait for and the depfile names.  ``build_options``
    are the build type's, in a C++ compiler's words, ``options`` the target's in the device
    compiler's; ``debug`` says that they ask for debug information, ``relocatable`` that the
    images are for a device link, ``keep_assembly`` that the assembly they came of is to stay.
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
    standard: str = "17"
    debug: bool = False
    relocatable: bool = False
    keep_assembly: bool = False

    @property
    def root(self) -> Path | None:
        """The folder that ``display_source`` is relative to; None where it is no such path."""
        shown = Path(self.display_source)
        if shown.is_absolute() or self.source.parts[-len(shown.parts) :] != shown.parts:
            return None
        return self.source.parents[len(shown.parts) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEndStep:
    """A front-end run, or a part of one, as compiler caches take it.

    ``is_cacheable`` says that a compiler launcher goes in front of it.  ``root`` is the folder
    whose files the text that it writes, its first output, is to name by relative paths.
    """

    command: Command
    is_cacheable: bool = False
    root: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssembleUnit:
    """One kernel to be assembled again, from what its compile edge kept.

    ``assembly`` is the file with that text, marked, ``output`` the path without suffix of what
    is made of it for ``arch``; ``options`` are those of the compile edge.
    """

    kernel: str
    arch: str
    assembly: Path
    output: Path
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUnit:
    """One device link: the images of a target's sources for one architecture.

    ``images`` are those that the sources' compile edges for ``arch`` left, ``output`` the
    path without suffix of what is linked; ``build_options`` and ``debug`` are as in
    `CompileUnit`.
    """

    target: str
    arch: str
    images: tuple[Path, ...]
    output: Path
    build_options: tuple[str, ...] = ()
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedSource:
    """A file that a stage writes before it runs a backend's next commands."""

    path: Path
    template: str
    rows: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageOutput:
    """An image that a finished compile edge left on disk.

    ``spills`` are kernels by name with the bytes stored and loaded for registers that did not
    fit, as the compiler's log says: no image does.
    """

    path: Path
    arch: str
    kind: ImageKind
    spills: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What remains after the front end ran.

    In this order: sources to write, commands to run, files to move, folders of
    files to remove.
    ``preprocessed`` is where the source lies as the front end read it, for images that do not
    tell their kernels' parameters; ``preprocessing`` writes it, where the front end did not.
    ``assembly`` is what images were assembled from and can be again, where the unit keeps it.
    """

    images: tuple[ImageOutput, ...]
    sources: tuple[GeneratedSource, ...] = ()
    commands: tuple[Command, ...] = ()
    moves: tuple[tuple[Path, Path], ...] = ()
    temporary: tuple[Path, ...] = ()
    preprocessed: Path | None = None
    preprocessing: Command | None = None
    assembly: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageContent:
    """What a device image holds: kernels, and the variables that other files can name.

    ``source_paths`` are where its sources lay on the machine that compiled it, ``problems``
    the parts of it that make no sense.  ``nameless`` are the names of the kernels whose code
    is there without a symbol of that name, as its tables or sections tell them.
    """

    kernels: tuple[Kernel, ...]
    variables: tuple[Variable, ...] = ()
    nameless: tuple[str, ...] = ()
    source_paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How a container comes about: its bytes, or the commands that write it."""

    content: bytes = b""
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedImage:
    """An image on its way into a container."""

    arch: str
    kind: ImageKind
    sha256: str
    path: Path
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PackUnit:
    """One container: its images, and the file at ``output`` that a tool may write it to.

    ``linking`` says whether the images are the outcome of a device link, or what the
    runtime is to link itself; ``compression`` what the user prefers.
    """

    images: tuple[PackedImage, ...]
    output: Path
    linking: Literal["none", "linked", "prelinked"] = "none"
    compression: CompressionMode = "balance"


@dataclass(frozen=True, slots=True, kw_only=True)
class MisreadCharacters:
    """Those that tools take for something else, in the path of what."""

    sources: str = ""
    outputs: str = ""
    include_directories: str = ""


class Backend(Protocol):
    """The seam.  Every function is pure: reading files and running tools is the stages'."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The word for it in CMake, JSON and on the command line."""

    @property
    def LANGUAGE(self) -> str:  # noqa: N802
        """The language of CMake's whose compiler launcher is meant for its edges."""

    @property
    def FAT_BINARY_SECTION(self) -> str:  # noqa: N802
        """The ELF section that holds its containers."""

    @property
    def FAT_BINARY_ALIGNMENT(self) -> int:  # noqa: N802
        """What the format of a container asks of its address."""

    @property
    def REGISTRATION_HEADER(self) -> str:  # noqa: N802
        """The hand-written header through which a stub unit registers."""

    @property
    def COMPILE_MEMORY(self) -> int:  # noqa: N802
        """What a compile edge of a heavy source takes at most, in bytes, by measurement."""

    @property
    def LAUNCH_ENTRIES(self) -> tuple[str, ...]:  # noqa: N802
        """The functions of its runtime, and driver, that `kbuild_launch` hands a launch to."""

    @property
    def MISREAD(self) -> MisreadCharacters:  # noqa: N802
        """The characters of paths that its tools do not take literally."""

    def compiler_candidates(self, hints: ToolchainHints) -> tuple[str, ...]:
        """Compilers to look for, best first; a user's own choice stands alone."""

    def find_stand_in(self, hints: ToolchainHints) -> StandIn | None:
        """The backend that builds this one's sources, where the user asks for its platform."""

    def probe_commands(self, compiler: Path) -> tuple[Command, ...]:
        """The calls that make ``compiler`` say what it is."""

    def read_toolchain(
        self, compiler: Path, texts: tuple[str, ...], hints: ToolchainHints
    ) -> Toolchain:
        """The toolchain that the probes' outputs describe; ToolchainError if unusable."""

    def missing_compiler(self, hints: ToolchainHints) -> str:
        """What to do where no candidate is there: the end of an error message."""

    def list_notes(self, tc: Toolchain, hints: ToolchainHints) -> tuple[str, ...]:
        """What people should know of the toolchain that was chosen, where it may surprise."""

    def expand_architectures(
        self, requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
    ) -> tuple[str, ...]:
        """One entry a compile edge; ConfigurationError names an unknown architecture."""

    def native_architectures(self, devices: tuple[str, ...]) -> tuple[str, ...]:
        """Those of this machine, as `expand_architectures` takes them.

        ``devices`` are the driver's words for its devices; ConfigurationError where there is none.
        """

    def check_compression(self, mode: CompressionMode, tc: Toolchain) -> None:
        """ConfigurationError where the tools cannot compress like that, and what can."""

    def device_links(self, architectures: tuple[str, ...]) -> tuple[str, ...]:
        """Those of a target's architectures for which a device link makes an image.

        Raises ConfigurationError where separable compilation is not possible.
        """

    def cross_compilers(self, arch: str, tc: Toolchain) -> CrossCompilers | None:
        """Where to look for a compiler of ``arch``; None where ``tc`` itself is one."""

    def find_runtimes(self, hints: ToolchainHints) -> tuple[Runtime, ...]:
        """The runtimes that are installed, the shared one first; none where there is none."""

    def compile_command(self, unit: CompileUnit, tc: Toolchain) -> Command:
        """The front-end run of ``unit``; its first output is what `complete` reads."""

    def listing_command(self, unit: CompileUnit, tc: Toolchain) -> Command | None:
        """The call that lists the steps of the front-end run, and runs none of them.

        None where the backend can tell without.
        """

    def cacheable_steps(
        self, unit: CompileUnit, tc: Toolchain, listing: str
    ) -> tuple[FrontEndStep, ...]:
        """What comes to `compile_command`, as compiler caches take it, by the said listing.

        None where the listing makes no sense.
        """

    def language_options(self, unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
        """The front end's options but for the target's own: what an editor has to know."""

    def complete(self, unit: CompileUnit, compiled: bytes, log: str, tc: Toolchain) -> Completion:
        """How to make images of the front end's output; SourceError for host code in it."""

    def link_images(self, unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
        """How the images of ``unit``, whose ``contents`` these are, become one."""

    def mark_assembly(self, assembly: bytes, kernel: str, marks: Marks) -> bytes | None:
        """The assembly with the kernel's launch bounds as ``marks`` say.

        None where the backend assembles nothing again.
        """

    def assemble_command(self, unit: AssembleUnit, tc: Toolchain) -> Command:
        """The call that makes an ELF image, its first output, of the marked assembly of ``unit``.

        ToolchainError where `mark_assembly` marks nothing.
        """

    def read_spills(self, log: str) -> tuple[tuple[str, int, int], ...]:
        """What a compiler's log says of spills, as in `ImageOutput`."""

    def explain_link_failure(self, log: str) -> str:
        """The mend for a failed device link where the linker does not say it; else empty."""

    def shorten_log(self, log: str) -> str:
        """What of a successful front end's log is worth showing: its warnings."""

    def explain_failure(self, unit: CompileUnit, log: str) -> str:
        """The mend for a failed front end where the compiler does not say it; else empty."""

    def read_image(self, data: bytes) -> ImageContent:
        """What a finished image holds; InputError when it is not sound."""

    def pack(self, unit: PackUnit, tc: Toolchain) -> Packing:
        """The images of ``unit`` as one container of the fat binary."""
