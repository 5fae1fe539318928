"""Stand in for nvcc with kbuild's symbol layout. See `NvccConventions` for the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.cuda import build
from kbuild.backends.cuda.toolchain import LIBRARY_DIRECTORIES
from kbuild.backends.interface.nvcc import ToolkitLayout
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints

_COMPILER: Final = "nvcc"
_PLAIN_NAME: Final = re.compile(r"lib[\w-]+\.so")


def describe_toolkit(
    tc: Toolchain,
    hints: ToolchainHints,  # noqa: ARG001 - the interface's signature
) -> ToolkitLayout:
    """See `NvccConventions`: the toolkit of nvcc, with the names that linkers search for.

    Wheels contain no unversioned names of libraries.
    """
    root = tc.compiler.resolve().parent.parent
    headers = root / "include"
    library = headers / "cccl"
    programs = sorted((root / "bin").iterdir())
    return ToolkitLayout(
        version=tc.version,
        architecture=tc.architectures[0].partition("_")[2],
        headers=(headers,),
        header_library=library if library.is_dir() else None,
        libraries=tuple(_list_libraries(root)),
        programs=tuple((path.name, path) for path in programs if path.name != _COMPILER),
        device_library=root / "nvvm",
    )


def _list_libraries(root: Path) -> Iterator[tuple[str, Path]]:
    for directory in (root / name for name in LIBRARY_DIRECTORIES):
        for path in sorted(directory.iterdir()) if directory.is_dir() else ():
            yield path.name, path
            if plain := _PLAIN_NAME.match(path.name):
                yield plain[0], path


def select_architectures(requested: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: as they are."""
    return requested


def translate_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: as they are."""
    return options


def quote_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`."""
    return tuple(build.quote_options(options))
