"""Copy a git working tree, including uncommitted changes."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.process import run_checked

# CMake writes this file to a build directory, which works for only one source directory.
_BUILD_MARKER: Final = "CMakeCache.txt"
# This character replaces bytes that are not UTF-8.
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"


def copy_working_tree(top: Path, copy: Path) -> None:
    """Copy the files that git tracks or would add from ``top`` to an empty directory.

    Ignored files, submodules, other repositories, and untracked CMake build directories are left
    out. Nothing below ``top`` is written.

    Raises:
        ConfigurationError: A file name is not UTF-8.
    """
    for name in _list_files(top):
        source, target = top / name, copy / name
        # The file was deleted, or is a submodule.
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
        if PurePosixPath(name).name == _BUILD_MARKER
    }
    # A merge conflict has several entries with one name.
    for name in dict.fromkeys((*tracked, *_exclude(untracked, builds))):
        if _UNKNOWN in name:
            raise ConfigurationError(
                f"{top / name}: cannot copy a file whose name is not UTF-8; rename it"
            )
        yield name


def _exclude(names: Iterable[str], directories: set[str]) -> Iterator[str]:
    for name in names:
        if not directories.intersection(map(str, PurePosixPath(name).parents)):
            yield name


def _ask(top: Path, *words: str) -> Iterator[str]:
    argv = ("git", "-C", str(top), "ls-files", "-z", *words)
    return (name for name in run_checked(Command(argv=argv)).stdout.split("\0") if name)
