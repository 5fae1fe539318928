"""Copies of this checkout, from which tests build wheels of kbuild."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

from support.commands import ROOT

# Options of pip for a wheel that is compiled quickly, without optimization and without the compiled
# launcher.
QUICK_WHEEL: Final = (
    "--config-settings=cmake.build-type=Debug",
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
