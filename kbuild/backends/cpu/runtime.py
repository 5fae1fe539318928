"""Build the runtime of the CPU, if kbuild was installed without its compiled parts."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild import process, resources
from kbuild.errors import ToolchainError
from kbuild.model import Command

SHARED: Final = "libkbuild_cpu.so.1"
STATIC: Final = "libkbuild_cpu.a"
HOST_API: Final = "libkbuild_cudart.a"
_FILES: Final = (SHARED, STATIC, HOST_API)


def provide_runtimes() -> None:
    """See `Builder`: build the runtime in the user's cache, where `find_runtime` expects it.

    Processes that need it at the same time build it once.

    Raises:
        ToolchainError: CMake, ninja, or a C++ compiler is missing.
        ToolError: The build failed.
    """
    if _is_complete():
        return
    directory = resources.find_runtime_cache()
    with lock_file(directory.with_name(f".{directory.name}.lock")):
        if not _is_complete():
            _build(directory)


def provide_library(name: str) -> Path:
    """Return the path of a file of the runtime, which exists afterward."""
    provide_runtimes()
    return resources.find_runtime(name)


def _is_complete() -> bool:
    return all(resources.find_runtime(name).is_file() for name in _FILES)


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Hold the lock of a directory that one process builds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _build(directory: Path) -> None:
    build_project(
        resources.native_directory() / "cpu",
        directory,
        ("-DKBUILD_LIBRARY_DIRECTORY=lib",),
        "this kbuild was installed without the runtime of the CPU",
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
