"""Bounded decompression of LZ4 blocks, zstd frames, and zlib streams.

A declared size never decides how much memory is allocated: it is limited by the caller and by
the largest amount of data that the compressed bytes can yield. Sources: LZ4 block format 1.6;
RFC 8878 (Zstandard), sections 3.1.1.1.4 and 3.1.1.2; RFC 1951 (Deflate).
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Final, Literal

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.model import Compression

DEFAULT_LIMIT: Final = 1 << 30

# LZ4: one length byte stands for at most 255 bytes. zstd: a block of 4 bytes (a header of three
# bytes and the byte to repeat) yields at most 128 KiB. Deflate: two bits can stand for 258 bytes.
_MOST_LZ4: Final = 255
_MOST_ZSTD: Final = (128 << 10) // 4
_MOST_ZLIB: Final = 1032
_UNKNOWN_SIZE: Final = (1 << 64) - 1


def decompress(
    compression: Compression, stored: memoryview, size: int, *, limit: int = DEFAULT_LIMIT
) -> Buffer:
    """Decompress ``stored``, which must yield exactly ``size`` bytes.

    Without compression, this returns ``stored`` itself.

    Raises:
        InputError: The data is damaged, yields a different size, or is larger than ``limit``.
    """
    if compression == "none":
        return stored
    if size > limit:
        raise InputError(f"the image declares {size} decompressed bytes; the limit is {limit}")
    data = _READERS[compression](stored, size)
    if len(data) != size:
        raise InputError(f"the image declares {size} decompressed bytes, but yields {len(data)}")
    return data


def compress(method: Literal["lz4", "zstd", "zlib"], data: Buffer, level: int) -> bytes:
    """Return compressed data, with a level of the compressor's library."""
    if method == "zlib":
        return zlib.compress(data, level)
    if method == "zstd":
        zstandard = import_codec("zstandard", "zstandard")
        stored: bytes = zstandard.ZstdCompressor(level=level).compress(data)
        return stored
    block = import_codec("lz4.block", "lz4")
    words = {"mode": "high_compression", "compression": level, "store_size": False}
    packed: bytes = block.compress(data, **words)
    return packed


def measure_deflated(data: Buffer) -> int:
    """Return the size that data takes in a zip archive."""
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return len(stream.compress(data)) + len(stream.flush())


def _read_lz4(stored: memoryview, size: int) -> bytes:
    block = import_codec("lz4.block", "lz4")
    _check_ratio(stored, size, _MOST_LZ4)
    try:
        data: bytes = block.decompress(stored, uncompressed_size=size)
    except (block.LZ4BlockError, ValueError, MemoryError) as error:
        raise InputError(f"the image is not a valid LZ4 block: {error}") from error
    return data


def _read_zstd(stored: memoryview, size: int) -> bytes:
    zstandard = import_codec("zstandard", "zstandard")
    _check_ratio(stored, size, _MOST_ZSTD)
    try:
        # The library allocates the size that the frame declares, not the size that it is passed.
        framed = zstandard.get_frame_parameters(stored).content_size
        if framed not in (size, _UNKNOWN_SIZE):
            raise InputError(
                f"the image declares {size} decompressed bytes, but its zstd frame {framed}"
            )
        data: bytes = _zstd_decompressor().decompress(stored, max_output_size=size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise InputError(f"the image is not a valid zstd frame: {error}") from error
    return data


@cache
def _zstd_decompressor() -> Any:
    # Its buffers are worth reusing for the next image.
    return import_codec("zstandard", "zstandard").ZstdDecompressor()


def _read_zlib(stored: memoryview, size: int) -> bytes:
    _check_ratio(stored, size, _MOST_ZLIB)
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(stored, size + 1)
    except (zlib.error, MemoryError) as error:
        raise InputError(f"the image is not a valid zlib stream: {error}") from error
    if not stream.eof:
        raise InputError("the image's zlib stream does not end where it should")
    return data


def _check_ratio(stored: memoryview, size: int, most: int) -> None:
    if size > len(stored) * most:
        raise InputError(
            f"the image declares {size} decompressed bytes, "
            f"more than its {len(stored)} stored bytes can yield"
        )


def import_codec(module: str, package: str) -> Any:
    """Import a decompression library on first use.

    Raises:
        InputError: The Python package is not installed.
    """
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
