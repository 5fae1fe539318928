"""Decompression of the front of a container, and the search for its end.

Some containers of device images are compressed as a whole, including the table of images at
their front. To list the images, only the front is decompressed. A budget limits the work for
all containers of a file together.

Sources: RFC 8878 (Zstandard), sections 3.1.1 and 3.1.1.2; RFC 1950 (zlib).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.compression import import_codec
from kbuild.model import Compression
from kbuild.values import dataclass

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

# Tables are small compared with the images. Forged tables can repeat themselves, which
# compresses well, so their sizes are counted over the whole file.
_BYTES_PER_BYTE: Final = 16
_BYTES_AT_LEAST: Final = 1 << 20
# A zlib stream must be decompressed to find its end.
_MOST_SKIPPED: Final = 1 << 30
_CHUNK: Final = 1 << 16
# The first attempt decompresses this many bytes; each further attempt multiplies the size.
_FIRST_FRONT: Final = 1 << 12
_GROWTH: Final = 8

_ZSTD_BLOCK_HEADER: Final = 3
_ZSTD_RLE_BLOCK: Final = 1
_ZSTD_RESERVED_BLOCK: Final = 3
_ZSTD_CHECKSUM: Final = 4


@dataclass(slots=True, kw_only=True)
class Budget:
    """The bytes that can still be decompressed for one file: for tables, and to find ends."""

    tables: int
    skipped: int


def make_budget(content_size: int) -> Budget:
    """Return the budget for a file of ``content_size`` bytes."""
    return Budget(tables=_BYTES_AT_LEAST + _BYTES_PER_BYTE * content_size, skipped=_MOST_SKIPPED)


def iterate_fronts(
    compression: Compression, stored: memoryview, budget: Budget
) -> Iterator[tuple[bytes, bool]]:
    """Yield longer and longer fronts of the data, and whether a front is all of the data.

    Raises:
        InputError: The data is damaged, or the budget is exhausted.
    """
    size, is_all = _FIRST_FRONT, False
    while not is_all:
        front = _read_front(compression, stored, size, budget)
        is_all = len(front) < size
        yield front, is_all
        size *= _GROWTH


def _read_front(compression: Compression, stored: memoryview, size: int, budget: Budget) -> bytes:
    budget.tables -= size
    if budget.tables < 0:
        raise InputError("the tables of the compressed containers are too large")
    return _read_zstd(stored, size) if compression == "zstd" else _read_zlib(stored, size)


def _read_zstd(stored: memoryview, size: int) -> bytes:
    zstandard = import_codec("zstandard", "zstandard")
    try:
        with zstandard.ZstdDecompressor().stream_reader(stored) as reader:
            data: bytes = reader.read(size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise InputError(f"the zstd data is damaged: {error}") from error
    return data


def _read_zlib(stored: memoryview, size: int) -> bytes:
    try:
        # Deflate hardly ever expands data. Input beyond this is not needed, and would be copied.
        return zlib.decompressobj().decompress(stored[: 2 * size + _CHUNK], size)
    except (zlib.error, MemoryError) as error:
        raise InputError(f"the zlib data is damaged: {error}") from error


def find_end(compression: Compression, stored: memoryview, size: int, budget: Budget) -> int:
    """Return the size of the compressed data at the start of ``stored``.

    Args:
        compression: ``zstd`` or ``zlib``.
        stored: The compressed data and whatever follows it.
        size: The size of the data when decompressed.
        budget: The work that is still allowed.

    Raises:
        InputError: The data is damaged or cut off, or the budget is exhausted.
    """
    return _find_zstd_end(stored) if compression == "zstd" else _find_zlib_end(stored, size, budget)


def _find_zstd_end(stored: memoryview) -> int:
    # Each block declares its size, so nothing needs to be decompressed.
    zstandard = import_codec("zstandard", "zstandard")
    try:
        position: int = zstandard.frame_header_size(stored)
        has_checksum = zstandard.get_frame_parameters(stored).has_checksum
    except (zstandard.ZstdError, ValueError) as error:
        raise InputError(f"the zstd frame is damaged: {error}") from error
    is_last = False
    while not is_last:
        header = int.from_bytes(stored[position : position + _ZSTD_BLOCK_HEADER], "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == _ZSTD_RESERVED_BLOCK:
            raise InputError("the zstd frame contains a block of unknown type")
        position += _ZSTD_BLOCK_HEADER + (1 if kind == _ZSTD_RLE_BLOCK else size)
        if position > len(stored):
            raise InputError("the zstd frame is cut off")
    return min(position + (_ZSTD_CHECKSUM if has_checksum else 0), len(stored))


def _find_zlib_end(stored: memoryview, size: int, budget: Budget) -> int:
    stream = zlib.decompressobj()
    position = seen = 0
    try:
        while not stream.eof:
            chunk = stream.unconsumed_tail or stored[position : position + _CHUNK]
            if not stream.unconsumed_tail:
                position += len(chunk)
            data = stream.decompress(chunk, _CHUNK)
            seen += len(data)
            budget.skipped -= len(data)
            if seen > size or budget.skipped < 0 or not (chunk or data or stream.eof):
                raise InputError("the zlib stream does not end where it should")
    except zlib.error as error:
        raise InputError(f"the zlib stream is damaged: {error}") from error
    return position - len(stream.unused_data)
