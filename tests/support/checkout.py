"""Copies of this checkout, from which tests build wheels of kbuild."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

from support.commands import ROOT

# Options of pip for a wheel that is compiled quickly, without the compiled launcher. CMake does not
# know the build type, so it adds neither optimization nor debug information. All sources of the
# runtime are one unit.
QUICK_WHEEL: Final = (
    "--config-settings=cmake.define.CMAKE_UNITY_BUILD=ON",
    "--config-settings=cmake.define.CMAKE_UNITY_BUILD_BATCH_SIZE=0",
    "--config-settings=cmake.build-type=Quick",
    "--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_nanobind=ON",
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
