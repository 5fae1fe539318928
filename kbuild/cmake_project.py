"""Builds with CMake and ninja: a manifest's targets, or any project that uses kbuild."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import process, record, resources
from kbuild.errors import BuildError, ConfigurationError, ToolchainError, ToolError
from kbuild.manifest import Manifest, ManifestTarget
from kbuild.model import Command
from kbuild.stages.render import render
from kbuild.toolchain import find_build_program

_OLDEST_CMAKE: Final = (3, 22)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTools:
    """The programs that build: CMake, ninja."""

    cmake: Path
    ninja: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CMakeBuild:
    """A CMake project to configure and build; no ``targets`` means all."""

    source: Path
    build: Path
    definitions: tuple[str, ...] = ()
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


def write_project(manifest: Manifest, output: Path, *, names: tuple[str, ...] = ()) -> Path:
    """Write the CMake project of ``manifest`` into ``output``; return its folder.

    ``names`` limits it to those targets.  Files change only if their content does.
    """
    for name in names:
        if name not in {target.name for target in manifest.targets}:
            known = ", ".join(target.name for target in manifest.targets)
            raise ConfigurationError(f"{manifest.path}: no target {name!r}; it has {known}")
    folder = output / "project"
    rows = {
        "source_root": manifest.root,
        "output": output,
        "targets": [_target_rows(manifest, target) for target in manifest.targets],
    }
    record.write_if_changed(folder / "CMakeLists.txt", render("project.cmake.j2", rows))
    return folder


def _target_rows(manifest: Manifest, target: ManifestTarget) -> dict[str, object]:
    table = target.table
    root = manifest.root
    policy = root / table.policy if table.policy else manifest.policy
    return {
        "name": target.name,
        "kind": table.kind,
        "one_value": {
            "BACKEND": table.backend,
            "DEBUG_STUBS": _on_off(table.debug_stubs),
            "RDC": _on_off(table.rdc),
            "RUNTIME": table.runtime,
            "COMPRESSION": table.compression,
            "VISIBILITY": table.visibility,
            "DEVICE_STANDARD": table.device_standard,
            "HOST_COMPILER": table.host_compiler,
            "VERIFY": _on_off(table.verify),
            "POLICY": policy,
        },
        "many_values": {
            "SOURCES": target.sources,
            "HEADERS": [root / header for header in table.headers],
            "ARCHITECTURES": table.architectures,
            "INCLUDE_DIRECTORIES": [root / path for path in table.include_directories],
            "DEFINITIONS": table.definitions,
            "COMPILE_OPTIONS": table.compile_options,
        },
    }


def _on_off(value: bool) -> str:
    return "ON" if value else "OFF"


def configure_and_build(project: CMakeBuild, tools: BuildTools) -> None:
    """Configure ``project`` and build its targets.

    What the tools print goes to our stderr.  Raises ToolError when one of them fails.
    """
    launcher = _write_launcher(project.build)
    cmake = str(tools.cmake)
    configure = (
        *(cmake, "-S", str(project.source), "-B", str(project.build), "-G", "Ninja"),
        f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={launcher}",
        *(f"-D{definition}" for definition in project.definitions),
    )
    _run(Command(argv=configure))
    parallel = ("--parallel", str(project.jobs)) if project.jobs else ()
    selected = ("--target", *project.targets) if project.targets else ()
    _run(Command(argv=(cmake, "--build", str(project.build), *parallel, *selected)))


def _run(command: Command) -> None:
    status, code = process.stream_build(command)
    if status != 0:
        message = f"exit status {status}: {shlex.join(command.argv)}"
        raise BuildError(message, ToolError.exit_code if code is None else code)


def _write_launcher(build: Path) -> Path:
    """A command that runs this very kbuild, wherever its console script may be."""
    launcher = build / "kbuild-launcher"
    script = f'#!/bin/sh\nexec {shlex.join(process.python_argv("kbuild.cli.main"))} "$@"\n'
    if record.write_if_changed(launcher, script.encode()):
        launcher.chmod(launcher.stat().st_mode | 0o111)
    return launcher
