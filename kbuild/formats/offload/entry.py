"""The entries of LLVM's offload binaries: what one image is, and its strings.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 19 (version 1) and of LLVM's main branch
(versions 2 and 3).  All numbers are little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from kbuild.formats.compressed_front import Budget
from kbuild.model import Compression

ImageKindName: TypeAlias = Literal[
    "none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv", "other"
]
OffloadKindName: TypeAlias = Literal["none", "openmp", "cuda", "hip", "sycl", "other"]

# image kind, offload kind, flags, string offset, string count, image offset, image size
ENTRY: Final = struct.Struct("<HHIQQQQ")
# offsets of key and value, and since version 2 the value's size
STRING: Final = struct.Struct("<QQ")
_SIZED_STRING: Final = struct.Struct("<QQQ")
# Far above what any producer writes; bounds the work that a forged count can ask for.
_MOST_STRINGS: Final = 1024
_LONGEST_STRING: Final = 4096

_METADATA_ONLY: Final = 1
_IMAGE_KINDS: Final[tuple[ImageKindName, ...]] = (
    *("none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"),
)
# Plain numbers up to LLVM 19, where HIP is 3; bits since, where it is 4.
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
    """Where the compressed bytes of a binary are, and the ``size`` that they come to."""

    offset: int
    stored_size: int
    size: int
    compression: Compression


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One image of a container; every offset counts from the start of the content read.

    ``span`` is what its binary takes up from ``offset``, header included; the images of one
    binary share both.  Where the content ends early, ``image_size`` is what is left of the
    image.  Where the binary is compressed, ``image_offset`` counts from the start of what
    ``packed`` decompresses to.
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
        """The value of ``key``, or None where the entry has none."""
        return next((value for name, value in self.strings if name == key), None)

    @property
    def image_kind_name(self) -> ImageKindName:
        """What the image is."""
        return _IMAGE_KINDS[self.image_kind] if self.image_kind < len(_IMAGE_KINDS) else "other"

    @property
    def offload_kind_name(self) -> OffloadKindName:
        """The programming model that the image was made for."""
        return _OFFLOAD_KINDS.get(self.offload_kind, "other")

    @property
    def is_metadata_only(self) -> bool:
        """Whether there are only strings, and no image."""
        return bool(self.flags & _METADATA_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The bytes of a binary from ``base`` on, as far as they are there."""

    view: memoryview
    base: int
    budget: Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class RawEntry:
    """An entry as it is stored: offsets count from the start of its binary.

    ``strings`` is None where they are not in the part of the binary that was read.
    """

    image_kind: int
    offload_kind: int
    flags: int
    strings: tuple[tuple[str, str], ...] | None
    string_offset: int
    image_offset: int
    image_size: int


def read_entry(part: Part, offset: int, version: int) -> RawEntry:
    """The entry at ``offset`` of the binary, which has to be in ``part``."""
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
    # Forged entries may share their strings.
    part.budget.tables -= count * row.size
    pairs: list[tuple[str, str]] = []
    for number in range(count):
        key_offset, value_offset, *size = row.unpack_from(part.view, start + number * row.size)
        key = _read_text(part, key_offset)
        value = _read_sized(part, value_offset, size[0]) if size else _read_text(part, value_offset)
        if key is None or value is None or part.budget.tables < 0:
            return None
        part.budget.tables -= len(key) + len(value)
        pairs.append((key, value))
    return tuple(pairs)


def _read_text(part: Part, offset: int) -> str | None:
    start = offset - part.base
    if start < 0:
        return None
    text, end, _ = bytes(part.view[start : start + _LONGEST_STRING]).partition(b"\0")
    return text.decode("utf-8", "replace") if end else None


def _read_sized(part: Part, offset: int, size: int) -> str | None:
    start = offset - part.base
    if start < 0 or size > _LONGEST_STRING or start + size > len(part.view):
        return None
    return bytes(part.view[start : start + size]).decode("utf-8", "replace")
