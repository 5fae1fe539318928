"""Comparison of the parameter layouts of one kernel in two images."""

from __future__ import annotations

from typing import Final

from kbuild.model import Param

# On every device, the parameter memory starts at a multiple of this number of bytes. Devices have
# nothing more in common: sm_80 starts at 0x160 and sm_90 at 0x210, and offsets are aligned
# relative to address 0.
_COMMON_ALIGNMENT: Final = 16


def find_difference(left: tuple[Param, ...], right: tuple[Param, ...]) -> int | None:
    """Return the index of the first parameter that differs; None if the layouts agree.

    Offsets are compared only up to the first parameter whose alignment might exceed the common
    alignment of devices. From there on, devices have different offsets for the same source.
    """
    # The images of one source usually share the same tuple.
    if left is right:
        return None
    offsets_count = True
    for index, (mine, other) in enumerate(zip(left, right, strict=False)):
        if (mine.index, mine.size) != (other.index, other.size):
            return index
        # A type's size is a multiple of its alignment.
        offsets_count = offsets_count and mine.size % (2 * _COMMON_ALIGNMENT) != 0
        if offsets_count and mine.offset != other.offset:
            return index
    return None if len(left) == len(right) else min(len(left), len(right))
