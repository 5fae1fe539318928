"""LLVM's offload binary: the container of device images that kbuild itself writes.

kbuild writes version 1: a binary contains one image and its strings (``triple``, ``arch``,
...). Binaries follow each other at multiples of 8 bytes. The linker can insert zeros between
the binaries of several objects. kbuild also reads versions 2 and 3, in which a binary contains
several images, and in version 3 can be compressed.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 19 (version 1) and of LLVM's main branch.
All numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.compression import DEFAULT_LIMIT, decompress
from kbuild.formats.container_scan import problem_at, scan_containers
from kbuild.formats.offload.binary_entry import (
    ENTRY,
    STRING,
    Entry,
    Packed,
    Part,
    RawEntry,
    read_entry,
)
from kbuild.formats.partial_decompression import ZSTD_MAGIC, Budget, iterate_fronts, make_budget
from kbuild.model import Problem
from kbuild.values import dataclass

MAGIC: Final = b"\x10\xff\x10\xad"
VERSION: Final = 1
IMAGE_KIND_OBJECT: Final = 1
ALIGNMENT: Final = 8

# magic, version, size, offset of the entries, and the size of the entry (version 1) or the
# number of entries (later versions)
_HEADER: Final = struct.Struct("<4sIQQQ")
_INFLATED_SIZE: Final = struct.Struct("<Q")
_COMPRESSED_VERSION: Final = 3
_LAST_VERSION: Final = 3

_NEXT: Final = re.compile(re.escape(MAGIC))

NewEntry: TypeAlias = tuple[int, tuple[tuple[str, str], ...], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Binary:
    """One binary: the fields of its header, and its bytes as far as the content has them."""

    view: memoryview
    offset: int
    version: int
    size: int
    first: int
    count: int


def write(entries: Iterable[NewEntry]) -> bytes:
    """Return the binaries that contain these entries of (image kind, strings, image).

    Equal input gives equal bytes.
    """
    return b"".join(_write_binary(*entry) for entry in entries)


def _write_binary(kind: int, strings: tuple[tuple[str, str], ...], data: bytes) -> bytes:
    string_offset = _HEADER.size + ENTRY.size
    text_offset = string_offset + STRING.size * len(strings)
    # Like LLVM's, the string table starts with a NUL, so the first offset is the empty string.
    text = bytearray(b"\0")
    pairs = bytearray()
    for key, value in strings:
        key_offset = text_offset + len(text)
        text += key.encode() + b"\0"
        pairs += STRING.pack(key_offset, text_offset + len(text))
        text += value.encode() + b"\0"
    image_offset = align_up(text_offset + len(text), ALIGNMENT)
    size = align_up(image_offset + len(data), ALIGNMENT)
    entry = ENTRY.pack(kind, 0, 0, string_offset, len(strings), image_offset, len(data))
    header = _HEADER.pack(MAGIC, VERSION, size, _HEADER.size, ENTRY.size)
    front = (header + entry + pairs + text).ljust(image_offset, b"\0")
    return (front + data).ljust(size, b"\0")


def read(content: Buffer) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """Return every entry in ``content``, in order, and the damage found. Never raises."""
    view = memoryview(content)
    budget = make_budget(len(content))

    def read_binary(position: int, problems: list[Problem]) -> tuple[tuple[Entry, ...], int]:
        trouble: list[str] = []
        try:
            entries = _read_binary(view, position, trouble, budget)
        finally:
            problems += (problem_at(position, text) for text in trouble)
        return entries, position + entries[0].span

    binaries, problems = scan_containers(content, _NEXT, read_binary)
    return tuple(entry for entries in binaries for entry in entries), problems


def load(entry: Entry, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """Return the image of an entry, without a copy if it is not compressed.

    Raises:
        InputError: The image cannot be decompressed, or is larger than ``limit`` bytes.
    """
    view = memoryview(content)
    packed = entry.packed
    if packed:
        stored = view[packed.offset : packed.offset + packed.stored_size]
        view = memoryview(decompress(packed.compression, stored, packed.size, limit=limit))
    return view[entry.image_offset : entry.image_offset + entry.image_size]


def _read_binary(
    view: memoryview, start: int, trouble: list[str], budget: Budget
) -> tuple[Entry, ...]:
    """Return the entries of the binary at ``start``, and append its damage to ``trouble``.

    Raises:
        InputError: The header or the table of entries cannot be read.
    """
    if bytes(view[start : start + len(MAGIC)]) != MAGIC:
        raise InputError("expected an offload binary, but found a different magic number")
    if len(view) - start < _HEADER.size:
        raise InputError("the offload binary is cut off in its header")
    _, version, size, first, number = _HEADER.unpack_from(view, start)
    if not 1 <= version <= _LAST_VERSION:
        raise InputError(
            f"unsupported offload binary version {version}; expected 1 to {_LAST_VERSION}"
        )
    if size < _HEADER.size or (version == 1 and number < ENTRY.size):
        raise InputError(f"the offload binary declares {size} bytes, too few for its entry")
    binary = _Binary(
        view=view[start : start + size],
        offset=start,
        version=version,
        size=size,
        first=first,
        count=1 if version == 1 else number,
    )
    if len(binary.view) < size:
        trouble.append(
            f"the offload binary declares {size} bytes, but only {len(binary.view)} follow"
        )
    inflated_size = _read_inflated_size(binary)
    if inflated_size:
        return _read_compressed(binary, inflated_size, trouble, budget)
    return _read_plain(binary, trouble, budget)


def _read_inflated_size(binary: _Binary) -> int:
    """Return the decompressed size of a binary; 0 if it is not compressed."""
    end = _HEADER.size + _INFLATED_SIZE.size
    if binary.version < _COMPRESSED_VERSION or len(binary.view) < end:
        return 0
    (size,) = _INFLATED_SIZE.unpack_from(binary.view, _HEADER.size)
    return int(size)


def _read_plain(binary: _Binary, trouble: list[str], budget: Budget) -> tuple[Entry, ...]:
    part = Part(view=binary.view, base=0, budget=budget)
    raws = _read_entries(binary, part, binary.size)
    is_whole = not trouble
    if is_whole:
        trouble += _check(raws, binary.size)
    ends = (max(raw.image_offset + raw.image_size, raw.string_offset) for raw in raws)
    # A declared size that extends past the images would hide the binaries that follow.
    end = align_up(max(binary.first + binary.count * ENTRY.size, *ends), ALIGNMENT)
    if is_whole and not trouble and binary.size > end:
        trouble.append(
            f"the offload binary declares {binary.size} bytes, but its parts end at byte {end}"
        )
    span = min(len(binary.view), end)
    return tuple(_describe(binary, raw, span, len(binary.view), None) for raw in raws)


def _read_compressed(
    binary: _Binary, inflated_size: int, trouble: list[str], budget: Budget
) -> tuple[Entry, ...]:
    """Return the entries of a compressed binary, of which only the front is decompressed."""
    if not _HEADER.size + _INFLATED_SIZE.size <= binary.first <= min(binary.size, inflated_size):
        raise InputError(f"the entries at byte {binary.first} are outside the offload binary")
    stored = binary.view[binary.first :]
    packed = Packed(
        offset=binary.offset + binary.first,
        stored_size=len(stored),
        size=inflated_size - binary.first,
        compression="zstd" if bytes(stored[: len(ZSTD_MAGIC)]) == ZSTD_MAGIC else "zlib",
    )
    raws = _read_front(binary, packed, stored, budget)
    if not trouble:
        trouble += _check(raws, inflated_size)
    span = len(binary.view)
    return tuple(_describe(binary, raw, span, inflated_size, packed) for raw in raws)


def _read_front(
    binary: _Binary, packed: Packed, stored: memoryview, budget: Budget
) -> tuple[RawEntry, ...]:
    """Return the entries in the compressed bytes, with as many of their strings as possible."""
    raws: tuple[RawEntry, ...] = ()
    try:
        for front, is_all in iterate_fronts(packed.compression, stored, budget):
            if is_all or binary.count * ENTRY.size <= len(front):
                part = Part(view=memoryview(front), base=binary.first, budget=budget)
                raws = _read_entries(binary, part, binary.first + packed.size)
                if all(raw.strings is not None for raw in raws):
                    break
    except InputError:
        if not raws:
            raise
    return raws


def _read_entries(binary: _Binary, part: Part, size: int) -> tuple[RawEntry, ...]:
    """Return the entries of a binary of ``size`` bytes.

    Raises:
        InputError: Some entries are outside ``part``.
    """
    first, end = binary.first, binary.first + binary.count * ENTRY.size
    available = min(size, part.base + len(part.view))
    if not binary.count or first < _HEADER.size or end > available:
        what = "entry is" if binary.count == 1 else f"{binary.count} entries are"
        raise InputError(f"the {what} outside the offload binary")
    offsets = range(first, end, ENTRY.size)
    return tuple(read_entry(part, offset, binary.version) for offset in offsets)


def _check(raws: tuple[RawEntry, ...], size: int) -> Iterator[str]:
    """Yield the damage to the entries of a binary of ``size`` bytes, at most one per entry."""
    for raw in raws:
        end = raw.image_offset + raw.image_size
        if raw.strings is None:
            yield "the strings of an image are outside the offload binary"
        elif end > size:
            yield f"an image ends at byte {end}, but the offload binary ends at byte {size}"


def _describe(binary: _Binary, raw: RawEntry, span: int, size: int, packed: Packed | None) -> Entry:
    """Return an entry whose image is clipped to the binary, which ends at byte ``size``."""
    offset = min(raw.image_offset, size)
    image_size = min(raw.image_size, size - offset)
    return Entry(
        offset=binary.offset,
        span=span,
        version=binary.version,
        image_kind=raw.image_kind,
        offload_kind=raw.offload_kind,
        flags=raw.flags,
        strings=raw.strings or (),
        image_offset=max(offset - binary.first, 0) if packed else binary.offset + offset,
        image_size=image_size,
        packed=packed,
    )
