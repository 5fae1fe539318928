"""The header of a compressed offload bundle (``CCOB``), versions 1, 2 and 3.

Source: ``CompressedOffloadBundle`` in ``clang/Driver/OffloadBundler.h`` of LLVM.  All
numbers are little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.compressed_front import Budget, find_end
from kbuild.model import Compression

# magic, version, method
_FRONT: Final = struct.Struct("<4sHH")
# size of the whole where the version has it, size decompressed, hash
_TAILS: Final = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}
_METHODS: Final[dict[int, Compression]] = {0: "zlib", 1: "zstd"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleHeader:
    """What the header says; ``total_size``, with itself, is None in version 1."""

    version: int
    size: int
    compression: Compression | None
    total_size: int | None
    uncompressed_size: int
    hash: int


def read_header(content: memoryview, start: int) -> BundleHeader:
    """The header at ``start``; InputError where there is none of a known version."""
    if len(content) - start < _FRONT.size:
        raise InputError("the compressed bundle is cut off in its header")
    _, version, method = _FRONT.unpack_from(content, start)
    if version not in _TAILS:
        raise InputError(f"compressed bundle version {version} is not supported, only 1 to 3")
    tail = _TAILS[version]
    size = _FRONT.size + tail.size
    if len(content) - start < size:
        raise InputError("the compressed bundle is cut off in its header")
    *total, uncompressed_size, digest = tail.unpack_from(content, start + _FRONT.size)
    if total and total[0] < size:
        raise InputError(f"a compressed bundle of {total[0]} bytes has no room for its header")
    return BundleHeader(
        version=version,
        size=size,
        compression=_METHODS.get(method),
        total_size=total[0] if total else None,
        uncompressed_size=uncompressed_size,
        hash=digest,
    )


def find_size(header: BundleHeader, content: memoryview, start: int, budget: Budget) -> int:
    """How many bytes the bundle takes up, which may be more than there are.

    Raises InputError where nothing tells.
    """
    if header.total_size is not None:
        return header.total_size
    if header.compression is None:
        raise InputError("nothing tells where the compressed bundle ends")
    stored = content[start + header.size :]
    return header.size + find_end(header.compression, stored, header.uncompressed_size, budget)
