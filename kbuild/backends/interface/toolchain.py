"""Toolchains: the values with which a backend finds compilers and runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """The compiler of a backend, with the tools that belong to it.

    Attributes:
        backend: The name of the backend.
        compiler: The device compiler.
        compiler_id: The kind of compiler, such as ``gcc``, ``clang``, or ``nvcc``.
        version: The version of the compiler.
        host_compiler: The preprocessor of the device compiler, if the user named one.
        architectures: The architectures that the compiler supports, if it lists them.
        options: Options that describe this machine to the compiler, such as library paths.
        packer: The tool that writes containers, if it is a separate program.
        environment: The variables that compilers read, as ``NAME=value``.
        libraries: The include directories of optional libraries of headers.
        script: The digest of a compiler that is a script. Its version does not change when
            somebody edits the script.
        machine: The machine that the compiler makes code for if no option says another one, as
            the kernel names it; None for this machine.
        host_machine: The machine that the host code is for; None for this machine.
        objcopy: The program that changes objects of ``machine``; None if it has the usual name.
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
    libraries: tuple[Path, ...] = ()
    script: str | None = None
    machine: str | None = None
    host_machine: str | None = None
    objcopy: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolchainHints:
    """Places to look for compilers, from the user's own choice to the usual ones.

    Attributes:
        host_compiler: The value of HOST_COMPILER.
        compilers: The compilers that CMake uses, by language.
        architectures: The values of ``CMAKE_<LANG>_ARCHITECTURES``, by language.
        platforms: The values of ``CMAKE_<LANG>_PLATFORM``, by language.
        environment: The environment variables that are set.
        search_path: The directories of PATH.
        site_packages: The directories into which wheels install toolchains.
        wheels: The toolchain wheels in them, as (directory, name, version).
        devices: The architectures of this machine's devices, if the target requests them.
        machine: The machine that the host code is for, as the kernel names it; None for this
            machine.
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
    machine: str | None = None

    def compiler(self, language: str) -> str | None:
        """Return the compiler that CMake uses for ``language``."""
        return dict(self.compilers).get(language)

    def variable(self, name: str) -> str | None:
        """Return an environment variable; None if it is unset or empty."""
        return dict(self.environment).get(name) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The compilers that a backend can use.

    Attributes:
        names: Paths, or names to find on PATH, best first. If the user chose a
            compiler, it is the only one.
        advice: The fix if none of them exists. It ends an error message.
    """

    names: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """The backend that builds the sources of another one.

    Attributes:
        backend: The name of the backend that builds them.
        reason: The user's setting that requests it.
    """

    backend: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A call of a compiler that succeeds only if everything that images need is installed.

    Attributes:
        arguments: The arguments. They compile and link one line in an empty directory.
        advice: The fix if the call fails. It ends an error message.
    """

    arguments: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCompilers:
    """Names of compilers for a machine that the found compiler does not support.

    Attributes:
        names: The compilers to look for, best first.
        trial: The trial of the one that exists. Its advice also helps if none of them exists.
    """

    names: tuple[str, ...]
    trial: Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """A library through which artifacts launch kernels.

    Attributes:
        linkage: How artifacts link it.
        library: The library.
        include_directories: The directories of its headers.
        definitions: The macros that host code is compiled with.
        link_libraries: The libraries that it needs itself.
        host_api: A static library that defines the C names of the host API, if they are inline
            functions over this runtime.
        is_provided: Whether the library exists only after `Builder.provide_runtimes`.
    """

    linkage: Literal["shared", "static"]
    library: Path
    include_directories: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()
    link_libraries: tuple[str, ...] = ()
    host_api: Path | None = None
    is_provided: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsafeCharacters:
    """The characters that a backend's tools do not take literally in a path."""

    sources: str = ""
    outputs: str = ""
    include_directories: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderLibrary:
    """A library of headers that a toolkit contains, for bills of materials.

    Attributes:
        name: Its name.
        header: The header that defines its version, as sources include it.
        directories: The directories of the toolkit that can contain the header.
        macro: The macro with the version: MAJOR * 1000000 + MINOR * 1000 + PATCH.
        license: Its license, as an SPDX expression.
    """

    name: str
    header: str
    directories: tuple[str, ...]
    macro: str
    license: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """The facts about a backend that do not depend on a machine.

    Attributes:
        name: The name of the backend.
        language: The CMake language whose compiler launcher also applies to device edges.
        fat_binary_section: The ELF section that holds the containers.
        fat_binary_alignment: The alignment of a container, in bytes.
        container_end: What follows a container in a file of its own, which programs load without
            saying its size.
        registration_header: The hand-written header through which a stub unit registers.
        compile_memory: The memory that compiling a large source takes, in bytes. Sources that were
            not compiled yet are expected to take it.
        launch_entries: The functions of the runtime or driver to which `kbuild_launch` passes
            a launch.
        unsafe: The characters that the tools do not take literally in paths.
        separate_operations: The compiler's options that turn off the contraction of a
            multiplication and an addition to one operation (FMA).
        host_header: The header of the host API, which generated headers include; None if the
            backend has no host API.
        relocatable_section: The ELF section that holds containers that wait for a device link;
            empty if the backend has no such objects.
        link_function: The start of the functions that these objects call to register, and that
            a device link defines. The id of the object follows.
        can_check: Whether the backend can instrument device code for checks.
        check_advice: What else finds mistakes in its device code, if the backend cannot.
        cuda_versions: The major versions of CUDA that the backend can be like; empty if its
            compiler decides.
        cuda_version_variable: The environment variable that selects one of them.
        header_libraries: The libraries of headers that come with the compiler.
        managed_options: The names of the compiler's options that kbuild itself sets, or that need
            more than an option, each group with what to use instead.
    """

    name: str
    language: str
    fat_binary_section: str
    fat_binary_alignment: int
    registration_header: str
    compile_memory: int
    launch_entries: tuple[str, ...]
    unsafe: UnsafeCharacters = UnsafeCharacters()
    container_end: bytes = b""
    separate_operations: tuple[str, ...] = ("-ffp-contract=off",)
    host_header: str | None = None
    relocatable_section: str = ""
    link_function: str = ""
    can_check: bool = False
    check_advice: str = ""
    cuda_versions: tuple[str, ...] = ()
    cuda_version_variable: str = ""
    header_libraries: tuple[HeaderLibrary, ...] = ()
    managed_options: tuple[tuple[tuple[str, ...], str], ...] = ()
