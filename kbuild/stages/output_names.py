"""Name the outputs of a target's edges after their sources."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.stages.target import TargetSpec

# The names of an edge's files are longer than this; file systems allow 255 bytes.
_LONGEST_NAME: Final = 120


def display_source(source: Path, root: Path) -> str:
    """Return the path of a source, relative to the project's root if it is below the root."""
    if ".." in source.parts:  # after a symbolic link
        return str(source)
    relative = os.path.relpath(source, root)
    return str(source) if relative.startswith("..") else relative


def name_file(text: str) -> str:
    """Replace the characters that build tools do not take literally in a path."""
    return re.sub(r"[^\w.+-]", "_", text)


def name_outputs(spec: TargetSpec) -> dict[Path, str]:
    """Choose a file name for each source that is unique in the target.

    If possible, the name depends only on the source's own path. Otherwise, adding a source would
    rename the outputs of others, and so recompile them.
    """
    plain = {s: name_file(display_source(s, spec.source_root)) for s in spec.sources}
    taken = list(plain.values())
    return {
        source: name
        if taken.count(name) == 1 and len(name) <= _LONGEST_NAME
        else f"{name[-_LONGEST_NAME:]}-{files.sha256(str(source).encode())[:8]}"
        for source, name in plain.items()
    }
