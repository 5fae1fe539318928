"""Caches of a test that needs an empty one."""

from __future__ import annotations

import os
from pathlib import Path

# What kbuild builds or tries once for all programs, in the cache of the test run.
_SHARED = ("installations", "mathlibs", "runtimes", "toolkits", "trials")


def make_cache(directory: Path) -> Path:
    """Return a directory for `XDG_CACHE_HOME` with nothing but what is built once for a machine."""
    own, shared = directory / "kbuild", Path(os.environ["XDG_CACHE_HOME"]) / "kbuild"
    if not own.is_dir():
        own.mkdir(parents=True)
        for name in _SHARED:
            (shared / name).mkdir(parents=True, exist_ok=True)
            (own / name).symlink_to(shared / name)
    return directory
