"""Write down what a configuration depends on and ninja cannot see.

ninja compares the times of files. It does not see environment variables, and package managers
install new compilers with old times. Therefore, ``kbuild build`` describes them in one file, which
changes only if its content does. ninja runs CMake again if that file is newer than its own.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild import __version__, resources
from kbuild.errors import KbuildError, ToolchainError
from kbuild.files import write_if_changed
from kbuild.process import find_program
from kbuild.project.directory import BuildDirectory, forget_configuration
from kbuild.project.tools import BuildTools
from kbuild.toolchain.environment import (
    describe_programs,
    read_build_variables,
    read_programs,
)
from kbuild.toolchain.find import choose_backend, gather_hints, locate_compiler
from kbuild.values import replace

# The C++ compilers that CMake looks for first.
_CMAKE_COMPILERS: Final = ("c++", "g++", "clang++")
# The other variables do not affect CMake's detection of compilers.
_SECTION_END: Final = b"\n--\n"


def write_environment(
    directory: BuildDirectory,
    tools: BuildTools,
    targets: tuple[str, ...],
    compilers: tuple[Path, ...],
) -> None:
    """Update the environment file of a build directory, and the compilers of each target.

    If a variable, a program, or the location changed, what CMake knows of compilers is removed, so
    that CMake starts from scratch.

    Args:
        directory: The build directory.
        tools: CMake and ninja.
        targets: The targets that `kbuild plan` plans.
        compilers: The compilers that CMake and `kbuild plan` will probably find.
    """
    variables = sorted(read_build_variables().items())
    programs = dict.fromkeys((tools.cmake, tools.ninja, *compilers))
    lines = (
        f"directory {directory.root}",
        f"package {resources.cmake_directory()}",
        f"python {sys.executable} {sys.prefix}",
        *(f"{name}={value!a}" for name, value in variables),
    )
    detection = "\n".join((*lines, "")).encode(errors="surrogateescape") + describe_programs(
        programs
    )
    if _read_detection(directory.environment) != detection:
        forget_configuration(directory)
    kbuild = f"kbuild {__version__} {resources.find_installation_time()}\n".encode()
    write_if_changed(directory.environment, detection + _SECTION_END + kbuild)
    # The configuration might have found other compilers, for example those of a toolchain file.
    for path in directory.list_compiler_files(targets):
        if path.is_file():
            write_if_changed(path, describe_programs(read_programs(path.read_bytes())))


def _read_detection(path: Path) -> bytes | None:
    try:
        return path.read_bytes().partition(_SECTION_END)[0]
    except FileNotFoundError:
        return None


def predict_compilers(choices: Iterable[tuple[str, str | None]]) -> Iterator[Path]:
    """Yield the compilers that CMake and `kbuild plan` will find.

    Args:
        choices: The backend and the ``HOST_COMPILER`` of each target.

    Raises:
        ToolchainError: There is no C++ compiler, or not the one that CXX names.
    """
    hints = gather_hints()
    host = find_host_compiler(hints.variable("CXX"))
    if host:
        yield host
        hints = replace(hints, compilers=(("CXX", str(host)),))
    for name, compiler in dict.fromkeys(choices):
        target_hints = replace(hints, host_compiler=compiler)
        with contextlib.suppress(KbuildError):  # `kbuild plan` reports it
            found = locate_compiler(choose_backend(name, target_hints), target_hints)
            if found:
                yield found


def find_host_compiler(chosen: str | None) -> Path | None:
    """Return the C++ compiler that CMake will find.

    Args:
        chosen: The value of CXX, or None.

    Raises:
        ToolchainError: There is no C++ compiler, or not the one that CXX names.
    """
    # CXX can contain arguments of the compiler.
    names = (chosen, *chosen.split()[:1]) if chosen else _CMAKE_COMPILERS
    host = next((path for path in map(find_program, names) if path), None)
    # A toolchain file can name another compiler than CXX.
    if host is None and "CMAKE_TOOLCHAIN_FILE" not in read_build_variables():
        if chosen:
            message = f"CXX: compiler {chosen!r} not found; check the path, or unset CXX"
        else:
            message = (
                f"no C++ compiler ({', '.join(_CMAKE_COMPILERS)}) found; install one (Debian: "
                "apt install g++), or name one in the environment variable CXX"
            )
        raise ToolchainError(message)
    return host
