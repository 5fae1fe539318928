"""Which images a machine runs.

Source: "x86-64 psABI", "Micro-Architecture Levels": each level contains the previous ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kbuild.backends.cpu.machines import LEVELS, MACHINES
from kbuild.backends.interface.limits import DeviceLimits


def _list_usable(device: str, architectures: Iterable[str]) -> tuple[str, ...] | None:
    """Return the levels that a machine of the level ``device`` has, the best one first."""
    if device not in MACHINES:
        return None
    levels = LEVELS[MACHINES[device]]
    there = set(architectures)
    return tuple(level for level in levels[levels.index(device) :: -1] if level in there)


LIMITS: Final = DeviceLimits(usable_by=_list_usable)
