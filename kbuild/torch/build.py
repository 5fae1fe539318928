"""Build the CMake project of PyTorch extensions."""

from __future__ import annotations

import sys
from pathlib import Path

from kbuild.cli import builds
from kbuild.errors import BuildError
from kbuild.process import select_environment
from kbuild.project.directory import BuildDirectory
from kbuild.torch.generate import TorchProject, generate_project, locate_extension

_JOBS = "MAX_JOBS"


def build_project(project: TorchProject, directory: BuildDirectory) -> tuple[Path, ...]:
    """Build extensions, and return their shared objects in the build directory.

    Raises:
        KbuildError: A tool is missing, an extension cannot be planned, or the build failed.
    """
    sys.stdout.flush()  # setuptools has written to it, and the build writes to stderr
    try:
        builds.build_project(generate_project(project, directory), directory, jobs=read_jobs())
    except BuildError as error:
        kernels = {t.kernels.name: t.name for t in project.targets if t.kernels}
        error.target = kernels.get(error.target or "")
        raise
    return tuple(locate_extension(directory, target) for target in project.targets)


def read_jobs() -> int | None:
    """Return the value of ``MAX_JOBS``, or None if it is not a number, as torch does."""
    value = select_environment((_JOBS,)).get(_JOBS, "")
    return int(value) if value.isdigit() and int(value) else None
