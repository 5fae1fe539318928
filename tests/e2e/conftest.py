"""Fixtures of the end-to-end tests."""

from __future__ import annotations

import fcntl
import sys
from pathlib import Path

import pytest

from support.accuracy.build_env import BuildEnv
from support.checkout import QUICK_WHEEL, copy_checkout
from support.commands import PROJECTS, configure_and_build, pip
from support.kernel_libraries import BuildKernelLibrary, make_library_builder
from support.tools.recorded_hip import build_recorder
from support.tools.small_headers import set_device_headers
from support.tools.toolchains import find_compiler


@pytest.fixture(scope="session")
def build_kernel_library(tmp_path_factory: pytest.TempPathFactory) -> BuildKernelLibrary:
    """Return a function that builds a shared object from kernel sources without CMake."""
    return make_library_builder(tmp_path_factory)


@pytest.fixture(scope="session")
def build_env(run_directory: Path) -> BuildEnv:
    """Return the build environment of `accuracy`, which builds each file once per test run."""
    directory = run_directory / "build_env"
    directory.mkdir(exist_ok=True)
    return BuildEnv(directory=directory)


@pytest.fixture(scope="session")
def wheelhouse(run_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with a wheel of this checkout's kbuild, which all workers share."""
    directory = run_directory / "wheelhouse"
    directory.mkdir(exist_ok=True)
    with (directory / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(directory.glob("*.whl")):
            source = tmp_path_factory.mktemp("source") / "kbuild"
            copy_checkout(source)
            words = (source, "--no-deps", "--wheel-dir", directory, *QUICK_WHEEL)
            pip(sys.executable, "wheel", *words)
    return directory


@pytest.fixture(scope="session")
def hip_recorder(build_env: BuildEnv) -> Path:
    """Return a directory with a replacement of AMD's runtime that records calls."""
    return build_env.file("hip_recorder/lib", build_recorder)


@pytest.fixture(scope="session")
def hip_launch(build_env: BuildEnv) -> Path:
    """Return the build directory of ``hip_launch/``, for the tests that need hipcc."""
    project = PROJECTS / "hip_launch"
    flags = set_device_headers("hip")
    with pytest.MonkeyPatch.context() as patch:
        # The clang that hipcc would call. hipcc itself runs for a quarter of a second per target.
        patch.setenv("HIPCXX", str(find_compiler("hip")))
        return build_env.file(
            "hip_launch/build", lambda path: configure_and_build(project, path, flags)
        )
