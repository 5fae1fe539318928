"""A copy of a git work tree as it stands, uncommitted changes included."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.process import run_checked

# Made by CMake for one source folder, and of no use in another.
_BUILD_FOLDER: Final = "CMakeCache.txt"
# What stands for bytes that are no UTF-8.
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"


def copy_working_tree(top: Path, folder: Path) -> None:
    """Copy into the empty ``folder`` what of the work tree at ``top`` git tracks or would add.

    Ignored files, submodules, other repositories and untracked build folders of CMake's are
    left out.  Nothing below ``top`` is written to.
    """
    for name in _list_files(top):
        source, target = top / name, folder / name
        # Deleted, or a submodule.
        if not source.is_symlink() and not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(source, target, follow_symlinks=False)


def _list_files(top: Path) -> Iterator[str]:
    tracked = list(_ask(top, "--cached"))
    untracked = list(_ask(top, "--others", "--exclude-standard"))
    builds = {
        str(PurePosixPath(name).parent)
        for name in untracked
        if PurePosixPath(name).name == _BUILD_FOLDER
    }
    # Conflicts have several entries of a name.
    for name in dict.fromkeys((*tracked, *_leave_out(untracked, builds))):
        if _UNKNOWN in name:
            raise ConfigurationError(f"{top / name}: the name is no UTF-8; it cannot be copied")
        yield name


def _leave_out(names: Iterable[str], folders: set[str]) -> Iterator[str]:
    for name in names:
        if not folders.intersection(map(str, PurePosixPath(name).parents)):
            yield name


def _ask(top: Path, *words: str) -> Iterator[str]:
    argv = ("git", "-C", str(top), "ls-files", "-z", *words)
    return (name for name in run_checked(Command(argv=argv)).stdout.split("\0") if name)
