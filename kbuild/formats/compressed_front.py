"""The front of compressed data: enough for the table that it starts with, and its end.

Containers of device images are compressed as a whole, with the table of their images in
front.  To list them, only that is decompressed, and the work is bounded for all of a file.

Sources: RFC 8878 (Zstandard), sections 3.1.1 and 3.1.1.2; RFC 1950 (zlib).
"""

from __future__ import annotations

import importlib
import zlib
from dataclasses import dataclass
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.model import Compression

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"

# Tables are small beside the images.  Forged ones repeat themselves and compress well, so
# that what they may take is counted over a whole file.
_BYTES_PER_BYTE: Final = 16
_BYTES_AT_LEAST: Final = 1 << 20
# To find the end of a zlib stream it has to be decompressed.
_MOST_SKIPPED: Final = 1 << 30
_CHUNK: Final = 1 << 16

_ZSTD_BLOCK_HEADER: Final = 3
_ZSTD_RLE_BLOCK: Final = 1
_ZSTD_RESERVED_BLOCK: Final = 3
_ZSTD_CHECKSUM: Final = 4


@dataclass(slots=True, kw_only=True)
class Budget:
    """How many more bytes the tables of one file, and the search for an end, may take."""

    tables: int
    skipped: int


def make_budget(content_size: int) -> Budget:
    """The budget for a file of that size."""
    return Budget(tables=_BYTES_AT_LEAST + _BYTES_PER_BYTE * content_size, skipped=_MOST_SKIPPED)


def read_front(compression: Compression, stored: memoryview, size: int, budget: Budget) -> bytes:
    """The first ``size`` bytes of what ``stored`` holds, fewer where it holds fewer.

    Raises InputError where they cannot be had, or the budget does not allow them.
    """
    budget.tables -= size
    if budget.tables < 0:
        raise InputError("the tables of the compressed containers take too much room")
    return _read_zstd(stored, size) if compression == "zstd" else _read_zlib(stored, size)


def _read_zstd(stored: memoryview, size: int) -> bytes:
    zstandard = _import_zstandard()
    try:
        with zstandard.ZstdDecompressor().stream_reader(stored) as reader:
            data: bytes = reader.read(size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise InputError(f"the zstd data is not sound: {error}") from error
    return data


def _read_zlib(stored: memoryview, size: int) -> bytes:
    try:
        # Deflate never makes data much longer; the rest of it would be copied.
        return zlib.decompressobj().decompress(stored[: 2 * size + _CHUNK], size)
    except (zlib.error, MemoryError) as error:
        raise InputError(f"the zlib data is not sound: {error}") from error


def _import_zstandard() -> Any:
    """Imported where it is needed, as decompressing is elsewhere."""
    return importlib.import_module("zstandard")


def find_end(compression: Compression, stored: memoryview, size: int, budget: Budget) -> int:
    """Where the compressed data at the start of ``stored`` ends, ``size`` bytes long in full.

    Raises InputError where it has no end.
    """
    return _find_zstd_end(stored) if compression == "zstd" else _find_zlib_end(stored, size, budget)


def _find_zstd_end(stored: memoryview) -> int:
    """Blocks say how long they are, so that none of them is decompressed."""
    zstandard = _import_zstandard()
    try:
        position: int = zstandard.frame_header_size(stored)
        has_checksum = zstandard.get_frame_parameters(stored).has_checksum
    except (zstandard.ZstdError, ValueError) as error:
        raise InputError(f"the zstd frame is not sound: {error}") from error
    is_last = False
    while not is_last:
        header = int.from_bytes(stored[position : position + _ZSTD_BLOCK_HEADER], "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        if kind == _ZSTD_RESERVED_BLOCK:
            raise InputError("the zstd frame has a block of no known type")
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
        raise InputError(f"the zlib stream is not sound: {error}") from error
    return position - len(stream.unused_data)
