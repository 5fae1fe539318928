"""Find the objects and archives of a link."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kbuild.nvcc.invocation import Invocation


def list_files(invocation: Invocation, objects: Iterable[Path]) -> tuple[Path, ...]:
    """List the objects and archives of a link, with the libraries of ``-l``."""
    libraries = (find_library(name, invocation) for name in invocation.libraries)
    return tuple(dict.fromkeys((*objects, *filter(None, libraries))))


def find_library(name: str, invocation: Invocation) -> Path | None:
    """Return the static library that a linker takes for ``-l``, or None.

    Libraries in the linker's own directories count as those of the system, without device code.
    """
    for directory in map(Path, invocation.library_directories):
        if (directory / f"lib{name}.so").is_file():
            return None
        if (found := directory / f"lib{name}.a").is_file():
            return found
    return None
