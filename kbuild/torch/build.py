"""Build the CMake project of PyTorch extensions."""

from __future__ import annotations

import sys
from pathlib import Path

from kbuild.cli.build_progress import show_build
from kbuild.cli.commands.build import report_waiting
from kbuild.errors import BuildError
from kbuild.process import select_environment
from kbuild.project.configure import configure_project
from kbuild.project.directory import BuildDirectory, claim_directory, hold_lock
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.tools import find_build_tools
from kbuild.torch.generate import TorchProject, generate_project, locate_extension

_JOBS = "MAX_JOBS"


def build_project(project: TorchProject, directory: BuildDirectory) -> tuple[Path, ...]:
    """Build extensions, and return their shared objects in the build directory.

    Raises:
        KbuildError: A tool is missing, an extension cannot be planned, or the build failed.
    """
    tools = find_build_tools()
    generated = generate_project(project, directory)
    sys.stdout.flush()  # setuptools has written to it, and the build writes to stderr
    with (
        hold_lock(directory, lambda holder: report_waiting(directory, holder)) as lock,
        show_build() as reporter,
    ):
        claim_directory(directory, generated.targets)
        try:
            configure_project(directory, generated, tools, reporter.report_line)
        except BuildError as error:
            raise _name_extension(project, error) from error
        ninja_run = NinjaRun(
            ninja=tools.ninja, directory=directory.cmake, jobs=read_jobs(), lock=lock
        )
        run_ninja(ninja_run, reporter)
    return tuple(locate_extension(directory, target) for target in project.targets)


def read_jobs() -> int | None:
    """Return the value of ``MAX_JOBS``, or None if it is not a number, as torch does."""
    value = select_environment((_JOBS,)).get(_JOBS, "")
    return int(value) if value.isdigit() and int(value) else None


def _name_extension(project: TorchProject, error: BuildError) -> BuildError:
    """Let an error of `kbuild plan` name the extension instead of the kernel target."""
    names = {target.kernel_target: target.name for target in project.targets}
    if error.target not in names:
        return error
    return BuildError(f"extension '{names[error.target]}': {error}", error.exit_code)
