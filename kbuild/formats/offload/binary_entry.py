"""The entries of LLVM's offload binaries: one image each, with its kind and strings.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 19 (version 1) and of LLVM's main branch
(versions 2 and 3). All numbers are little-endian.
"""

from __future__ import annotations

import struct
from typing import Final, Literal, TypeAlias

from kbuild.formats.buffer import read_text
from kbuild.formats.partial_decompression import Budget
from kbuild.model import Compression
from kbuild.values import dataclass

ImageKindName: TypeAlias = Literal[
    "none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv", "other"
]
OffloadKindName: TypeAlias = Literal["none", "openmp", "cuda", "hip", "sycl", "other"]

# image kind, offload kind, flags, string offset, string count, image offset, image size
ENTRY: Final = struct.Struct("<HHIQQQQ")
# offsets of key and value; since version 2, also the size of the value
STRING: Final = struct.Struct("<QQ")
_SIZED_STRING: Final = struct.Struct("<QQQ")
# Far more than any producer writes; limits the work that a forged count can cause.
_MOST_STRINGS: Final = 1024
_LONGEST_STRING: Final = 4096

_METADATA_ONLY: Final = 1
_IMAGE_KINDS: Final[tuple[ImageKindName, ...]] = (
    *("none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"),
)
# Up to LLVM 19, these are plain numbers, and HIP is 3. Later, they are bits, and HIP is 4.
_OFFLOAD_KINDS: Final[dict[int, OffloadKindName]] = {
    0: "none",
    1: "openmp",
    2: "cuda",
    3: "hip",
    4: "hip",
    8: "sycl",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """The compressed bytes of a binary, which have ``size`` bytes when decompressed."""

    offset: int
    stored_size: int
    size: int
    compression: Compression


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One image of a container. All offsets count from the start of the content.

    The binary starts at ``offset`` and occupies ``span`` bytes; the images of one binary share
    both. If the content ends early, ``image_size`` is the size of the part of the image that
    exists. If the binary is compressed, ``image_offset`` counts from the start of the
    decompressed bytes of ``packed``.
    """

    offset: int
    span: int
    version: int
    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[str, str], ...]
    image_offset: int
    image_size: int
    packed: Packed | None

    def string(self, key: str) -> str | None:
        """Return the value of ``key``, or None if the entry does not have it."""
        return next((value for name, value in self.strings if name == key), None)

    @property
    def image_kind_name(self) -> ImageKindName:
        """The kind of the image."""
        return _IMAGE_KINDS[self.image_kind] if self.image_kind < len(_IMAGE_KINDS) else "other"

    @property
    def offload_kind_name(self) -> OffloadKindName:
        """The programming model of the image."""
        return _OFFLOAD_KINDS.get(self.offload_kind, "other")

    @property
    def is_metadata_only(self) -> bool:
        """Whether the entry has only strings and no image."""
        return bool(self.flags & _METADATA_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The bytes of a binary from byte ``base``, as far as they are available."""

    view: memoryview
    base: int
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEntry:
    """An entry as stored. Offsets count from the start of its binary.

    ``strings`` is None if the part of the binary that was read does not contain them.
    """

    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[str, str], ...] | None
    string_offset: int
    image_offset: int
    image_size: int


def read_entry(part: Part, offset: int, version: int) -> RawEntry:
    """Read the entry at ``offset`` of the binary, which must be in ``part``."""
    fields = ENTRY.unpack_from(part.view, offset - part.base)
    kind, offload_kind, flags, string_offset, string_count, image_offset, image_size = fields
    return RawEntry(
        image_kind=kind,
        offload_kind=offload_kind,
        flags=flags,
        strings=_read_strings(part, string_offset, string_count, version),
        string_offset=string_offset,
        image_offset=image_offset,
        image_size=image_size,
    )


def _read_strings(
    part: Part, offset: int, count: int, version: int
) -> tuple[tuple[str, str], ...] | None:
    row = STRING if version == 1 else _SIZED_STRING
    start = offset - part.base
    if count > _MOST_STRINGS or start < 0 or start + count * row.size > len(part.view):
        return None
    # Forged entries can share their strings.
    part.budget.tables -= count * row.size
    pairs: list[tuple[str, str]] = []
    for number in range(count):
        key_offset, value_offset, *size = row.unpack_from(part.view, start + number * row.size)
        key = read_text(part.view, key_offset - part.base, _LONGEST_STRING)
        value = (
            _read_sized(part, value_offset, size[0])
            if size
            else read_text(part.view, value_offset - part.base, _LONGEST_STRING)
        )
        if key is None or value is None or part.budget.tables < 0:
            return None
        part.budget.tables -= len(key) + len(value)
        pairs.append((key, value))
    return tuple(pairs)


def _read_sized(part: Part, offset: int, size: int) -> str | None:
    start = offset - part.base
    if start < 0 or size > _LONGEST_STRING or start + size > len(part.view):
        return None
    return bytes(part.view[start : start + size]).decode("utf-8", "replace")
