"""Reject tile code, which kbuild does not compile, if ``--enable-tile`` allows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.errors import SourceError

# What only tile code needs; see crt/host_defines.h in the toolkit of CUDA 13.
_WORD: Final = re.compile(rb"\b(?:__tile_global__|__tile__|__tile_builtin__|__CUDACC_TILE__)\b")


def reject_tiles(paths: Iterable[Path], toolkit: Path) -> None:
    """Check that no file that a source includes contains tile code.

    Args:
        paths: The files.
        toolkit: The include directory of the toolkit, whose files do not count.

    Raises:
        SourceError: A file contains tile code.
    """
    own = toolkit.resolve()
    for path in paths:
        found = None if path.resolve().is_relative_to(own) else _WORD.search(files.read_file(path))
        if found:
            line = files.read_file(path)[: found.start()].count(b"\n") + 1
            raise SourceError(
                f"{path}:{line}: tile code ('{found[0].decode()}'), which kbuild does not compile; "
                "compile this source with nvcc"
            )
