"""Find the objects and archives of a link."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

from kbuild.nvcc.invocation import Invocation

_DIRECTORY: Final = ("-L", "--library-path")


def list_files(invocation: Invocation, objects: Iterable[Path]) -> tuple[Path, ...]:
    """List the objects and archives of a link, with the libraries of ``-l``."""
    libraries = (find_library(name, invocation) for name in invocation.libraries)
    return tuple(dict.fromkeys((*objects, *filter(None, libraries))))


def list_directories(invocation: Invocation) -> tuple[str, ...]:
    """List the directories of libraries, also those in options for the linker."""
    options = (*invocation.linker_options, *invocation.host_options)
    # ``-Wl,-L,DIR`` and ``-Xlinker -L -Xlinker DIR`` are the same words for the linker.
    words = [word for option in options for word in option.split(",")]
    words = [word for word in words if word not in ("-Wl", "-Xlinker")]
    directories: list[str] = []
    for word, following in pairwise((*words, "")):
        if word in _DIRECTORY:
            directories.append(following)
        elif word.startswith("-L"):
            directories.append(word.removeprefix("-L"))
    return (*invocation.library_directories, *filter(None, directories))


def find_library(name: str, invocation: Invocation) -> Path | None:
    """Return the static library that a linker takes for ``-l``, or None.

    Libraries in the linker's own directories count as those of the system, without device code.
    """
    for directory in map(Path, list_directories(invocation)):
        if (directory / f"lib{name}.so").is_file():
            return None
        if (found := directory / f"lib{name}.a").is_file():
            return found
    return None
