"""Build a generated project: the part that all commands with builds share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from kbuild.cli.build_progress import show_build
from kbuild.project.build_output import BuildOutput
from kbuild.project.configure import configure_project
from kbuild.project.directory import BuildDirectory, hold_lock
from kbuild.project.generate import GeneratedProject
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.tools import find_build_tools


def build_project(
    project: GeneratedProject,
    directory: BuildDirectory,
    *,
    targets: tuple[str, ...] = (),
    jobs: int | None = None,
    show: Callable[[], AbstractContextManager[BuildOutput]] = show_build,
) -> None:
    """Configure a project in a build directory, and build it.

    Args:
        project: The project.
        directory: The build directory. If another process has locked it, this one waits.
        targets: The targets of ninja. By default, ninja builds everything.
        jobs: How many edges run at once. By default, ninja decides.
        show: Shows the progress.

    Raises:
        KbuildError: A tool is missing, the directory contains other files, a target cannot be
            planned, or the build failed.
    """
    tools = find_build_tools()
    with (
        hold_lock(directory, lambda holder: report_waiting(directory, holder)) as lock,
        show() as output,
    ):
        output.begin_phase("configuring with CMake")
        configure_project(directory, project, tools, output.read_line)
        ninja_run = NinjaRun(
            ninja=tools.ninja, directory=directory.cmake, targets=targets, jobs=jobs, lock=lock
        )
        output.begin_phase("building with ninja")
        run_ninja(ninja_run, output)


def report_waiting(directory: BuildDirectory, holder: str) -> None:
    """Say which process has the lock."""
    message = f"kbuild: waiting for another kbuild (process {holder}) to leave {directory.root}"
    print(message, file=sys.stderr, flush=True)
