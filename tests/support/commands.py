"""Run kbuild, CMake, and pip, with the kbuild that the tests import."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild import resources
from support.command_server import start_command
from support.compiler_detection import find_detection

KBUILD = Path(sysconfig.get_path("scripts")) / "kbuild"
ROOT = Path(__file__).resolve().parents[2]
PROJECTS = ROOT / "tests" / "projects"
# Parameters of tests that behave the same with both generators.
GENERATORS = ("Ninja", pytest.param("Unix Makefiles", marks=pytest.mark.slow))


def run(*argv: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command and capture its output. It is allowed to fail."""
    return subprocess.run(
        [str(word) for word in argv], capture_output=True, text=True, check=False, cwd=cwd
    )


def find_kbuild() -> Path:
    """Return a program that runs kbuild's command in a fork of a server."""
    return start_command(KBUILD)


def run_kbuild(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run kbuild's command with these arguments, as `run` does, in a fork of a server."""
    return run(find_kbuild(), *words, cwd=cwd)


def configure(
    source: Path, build: Path, *definitions: str, generator: str = "Ninja"
) -> subprocess.CompletedProcess[str]:
    """Configure a CMake project with these cache definitions.

    CMake identifies each compiler once per test run.
    """
    detection = find_detection(generator, definitions)
    detection.restore(build)
    result = run(
        *("cmake", "-S", source, "-B", build, "-G", generator),
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={find_kbuild()}",
        *(f"-D{definition}" for definition in definitions),
    )
    if result.returncode == 0:
        detection.keep(build)
    return result


def build(directory: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    """Build targets of a configured project; without any, the default target."""
    selected = [word for target in targets for word in ("--target", target)]
    return run("cmake", "--build", directory, "--parallel", "2", *selected)


def ctest(directory: Path) -> subprocess.CompletedProcess[str]:
    """Run the tests of a project that is built."""
    return run("ctest", "--output-on-failure", cwd=directory)


def succeed(result: subprocess.CompletedProcess[str]) -> str:
    """Return the output of a command, and fail the test if the command failed."""
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    return output


def configure_and_build(source: Path, directory: Path, *definitions: str) -> None:
    """Configure and build a CMake project; both must succeed."""
    succeed(configure(source, directory, *definitions))
    succeed(build(directory))


def pip(python: Path | str, *words: object) -> str:
    """Run pip for an interpreter, and return its output."""
    quiet = ("--disable-pip-version-check", "--no-input")
    return succeed(run(python, "-m", "pip", *words, *quiet))
