"""Configure a build directory. ninja decides whether CMake has to run again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kbuild import files
from kbuild.errors import BuildError
from kbuild.model import Command
from kbuild.project.cmake import CMakeBuild, configure
from kbuild.project.directory import BuildDirectory, claim_directory, forget_configuration
from kbuild.project.environment import write_environment
from kbuild.project.generate import (
    BuildSettings,
    GeneratedProject,
    generate_project,
    remove_other_kinds,
)
from kbuild.project.manifest import Manifest
from kbuild.project.tools import BuildTools, run_tool

# The keys of a manifest that differ from the CMake keyword.
_KEYS: Final = {"PRIVATE": "sources", "DEVICE_OPTIONS": "compile_options"}


def configure_directory(
    directory: BuildDirectory,
    manifest: Manifest,
    settings: BuildSettings,
    tools: BuildTools,
    on_line: Callable[[str], None],
) -> None:
    """Write the CMake project of a manifest, and configure it if something changed.

    Args:
        directory: The build directory, which this process has locked.
        manifest: The manifest.
        settings: What the call of ``kbuild build`` decides.
        tools: CMake and ninja.
        on_line: Receives CMake's output; see `configure_project`.

    Raises:
        KbuildError: The directory contains other files, a target cannot be planned, or CMake
            failed. If a target cannot be planned, the message names the manifest and the key.
    """
    project = generate_project(manifest, directory, settings)
    claim_directory(directory, project.targets)
    for target in manifest.targets:
        remove_other_kinds(directory, target)
    try:
        configure_project(directory, project, tools, on_line)
    except BuildError as error:
        if error.target is not None:
            raise _name_manifest(manifest, error) from error
        raise


def configure_project(
    directory: BuildDirectory,
    project: GeneratedProject,
    tools: BuildTools,
    on_line: Callable[[str], None],
) -> None:
    """Write a generated CMake project, and configure it if something changed.

    Args:
        directory: The build directory, which this process has locked and claimed.
        project: The project.
        tools: CMake and ninja.
        on_line: Receives CMake's output once CMake has ended. It receives nothing if a target
            cannot be planned, because the error then says everything.

    Raises:
        BuildError: A target cannot be planned, or CMake failed.
    """
    write_environment(directory, tools, project.kernel_targets, project.compilers)
    files.write_if_changed(directory.project / "CMakeLists.txt", project.content)
    output: list[str] = []
    try:
        if directory.is_configured():
            # With -j, ninja does not ask a jobserver for this one job.
            check = Command(argv=(str(tools.ninja), "-j1", "build.ninja"))
            run_tool(check, directory.cmake, output.append)
        else:
            forget_configuration(directory)
            build = CMakeBuild(source=directory.project, build=directory.cmake)
            configure(build, tools, output.append)
    except BuildError as error:
        if error.target is not None:
            output.clear()
        raise
    finally:
        for line in output:
            if line != "ninja: no work to do.":
                on_line(line)


def _name_manifest(manifest: Manifest, error: BuildError) -> BuildError:
    """Let an error of `kbuild plan` name the key of the manifest instead of a CMake keyword."""
    where = f"{manifest.path}: [target.{error.target}]"
    message = str(error)
    if error.setting is not None:
        where = f"{where}.{_KEYS.get(error.setting, error.setting.lower())}"
        message = message.removeprefix(f"{error.setting}: ")
    return BuildError(f"{where}: {message}", error.exit_code)
