"""The build tools, CMake and ninja: find them, run them, and explain why they failed."""

from __future__ import annotations

import errno
import os
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.errors import BuildError, ToolchainError, ToolError
from kbuild.model import Command
from kbuild.process import find_build_program

_DAMAGED_FILE: Final = re.compile(r"ninja: error: (.*\.ninja:\d+: .*)")
_DISK_ERRORS: Final = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
# The keywords of CMake that differ from the key of ``kbuild.toml``, apart from the case.
_KEYS: Final = {"PRIVATE": "sources", "DEVICE_OPTIONS": "compile_options"}
# The variables in which CMake looks for compilers.
_COMPILERS: Final = ("CC", "CXX", "CUDACXX", "HIPCXX")
_MIN_FREE_BYTES: Final = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTools:
    """The paths of CMake and ninja."""

    cmake: Path
    ninja: Path


def find_build_tools() -> BuildTools:
    """Find CMake and ninja, those of the system first.

    Raises:
        ToolchainError: One of them is missing. The message says how to install it.
    """
    found = {}
    for name in ("cmake", "ninja"):
        path = find_build_program(name)
        if path is None:
            raise ToolchainError(f"{name} not found; install it, or pip install 'kbuild[build]'")
        found[name] = path
    return BuildTools(cmake=_skip_script(found["cmake"]), ninja=found["ninja"])


def _skip_script(cmake: Path) -> Path:
    """Return the program that a script from CMake's wheel starts, if ``cmake`` is this script.

    The script runs in Python, which takes longer to start than CMake.
    """
    if cmake.parent != Path(sysconfig.get_path("scripts")):
        return cmake
    program = Path(sysconfig.get_path("platlib"), "cmake", "data", "bin", cmake.name)
    return program if os.access(program, os.X_OK) else cmake


def run_tool(
    command: Command,
    directory: Path,
    on_line: Callable[[str], None] | None = None,
    *,
    inherited: tuple[int, ...] = (),
) -> int:
    """Run a build tool in ``directory``, and return how many kbuild commands reused their outputs.

    Args:
        command: The build tool and its arguments.
        directory: The working directory.
        on_line: Receives each line of output. Without it, the output goes to stderr.
        inherited: File descriptors that all processes of the build inherit.

    Raises:
        BuildError: The tool failed. If a kbuild command that it ran failed first, the error has
            the exit code and the message of that failure. If the target is known, it also has the
            target and the setting.
        ToolError: The disk is full, or build.ninja is damaged.
    """
    causes: list[str] = []

    def read_line(line: str) -> None:
        causes.extend(_explain_full_disk(text) for text in _DISK_ERRORS if text in line)
        if damaged := _DAMAGED_FILE.match(line):
            causes.append(f"{damaged[1]}; run kbuild clean to remove the damaged build")
        if on_line:
            on_line(line)

    call = process.BuildCall(
        command=replace(command, env=(*command.env, *_resolve_compilers())),
        directory=directory,
        on_line=read_line if on_line else None,
        inherited=inherited,
    )
    end = process.stream_build(call)
    if end.status == 0:
        return end.reused
    failure = end.failure
    if not causes and _is_disk_full(directory):
        causes.append(_explain_full_disk(_DISK_ERRORS[0]))  # CMake does not report it
    if causes:
        raise ToolError(f"{directory}: {causes[0]}")
    if failure and failure.target:
        raise _name_key(failure)
    if failure and failure.message:
        raise BuildError(failure.message, failure.exit_code, is_reported=True)
    exit_code = failure.exit_code if failure else ToolError.exit_code
    raise BuildError(f"{command.argv[0]} failed with exit status {end.status}", exit_code)


def _name_key(failure: process.Failure) -> BuildError:
    """Return the error of `kbuild plan` with a key of ``kbuild.toml`` instead of a keyword."""
    keyword = failure.setting or ""
    error = BuildError(failure.message.removeprefix(f"{keyword}: "), failure.exit_code)
    error.setting = _KEYS.get(keyword, keyword.lower()) or None
    error.target = failure.target
    return error


def _resolve_compilers() -> Iterator[tuple[str, str]]:
    """Yield the variables that name a compiler by a relative path, with an absolute path.

    Build tools run in other directories than kbuild.
    """
    for name, value in process.select_environment(_COMPILERS).items():
        program, space, options = value.partition(" ")
        if "/" in program and not Path(program).is_absolute():
            yield name, f"{Path(program).absolute()}{space}{options}"


def _explain_full_disk(reason: str) -> str:
    return (
        f"{reason}: free some space and build again; the build then repeats every step that did "
        "not finish"
    )


def _is_disk_full(directory: Path) -> bool:
    status = os.statvfs(directory)
    return status.f_bavail * status.f_frsize < _MIN_FREE_BYTES
