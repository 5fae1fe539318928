"""The ``nvcc`` capability: stand in for nvcc, with its command line and its toolkit."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.model import Command
from kbuild.values import dataclass

LinkOutput = Literal["object", "cubin", "fatbin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitLayout:
    """The content of a directory that is laid out as a CUDA toolkit.

    Attributes:
        version: The version of the toolkit, such as ``13.0.0``.
        architecture: The architecture that is compiled by default, as CMake spells it.
        oldest_standard: The number of the oldest C++ standard of CUDA sources.
        headers: The directories whose entries are in ``include``; the first one counts.
        header_library: The include directory of CCCL, if it is installed.
        packages: Directories with CMake's files of a package, in ``lib64/cmake``.
        libraries: Links in ``lib64``, as (name, target).
        scripts: Linker scripts in ``lib64``, as (name, text). ``{directory}`` is ``lib64``.
        built_libraries: The names of the scripts for libraries that `provide_libraries` builds.
        runtime: The name in ``lib64`` of a shared object that programs load from where it is, and
            its path; None if they search for it.
        driver: The name that programs know the library of the driver by, the header that declares
            its functions, and how their names start. Linkers get a stand-in in ``lib64/stubs``.
        programs: Links in ``bin``, as (name, target).
        environment: The variables that its ``nvcc`` sets, with which kbuild finds the toolchain.
        comes_first: Whether its headers and libraries come before the directories of a command
            line, which can be those of another toolkit.
        device_library: The directory ``nvvm``, or None for an empty one.
    """

    version: str
    architecture: str
    headers: tuple[Path, ...]
    oldest_standard: int = 3
    header_library: Path | None = None
    packages: tuple[Path, ...] = ()
    libraries: tuple[tuple[str, Path], ...] = ()
    scripts: tuple[tuple[str, str], ...] = ()
    built_libraries: tuple[str, ...] = ()
    runtime: tuple[str, Path] | None = None
    driver: tuple[str, Path, str] | None = None
    programs: tuple[tuple[str, Path], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    comes_first: bool = False
    device_library: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLink:
    """A link of the relocatable device code of objects.

    Attributes:
        files: The objects and archives.
        output: The file to write.
        kind: What to write: an object that registers the linked images, an image, or a fat binary.
        architectures: The architectures on the command line, as CMake spells them.
        host_compiler: The compiler of host code.
        host_options: The options for it.
        device_options: The other options that concern device code.
        options: The options of ``-Xnvlink``.
        libraries: The names of ``-l``.
        library_directories: The directories of ``-L``.
    """

    files: tuple[Path, ...]
    output: Path
    kind: LinkOutput
    architectures: tuple[str, ...]
    host_compiler: Path
    host_options: tuple[str, ...] = ()
    device_options: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    library_directories: tuple[str, ...] = ()


class NvccConventions(Protocol):
    """The members of a backend's ``nvcc`` module. Only `provide_libraries` runs something."""

    @property
    def CONFIGURE_FUNCTION(self) -> str:  # noqa: N802 - a module constant
        """The function that launches in objects of nvcc itself call before the kernel.

        Empty if no such objects can be linked.
        """

    def describe_toolkit(self, tc: Toolchain, hints: ToolchainHints) -> ToolkitLayout:
        """Describe the toolkit that programs are built with."""

    def provide_libraries(self, hints: ToolchainHints) -> None:
        """Build the libraries of the toolkit that exist only after they are needed."""

    def select_architectures(self, requested: tuple[str, ...]) -> tuple[str, ...]:
        """Return the backend's architectures for those of a command line of nvcc."""

    def describe_device_link(self, link: DeviceLink, tc: Toolchain) -> Command | None:
        """Describe how the backend's own tool links device code; None if kbuild does it."""

    def translate_options(self, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return the options for the device compiler, for options that are spelled for nvcc.

        Each of them is one word with the short name, such as ``-fmad=false``.
        """

    def quote_options(self, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return options of preprocessors such that the device compiler takes them as g++ does."""
