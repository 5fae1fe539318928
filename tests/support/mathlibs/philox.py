"""Philox4x32-10, as its authors define it.

Source: Salmon, Moraes, Dror, and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

from typing import Final

_MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
_WEYL: Final = (0x9E3779B9, 0xBB67AE85)
_MASK: Final = 0xFFFFFFFF
_ROUNDS: Final = 10


def compute_philox(seed: int, sequence: int) -> list[int]:
    """Return the first four numbers of a sequence."""
    x, y, z, w = 0, 0, sequence & _MASK, sequence >> 32
    key = [seed & _MASK, seed >> 32]
    for _ in range(_ROUNDS):
        first, second = _MULTIPLIERS[0] * x, _MULTIPLIERS[1] * z
        x, y, z, w = (
            second >> 32 ^ y ^ key[0],
            second & _MASK,
            first >> 32 ^ w ^ key[1],
            first & _MASK,
        )
        key = [(part + step) & _MASK for part, step in zip(key, _WEYL, strict=True)]
    return [x, y, z, w]
