"""The directory of a process for targets that read files instead of bytes."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from fuzz.target import CORPUS


def write_input(name: str, data: bytes) -> Path:
    """Write an input to a file in this process's directory, and return its path."""
    path = _create(os.getpid()) / name
    path.write_bytes(data)
    return path


@cache
def _create(process: int) -> Path:
    """Create the directory of a process, with files that manifests and policies name."""
    directory = Path(tempfile.mkdtemp(prefix=f"kbuild-fuzz-{process}-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    (directory / "src").mkdir()
    for name in ("src/a.cu", "src/b.cu", "types.h"):
        (directory / name).touch()
    shutil.copy(CORPUS / "baseline" / "library.baseline", directory)
    return directory
