"""Copies of this checkout, from which tests build wheels of kbuild."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from support.commands import ROOT, pip

# Options of pip for a wheel that is compiled quickly, without the compiled launcher. CMake does not
# know the build type, so it adds neither optimization nor debug information. All sources of the
# runtime are one unit.
QUICK_WHEEL: Final = (
    "--config-settings=cmake.define.CMAKE_UNITY_BUILD=ON",
    "--config-settings=cmake.define.CMAKE_UNITY_BUILD_BATCH_SIZE=0",
    "--config-settings=cmake.build-type=Quick",
    "--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_Python=ON",
)


def copy_checkout(to: Path) -> None:
    """Copy all files that git tracks or would add, and no build outputs."""
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in listing.splitlines():
        if (ROOT / name).is_file():
            target = to / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)


def build_pure_wheel(directory: Path) -> Path:
    """Build a wheel without compiled parts, which takes a few seconds, and return it."""
    copy_checkout(directory / "checkout")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKBUILD_WHEEL_CMAKE", "false")
        pip(sys.executable, "wheel", directory / "checkout", "--no-deps", "--wheel-dir", directory)
    (wheel,) = directory.glob("kbuild-*-py3-none-any.whl")
    return wheel
