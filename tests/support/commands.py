"""Drives CMake over the projects of this folder, with the kbuild that the tests import."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

from kbuild import resources

KBUILD = Path(sysconfig.get_path("scripts")) / "kbuild"
ROOT = Path(__file__).resolve().parents[2]
PROJECTS = ROOT / "tests" / "projects"
GENERATORS = ("Ninja", "Unix Makefiles")


def run(*argv: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in argv], capture_output=True, text=True, check=False, cwd=cwd
    )


def run_kbuild(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run(KBUILD, *words, cwd=cwd)


def configure(
    source: Path, build: Path, *definitions: str, generator: str = "Ninja"
) -> subprocess.CompletedProcess[str]:
    return run(
        *("cmake", "-S", source, "-B", build, "-G", generator),
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={KBUILD}",
        *(f"-D{definition}" for definition in definitions),
    )


def build(folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    selected = [word for target in targets for word in ("--target", target)]
    return run("cmake", "--build", folder, "--parallel", "2", *selected)


def ctest(folder: Path) -> subprocess.CompletedProcess[str]:
    return run("ctest", "--output-on-failure", cwd=folder)


def succeed(result: subprocess.CompletedProcess[str]) -> str:
    """The output of a call that has to work."""
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    return output


def configure_and_build(source: Path, folder: Path, *definitions: str) -> None:
    succeed(configure(source, folder, *definitions))
    succeed(build(folder))


def pip(python: Path | str, *words: object) -> str:
    quiet = ("--disable-pip-version-check", "--no-input")
    return succeed(run(python, "-m", "pip", *words, *quiet))
