"""Configure a build directory. ninja decides whether CMake has to run again."""

from __future__ import annotations

from collections.abc import Callable

from kbuild import files
from kbuild.errors import BuildError, about
from kbuild.model import Command
from kbuild.project.cmake import CMakeBuild, configure
from kbuild.project.directory import BuildDirectory, claim_directory, forget_configuration
from kbuild.project.environment import write_environment
from kbuild.project.generate import GeneratedProject
from kbuild.project.tools import BuildTools, run_tool


def configure_project(
    directory: BuildDirectory,
    project: GeneratedProject,
    tools: BuildTools,
    on_line: Callable[[str], None],
) -> None:
    """Write a generated CMake project, and configure it if something changed.

    Args:
        directory: The build directory, which this process has locked.
        project: The project.
        tools: CMake and ninja.
        on_line: Receives CMake's output once CMake has ended. It receives nothing if a target
            cannot be planned, because the error then says everything.

    Raises:
        ConfigurationError: The directory contains other files.
        BuildError: A target cannot be planned, or CMake failed.
    """
    claim_directory(directory, project.targets)
    for path in project.obsolete:
        path.unlink(missing_ok=True)
    write_environment(directory, tools, project.kernel_targets, project.compilers)
    files.write_if_changed(directory.project / "CMakeLists.txt", project.content)
    output: list[str] = []
    try:
        with about(manifest=project.manifest):
            _configure(directory, tools, output.append)
    except BuildError as error:
        if error.target is not None:
            output.clear()
        raise
    finally:
        for line in output:
            on_line(line)


def _configure(
    directory: BuildDirectory, tools: BuildTools, on_line: Callable[[str], None]
) -> None:
    if directory.is_configured():
        # With -j, ninja does not ask a jobserver for this one job.
        check = Command(argv=(str(tools.ninja), "-j1", "build.ninja"))
        run_tool(check, directory.cmake, on_line)
    else:
        forget_configuration(directory)
        configure(CMakeBuild(source=directory.project, build=directory.cmake), tools, on_line)
