"""Make every test use the kbuild that is installed, not the sources in the checkout."""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]


def _is_checkout(entry: str) -> bool:
    return Path(entry or ".").resolve() == CHECKOUT


# `python -m pytest` puts the working directory first in the search path.  There, kbuild/ has
# no compiled runtime unless the installation is editable.
sys.path[:] = [entry for entry in sys.path if not _is_checkout(entry)]

# Tests start thousands of processes. Without bytecode files, each of them would compile kbuild, and
# each run of the tests would compile all tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# CI systems set these. Tests compare text without colors.
for variable in ("FORCE_COLOR", "CLICOLOR_FORCE"):
    os.environ.pop(variable, None)


# Search neither the tests that pytest collects nor the values of kbuild's stages for cycles all the
# time. kbuild's command does the same (kbuild/cli/main.py).
gc.set_threshold(1 << 18)


def pytest_collection_finish() -> None:
    """Never search the collected tests for cycles."""
    gc.freeze()


@pytest.fixture(scope="session")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory that all workers of this test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def share_detected_compilers(run_directory: Path) -> None:
    """Let CMake identify each compiler once per test run."""
    from support.compiler_detection import DIRECTORY_VARIABLE  # noqa: PLC0415 (needs the path)

    directory = run_directory / "detected_compilers"
    directory.mkdir(exist_ok=True)
    os.environ[DIRECTORY_VARIABLE] = str(directory)


@pytest.fixture(scope="session", autouse=True)
def use_own_cache(run_directory: Path) -> None:
    """Leave the user's cache alone, where toolkits would name the command of `run_kbuild`."""
    os.environ["XDG_CACHE_HOME"] = str(run_directory / "cache")


@pytest.fixture(scope="session", autouse=True)
def prepare_command_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Create the directory of the command that `run_kbuild` starts."""
    from support import command_server  # noqa: PLC0415 (needs the path)

    directory = tmp_path_factory.mktemp("command")
    os.environ[command_server.DIRECTORY_VARIABLE] = str(directory)


@pytest.fixture(scope="session", autouse=True)
def start_cmake_itself() -> None:
    """Put CMake before the script that its wheel installs, in which Python starts first."""
    from kbuild.errors import ToolchainError  # noqa: PLC0415 (needs the path)
    from kbuild.project.tools import find_build_tools  # noqa: PLC0415

    with contextlib.suppress(ToolchainError):
        cmake = find_build_tools().cmake
        if str(cmake) != shutil.which("cmake"):
            os.environ["PATH"] = f"{cmake.parent}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture(scope="session", autouse=True)
def leave_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run in an empty directory, so that child processes import the installed kbuild, too."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("working_directory"))
    yield
    os.chdir(before)
