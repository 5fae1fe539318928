"""Configure CMake projects with this kbuild, and build them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import files, process, resources
from kbuild.errors import ToolchainError
from kbuild.model import Command
from kbuild.project.tools import BuildTools, run_tool

_OLDEST_CMAKE: Final = (3, 22)


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeBuild:
    """A CMake project to configure and build. Without ``targets``, all targets are built."""

    source: Path
    build: Path
    definitions: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    jobs: int | None = None


def configure_and_build(project: CMakeBuild, tools: BuildTools) -> None:
    """Configure a project and build its targets. The output of the tools goes to stderr.

    Raises:
        ToolchainError: CMake is too old.
        ToolError: A tool failed.
    """
    configure(project, tools)
    parallel = ("--parallel", str(project.jobs)) if project.jobs else ()
    selected = ("--target", *project.targets) if project.targets else ()
    command = Command(argv=(str(tools.cmake), "--build", ".", *parallel, *selected))
    run_tool(command, project.build)


def configure(
    project: CMakeBuild, tools: BuildTools, on_line: Callable[[str], None] | None = None
) -> None:
    """Configure a project.

    Args:
        project: The project.
        tools: CMake and ninja.
        on_line: Receives each line of CMake's output. Without it, the output goes to stderr.

    Raises:
        ToolchainError: CMake is too old.
        ToolError: CMake failed.
    """
    _check_version(tools.cmake)
    argv = (
        *(str(tools.cmake), "-S", str(project.source), "-B", str(project.build), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={_write_launcher(project.build)}",
        *(f"-D{definition}" for definition in project.definitions),
    )
    run_tool(Command(argv=argv), project.build, on_line)


def _write_launcher(build: Path) -> Path:
    """Write a script that runs this kbuild, and return its path.

    The ``kbuild`` command might be missing, for example in an environment that is not installed.
    """
    launcher = build / "kbuild-launcher"
    script = f'#!/bin/sh\nexec {shlex.join(process.python_argv("kbuild.cli.main"))} "$@"\n'
    files.write_if_changed(launcher, script.encode())
    launcher.chmod(launcher.stat().st_mode | 0o111)
    return launcher


def _check_version(cmake: Path) -> None:
    text = process.run_checked(Command(argv=(str(cmake), "--version"))).stdout
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < _OLDEST_CMAKE:
        raise ToolchainError(
            f"{cmake} is too old ({text.splitlines()[0]}); kbuild needs 3.22: "
            "pip install 'kbuild[build]'"
        )
