"""Find the memory that a build can use, and the number of compiles that fit into it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

# What compiles can use together. Links and other programs on the machine use the rest.
SHARE: Final = 0.75
_GROUPS: Final = Path("/sys/fs/cgroup")


def count_device_jobs(peak: int, limit: int) -> int:
    """Return how many compiles can run at once, at least one.

    Args:
        peak: The peak memory of one compile, in bytes.
        limit: The memory that all compiles can use together, in bytes.
    """
    return max(1, limit // peak)


def read_memory_limit(groups: Path = _GROUPS, membership: Path = Path("/proc/self/cgroup")) -> int:
    """Return the memory limit of this process, in bytes: the machine's or its control group's.

    The memory that is free at the moment does not matter, because the build runs later than CMake
    configures it.

    Args:
        groups: The directory where the control groups are mounted.
        membership: The file that lists the control groups of this process.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((machine, *_list_limits(groups, membership)))


def _list_limits(groups: Path, membership: Path) -> tuple[int, ...]:
    """List the limits of the group and its parent groups, for cgroup v1 and v2."""
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
        group = root / path.lstrip("/")
        # In a container, the path can be that on the host, although the mount shows only the
        # container's own group. So search all parents, including the root of the mount.
        found.extend(_read_limit(directory / name) for directory in (group, *group.parents))
    return tuple(limit for limit in found if limit > 0)


def _read_limit(path: Path) -> int:
    """Return a limit in bytes, or 0 if there is no limit."""
    try:
        text = path.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdecimal() else 0
