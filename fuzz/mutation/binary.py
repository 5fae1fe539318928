"""Mutations of bytes: flipped bits, edited integers, and moved, repeated, and spliced pieces."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

Edit: TypeAlias = Callable[[random.Random, bytearray, Sequence[bytes]], None]

_WIDTHS: Final = {1: "<B", 2: "<H", 4: "<I", 8: "<Q"}
_ROUNDS: Final = (1, 1, 1, 2, 2, 4, 8)
_LARGEST_PIECE: Final = 256
_MOST_COPIES: Final = 64


def mutate_bytes(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Return an input of the pool with some edits."""
    return edit(chance, pool, EDITS)


def edit(chance: random.Random, pool: Sequence[bytes], edits: Sequence[Edit]) -> bytes:
    """Apply some of ``edits`` to an input of the pool."""
    data = bytearray(chance.choice(pool))
    for _ in range(chance.choice(_ROUNDS)):
        chance.choice(edits)(chance, data, pool)
    return bytes(data)


def choose_integer(chance: random.Random, width: int, size: int) -> int:
    """Return an integer that is likely to break a reader: an edge case, a size, or anything.

    Args:
        chance: The random number generator.
        width: The size of the integer, in bytes.
        size: The size of the input, in bytes.
    """
    bits = 8 * width
    kind = chance.randrange(4)
    if kind == 0:
        value = (1 << chance.randrange(bits)) + chance.choice((-1, 0, 1))
    elif kind == 1:
        value = chance.choice((0, 1, -1, -2, size, size - 1, size + 1, size // 2))
    elif kind == 2:
        value = chance.randrange(max(size, 1))
    else:
        value = chance.getrandbits(bits)
    return value & ((1 << bits) - 1)


def _pick(chance: random.Random, data: bytearray) -> tuple[int, int]:
    """Return a random piece of the data as its start and size."""
    start = chance.randrange(len(data) + 1)
    return start, min(chance.randrange(1, _LARGEST_PIECE), len(data) - start)


def flip_bit(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def edit_integer(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    """Overwrite an integer, often an aligned one, or add a small number to it."""
    width = chance.choice((1, 2, 4, 4, 8, 8))
    if len(data) < width:
        return
    at = chance.randrange(len(data) - width + 1)
    if chance.random() < 0.7:
        at -= at % width
    form = _WIDTHS[width]
    if chance.random() < 0.3:
        (value,) = struct.unpack_from(form, data, at)
        value = (value + chance.randrange(-16, 17)) % (1 << (8 * width))
    else:
        value = choose_integer(chance, width, len(data))
    struct.pack_into(form, data, at, value)


def truncate(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    del data[chance.randrange(len(data) + 1) :]


def delete_piece(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    start, size = _pick(chance, data)
    del data[start : start + size]


def repeat_piece(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    start, size = _pick(chance, data)
    piece = data[start : start + size]
    data[start:start] = piece * chance.randrange(1, _MOST_COPIES)


def splice_piece(chance: random.Random, data: bytearray, pool: Sequence[bytes]) -> None:
    """Insert a piece of another input, or overwrite with it."""
    other = bytearray(chance.choice(pool))
    start, size = _pick(chance, other)
    at = chance.randrange(len(data) + 1)
    end = at + size if chance.random() < 0.5 else at
    data[at:end] = other[start : start + size]


def swap_pieces(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    """Exchange two pieces of equal size, which are often fields of a table."""
    size = chance.choice((1, 2, 4, 8, 16, 24, 40, 56, 64))
    if len(data) < 2 * size:
        return
    first, second = (chance.randrange(len(data) // size) * size for _ in range(2))
    if first != second:
        one = data[first : first + size]
        data[first : first + size] = data[second : second + size]
        data[second : second + size] = one


def append_input(chance: random.Random, data: bytearray, pool: Sequence[bytes]) -> None:
    data += bytes(chance.choice((0, 0, 1, 8, 16))) + chance.choice(pool)


EDITS: Final[tuple[Edit, ...]] = (
    *(flip_bit, edit_integer, edit_integer, edit_integer, truncate, delete_piece),
    *(repeat_piece, splice_piece, splice_piece, swap_pieces, append_input),
)
