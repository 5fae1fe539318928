"""Build the runtime of the CPU for another machine, or if kbuild was installed without it."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild import process, resources
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import ToolchainError
from kbuild.files import sha256
from kbuild.model import Command

SHARED: Final = "libkbuild_cpu.so.1"
STATIC: Final = "libkbuild_cpu.a"
HOST_API: Final = "libkbuild_cudart.a"
DRIVER_API: Final = "libkbuild_cuda.a"
RUNTIME_COMPILER: Final = "libkbuild_nvrtc.a"
RUNTIME_LINKER: Final = "libkbuild_nvjitlink.a"
MANAGEMENT: Final = "libkbuild_nvml.a"
# The compilers of C++ and C, as gcc, clang, and Debian's cross compilers spell them.
_C_NAMES: Final = (("clang++", "clang"), ("g++", "gcc"), ("c++", "cc"))
_CXX_NAMES: Final = (("clang", "clang++"), ("gcc", "g++"), ("cc", "c++"))
_DIRECTORY: Final = "lib"  # of an installation, as in `resources`
_NO_HINTS: Final = ToolchainHints()
_FILES: Final = (
    *(SHARED, STATIC, HOST_API, DRIVER_API),
    *(RUNTIME_COMPILER, RUNTIME_LINKER, MANAGEMENT),
)


def provide_runtimes(hints: ToolchainHints) -> None:
    """See `Builder`: build the runtime in the user's cache, where `locate_library` expects it.

    Processes that need it at the same time build it once.

    Raises:
        ToolchainError: CMake, ninja, or a C++ compiler is missing.
        ToolError: The build failed.
    """
    if _is_complete(hints):
        return
    directory = _find_cache(hints)
    with lock_file(directory.with_name(f".{directory.name}.lock")):
        if not _is_complete(hints):
            _build(directory, hints)


def provide_library(name: str, hints: ToolchainHints = _NO_HINTS) -> Path:
    """Return the path of a file of the runtime, which exists afterward."""
    provide_runtimes(hints)
    return locate_library(name, hints)


def locate_library(name: str, hints: ToolchainHints) -> Path:
    """Return the path of a file of the runtime for the machine of the host code.

    The installation contains only that of this machine.
    """
    if hints.machine is None:
        return resources.find_runtime(name)
    return _find_cache(hints) / _DIRECTORY / name


def _find_cache(hints: ToolchainHints) -> Path:
    if hints.machine is None:
        return resources.find_runtime_cache()
    # The runtime depends on the C library of the compiler, which has no name of its own.
    named = _name_compiler("CXX", hints.compiler("C"), _CXX_NAMES, hints)
    compiler = process.find_program(named)
    status = compiler.resolve().stat() if compiler else None
    described = (compiler, status.st_size, status.st_mtime_ns) if status else named
    key = sha256(repr(described).encode(errors="surrogateescape"))[:16]
    name = f"{resources.identify_installation()}-{hints.machine}-{key}"
    return resources.find_cache("runtimes") / name


def _find_compiler(
    language: str, other: str | None, names: tuple[tuple[str, str], ...], hints: ToolchainHints
) -> Path:
    named = _name_compiler(language, other, names, hints)
    found = process.find_program(named)
    if found is None:
        raise ToolchainError(
            f"compiler {named!r} not found, with which kbuild builds the runtime of the CPU for "
            f"{hints.machine}; install it, or add {language} to the project's LANGUAGES"
        )
    return found


def _name_compiler(
    language: str, other: str | None, names: tuple[tuple[str, str], ...], hints: ToolchainHints
) -> str:
    """Return the compiler for another machine: the project's, or the one beside the other one."""
    return hints.compiler(language) or _rename(other or "", names)


def _rename(compiler: str, names: tuple[tuple[str, str], ...]) -> str:
    """Return the path of a compiler's other name, such as gcc for g++."""
    path = Path(compiler)
    for old, new in names:
        if old in path.name:
            renamed = path.name.replace(old, new)
            return str(path.with_name(renamed)) if "/" in compiler else renamed
    return compiler


def _is_complete(hints: ToolchainHints) -> bool:
    return all(locate_library(name, hints).is_file() for name in _FILES)


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Hold the lock of a directory that one process builds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _build(directory: Path, hints: ToolchainHints) -> None:
    target: tuple[str, ...] = ()
    reason = "this kbuild was installed without the runtime of the CPU"
    if hints.machine:
        cxx = _find_compiler("CXX", hints.compiler("C"), _CXX_NAMES, hints)
        c = _find_compiler("C", str(cxx), _C_NAMES, hints)
        target = (
            *("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={hints.machine}"),
            *(f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cxx}"),
        )
        reason = f"kbuild contains no runtime of the CPU for {hints.machine}"
    build_project(
        resources.native_directory() / "cpu",
        directory,
        (f"-DKBUILD_LIBRARY_DIRECTORY={_DIRECTORY}", *target),
        reason,
    )


def build_project(source: Path, directory: Path, definitions: tuple[str, ...], reason: str) -> None:
    """Build a project of kbuild's own, and replace the directory with what it installs.

    Args:
        source: The directory of the project.
        directory: The directory that is replaced.
        definitions: The options of CMake.
        reason: Why kbuild builds it, for messages.

    Raises:
        ToolchainError: CMake or ninja is missing.
        ToolError: The build failed.
    """
    cmake, ninja = (_find_tool(name, reason) for name in ("cmake", "ninja"))
    work = directory.with_name(f".{directory.name}.build")
    shutil.rmtree(work, ignore_errors=True)
    build, prefix = work / "build", work / "prefix"
    configure = (
        *(cmake, "-S", str(source), "-B", str(build), "-G", "Ninja"),
        *(f"-DCMAKE_MAKE_PROGRAM={ninja}", "-DCMAKE_BUILD_TYPE=Release"),
        *(f"-DCMAKE_INSTALL_PREFIX={prefix}", *definitions),
    )
    for argv in (configure, (cmake, "--build", str(build)), (cmake, "--install", str(build))):
        process.run_checked(Command(argv=argv))
    shutil.rmtree(directory, ignore_errors=True)
    prefix.replace(directory)
    shutil.rmtree(work)


def _find_tool(name: str, reason: str) -> str:
    found = process.find_build_program(name)
    if found is None:
        raise ToolchainError(
            f"{name} not found, and {reason}, which it builds; pip install 'kbuild[build]'"
        )
    return str(found)
