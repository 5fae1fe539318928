"""When two images' parameter layouts are those of one kernel."""

from __future__ import annotations

from typing import Final

from kbuild.model import Param

# The memory that arguments lie in starts at a multiple of this on every device, and devices
# agree on no more: sm_80 keeps them from 0x160, sm_90 from 0x210, and align types in there.
_COMMON_ALIGNMENT: Final = 16


def find_difference(left: tuple[Param, ...], right: tuple[Param, ...]) -> int | None:
    """The index of the first parameter that differs; None when the layouts agree.

    Offsets count up to the first type that may ask for more alignment than devices have in
    common: from there on, one source has different ones on different devices.
    """
    # The images of one source mostly share the value itself.
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
