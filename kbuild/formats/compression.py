"""Decompressing what a file holds, with bounds: LZ4 blocks, zstd frames, zlib streams.

What a file declares is never trusted with memory: sizes are bounded by what the
compressed bytes can yield at most and by a limit of the caller's.  Sources: LZ4 block
format 1.6; RFC 8878 (Zstandard), sections 3.1.1.1.4 and 3.1.1.2; RFC 1951 (Deflate).
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.model import Compression

DEFAULT_LIMIT: Final = 1 << 30

# LZ4: a length byte stands for 255 at most.  zstd: a block of 4 bytes (a header of three
# and the byte to repeat) yields 128 KiB at most.  Deflate: two bits may stand for 258 bytes.
_MOST_LZ4: Final = 255
_MOST_ZSTD: Final = (128 << 10) // 4
_MOST_ZLIB: Final = 1032
_UNKNOWN_SIZE: Final = (1 << 64) - 1


def decompress(
    compression: Compression, stored: memoryview, size: int, *, limit: int = DEFAULT_LIMIT
) -> Buffer:
    """The ``size`` bytes that ``stored`` holds: itself where nothing is compressed.

    Raises InputError where it does not yield exactly ``size`` bytes, or ``size`` is more
    than ``limit``.
    """
    if compression == "none":
        return stored
    if size > limit:
        raise InputError(f"the image says {size} bytes decompressed, the limit is {limit}")
    data = _READERS[compression](stored, size)
    if len(data) != size:
        raise InputError(f"the image says {size} bytes decompressed, it has {len(data)}")
    return data


def _read_lz4(stored: memoryview, size: int) -> bytes:
    block = _import("lz4.block", "lz4")
    _check_ratio(stored, size, _MOST_LZ4)
    try:
        data: bytes = block.decompress(stored, uncompressed_size=size)
    except (block.LZ4BlockError, ValueError, MemoryError) as error:
        raise InputError(f"the image is no sound LZ4 block: {error}") from error
    return data


def _read_zstd(stored: memoryview, size: int) -> bytes:
    zstandard = _import("zstandard", "zstandard")
    _check_ratio(stored, size, _MOST_ZSTD)
    try:
        # Memory is allocated for what the frame says, not for the size that it is given.
        framed = zstandard.get_frame_parameters(stored).content_size
        if framed not in (size, _UNKNOWN_SIZE):
            raise InputError(f"the image says {size} bytes decompressed, its zstd frame {framed}")
        data: bytes = _zstd_decompressor().decompress(stored, max_output_size=size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise InputError(f"the image is no sound zstd frame: {error}") from error
    return data


@cache
def _zstd_decompressor() -> Any:
    # It has buffers that are worth keeping from one image to the next.
    return _import("zstandard", "zstandard").ZstdDecompressor()


def _read_zlib(stored: memoryview, size: int) -> bytes:
    _check_ratio(stored, size, _MOST_ZLIB)
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(stored, size + 1)
    except (zlib.error, MemoryError) as error:
        raise InputError(f"the image is no sound zlib stream: {error}") from error
    if not stream.eof:
        raise InputError("the image's zlib stream does not end where it should")
    return data


def _check_ratio(stored: memoryview, size: int, most: int) -> None:
    if size > len(stored) * most:
        raise InputError(
            f"the image says {size} bytes decompressed, more than its {len(stored)} can hold"
        )


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"the image is compressed with {package}; install the Python package '{package}' "
            "to read it"
        ) from error


_READERS: Final[dict[Compression, Callable[[memoryview, int], bytes]]] = {
    "lz4": _read_lz4,
    "zstd": _read_zstd,
    "zlib": _read_zlib,
}
