"""Builds with CMake and ninja: a manifest's targets, or any project that uses kbuild."""

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
from kbuild.project.directory import BuildFolder
from kbuild.project.manifest import Manifest, ManifestTarget, ProfileTable
from kbuild.project.ninja import run_tool
from kbuild.stages.render import render
from kbuild.toolchain.find import find_build_program

_OLDEST_CMAKE: Final = (3, 22)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTools:
    """The programs that build: CMake, ninja."""

    cmake: Path
    ninja: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeBuild:
    """A CMake project to configure and build; no ``targets`` means all.

    ``undefined`` are variables that an earlier call may have defined.
    """

    source: Path
    build: Path
    definitions: tuple[str, ...] = ()
    undefined: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    jobs: int | None = None


def find_build_tools() -> BuildTools:
    """CMake >= 3.22 and ninja, the system's where there are any.

    Raises ToolchainError that says how to get what is missing.
    """
    found = {}
    for name in ("cmake", "ninja"):
        path = find_build_program(name)
        if path is None:
            raise ToolchainError(f"{name} not found; install it, or pip install 'kbuild[build]'")
        found[name] = path
    text = process.run_checked(Command(argv=(str(found["cmake"]), "--version"))).stdout
    match = re.search(r"(\d+)\.(\d+)", text)
    if match is None or (int(match[1]), int(match[2])) < _OLDEST_CMAKE:
        raise ToolchainError(
            f"{found['cmake']} is too old ({text.splitlines()[0]}); kbuild needs 3.22: "
            "pip install 'kbuild[build]'"
        )
    return BuildTools(cmake=found["cmake"], ninja=found["ninja"])


def write_project(manifest: Manifest, folder: BuildFolder, profile: ProfileTable) -> None:
    """Write the CMake project of ``manifest``; files change only if their content does."""
    rows = {
        "source_root": manifest.root,
        "output": folder.root,
        "targets": [_target_rows(manifest, target, profile) for target in manifest.targets],
    }
    content = render("project.cmake.j2", rows)
    files.write_if_changed(folder.project / "CMakeLists.txt", content)


def _target_rows(
    manifest: Manifest, target: ManifestTarget, profile: ProfileTable
) -> dict[str, object]:
    table = target.table
    debug_stubs = table.debug_stubs if profile.debug_stubs is None else profile.debug_stubs
    verify = table.verify if profile.verify is None else profile.verify
    root = manifest.root
    policy = root / table.policy if table.policy else manifest.policy
    return {
        "name": target.name,
        "kind": table.kind,
        "one_value": {
            "BACKEND": table.backend,
            "DEBUG_STUBS": "SYMBOLS" if debug_stubs == "symbols" else _on_off(debug_stubs),
            "RDC": _on_off(table.rdc),
            "RUNTIME": table.runtime,
            "COMPRESSION": table.compression,
            "VISIBILITY": table.visibility,
            "DEVICE_STANDARD": table.device_standard,
            "HOST_COMPILER": table.host_compiler,
            "VERIFY": _on_off(verify),
            "POLICY": policy,
        },
        "many_values": {
            "SOURCES": target.sources,
            "HEADERS": [root / header for header in table.headers],
            "ARCHITECTURES": table.architectures,
            "INCLUDE_DIRECTORIES": [root / path for path in table.include_directories],
            "DEFINITIONS": (*table.definitions, *profile.definitions),
            "COMPILE_OPTIONS": (*table.compile_options, *profile.compile_options),
        },
    }


def _on_off(value: bool) -> str:
    return "ON" if value else "OFF"


def configure_and_build(project: CMakeBuild, tools: BuildTools) -> None:
    """Configure ``project`` and build its targets.

    What the tools print goes to our stderr.  Raises ToolError when one of them fails.
    """
    configure(project, tools)
    parallel = ("--parallel", str(project.jobs)) if project.jobs else ()
    selected = ("--target", *project.targets) if project.targets else ()
    command = Command(argv=(str(tools.cmake), "--build", ".", *parallel, *selected))
    run_tool(command, project.build)


def configure(
    project: CMakeBuild, tools: BuildTools, on_line: Callable[[str], None] | None = None
) -> None:
    """Configure ``project``; ``on_line`` gets what CMake prints, else our stderr.

    Raises ToolError when it fails.
    """
    launcher = _write_launcher(project.build)
    argv = (
        *(str(tools.cmake), "-S", str(project.source), "-B", str(project.build), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={launcher}",
        *(f"-D{definition}" for definition in project.definitions),
        *(f"-U{name}" for name in project.undefined),
    )
    run_tool(Command(argv=argv), project.build, on_line)


def _write_launcher(build: Path) -> Path:
    """A command that runs this very kbuild, wherever its console script may be."""
    launcher = build / "kbuild-launcher"
    script = f'#!/bin/sh\nexec {shlex.join(process.python_argv("kbuild.cli.main"))} "$@"\n'
    files.write_if_changed(launcher, script.encode())
    launcher.chmod(launcher.stat().st_mode | 0o111)
    return launcher
