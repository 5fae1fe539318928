"""The header of a compressed offload bundle (``CCOB``), versions 1, 2 and 3.

Source: ``CompressedOffloadBundle`` in ``clang/Driver/OffloadBundler.h`` of LLVM. All
numbers are little-endian.
"""

from __future__ import annotations

import struct
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.partial_decompression import Budget, find_end
from kbuild.model import Compression
from kbuild.values import dataclass

COMPRESSED_MAGIC: Final = b"CCOB"
# magic, version, method
_FRONT: Final = struct.Struct("<4sHH")
# total size (not in version 1), decompressed size, hash
_TAILS: Final = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_METHODS: Final[dict[int, Compression]] = {0: "zlib", 1: "zstd"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleHeader:
    """The fields of the header. ``total_size`` includes the header; version 1 does not have it."""

    version: int
    size: int
    compression: Compression | None
    total_size: int | None
    uncompressed_size: int
    hash: int


def read_header(content: memoryview, start: int) -> BundleHeader:
    """Read the header at ``start``.

    Raises:
        InputError: The header is cut off, invalid, or of an unknown version.
    """
    if len(content) - start < _FRONT.size:
        raise InputError("the compressed bundle is cut off in its header")
    _, version, method = _FRONT.unpack_from(content, start)
    if version not in _TAILS:
        raise InputError(f"unsupported compressed bundle version {version}; expected 1 to 3")
    tail = _TAILS[version]
    size = _FRONT.size + tail.size
    if len(content) - start < size:
        raise InputError("the compressed bundle is cut off in its header")
    *total, uncompressed_size, digest = tail.unpack_from(content, start + _FRONT.size)
    if total and total[0] < size:
        raise InputError(f"the compressed bundle declares {total[0]} bytes, too few for its header")
    return BundleHeader(
        version=version,
        size=size,
        compression=_METHODS.get(method),
        total_size=total[0] if total else None,
        uncompressed_size=uncompressed_size,
        hash=digest,
    )


def write_header(
    version: int, compression: Compression, stored_size: int, size: int, digest: bytes
) -> bytes:
    """Return the header of a bundle.

    Args:
        version: The version of the header, 1 to 3.
        compression: The method of compression.
        stored_size: The number of compressed bytes that follow.
        size: The number of bytes of the decompressed bundle.
        digest: Its hash.
    """
    tail = _TAILS[version]
    method = next(number for number, known in _METHODS.items() if known == compression)
    total = () if version == 1 else (_FRONT.size + tail.size + stored_size,)
    hashed = int.from_bytes(digest, "little")
    return _FRONT.pack(COMPRESSED_MAGIC, version, method) + tail.pack(*total, size, hashed)


def find_size(header: BundleHeader, content: memoryview, start: int, budget: Budget) -> int:
    """Return the number of bytes that the bundle occupies, even if the content ends earlier.

    Raises:
        InputError: The header does not declare the size, and the compressed data has no end.
    """
    if header.total_size is not None:
        return header.total_size
    if header.compression is None:
        raise InputError("the size of the compressed bundle is unknown")
    stored = content[start + header.size :]
    return header.size + find_end(header.compression, stored, header.uncompressed_size, budget)
