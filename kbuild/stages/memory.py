"""How much memory a build may take, and how many compiles have room in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

# Host compiles, links and whatever else the machine does have the rest.
_SHARE: Final = 0.75
_GROUPS: Final = Path("/sys/fs/cgroup")


def count_device_jobs(peak: int, limit: int) -> int:
    """How many compiles of ``peak`` bytes each have room in ``limit`` bytes: one at least."""
    return max(1, int(limit * _SHARE) // peak)


def read_memory_limit(groups: Path = _GROUPS, membership: Path = Path("/proc/self/cgroup")) -> int:
    """The memory that this process may use, in bytes: the machine's, or its control group's.

    Not what is free just now: a build runs at another time than its configuration.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((machine, *_list_limits(groups, membership)))


def _list_limits(groups: Path, membership: Path) -> tuple[int, ...]:
    """The limits of the group and of those around it, in either version of control groups."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return ()
    found: list[int] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, name = groups, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = groups / "memory", "memory.limit_in_bytes"
        else:
            continue
        folder = root / path.lstrip("/")
        # In a container the path may be the host's, and what is mounted the group itself.
        found.extend(_read_limit(place / name) for place in (folder, *folder.parents))
    return tuple(limit for limit in found if limit > 0)


def _read_limit(path: Path) -> int:
    """Bytes; 0 where there is no limit."""
    try:
        text = path.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdecimal() else 0
