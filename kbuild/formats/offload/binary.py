"""LLVM's offload binary: the container of device images that kbuild uses itself.

kbuild writes version 1: a binary holds one image with its strings (``triple``, ``arch``,
...), and binaries follow each other, 8-aligned; the linker may put zeros between those of
several objects.  Read are versions 2 and 3 as well, of which one binary holds several
images, in version 3 compressed.

Source: ``llvm/Object/OffloadBinary.h`` of LLVM 19 (version 1) and of LLVM's main branch.
All numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.compressed_front import ZSTD_MAGIC, Budget, make_budget, read_front
from kbuild.formats.compression import DEFAULT_LIMIT, decompress
from kbuild.formats.offload.entry import ENTRY, STRING, Entry, Packed, Part, RawEntry, read_entry
from kbuild.model import Problem

MAGIC: Final = b"\x10\xff\x10\xad"
VERSION: Final = 1
IMAGE_KIND_OBJECT: Final = 1
ALIGNMENT: Final = 8

# magic, version, size, offset of the entries, and the size of the entry or, since version
# 2, the number of entries
_HEADER: Final = struct.Struct("<4sIQQQ")
_INFLATED_SIZE: Final = struct.Struct("<Q")
_COMPRESSED_VERSION: Final = 3
_LAST_VERSION: Final = 3
# What is decompressed at first, and how much more each time that it is not enough.
_FIRST_FRONT: Final = 1 << 12
_GROWTH: Final = 8

_NEXT: Final = re.compile(re.escape(MAGIC))

NewEntry: TypeAlias = tuple[int, tuple[tuple[str, str], ...], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Binary:
    """One binary: its bytes as far as they are there, and what its header says."""

    view: memoryview
    offset: int
    version: int
    size: int
    first: int
    count: int


def write(entries: Iterable[NewEntry]) -> bytes:
    """One container of (image kind, strings, data) entries; equal input gives equal bytes."""
    return b"".join(_write_binary(*entry) for entry in entries)


def _write_binary(kind: int, strings: tuple[tuple[str, str], ...], data: bytes) -> bytes:
    string_offset = _HEADER.size + ENTRY.size
    text_offset = string_offset + STRING.size * len(strings)
    # LLVM's own table starts with a NUL, so that offset zero means the empty string.
    text = bytearray(b"\0")
    pairs = bytearray()
    for key, value in strings:
        key_offset = text_offset + len(text)
        text += key.encode() + b"\0"
        pairs += STRING.pack(key_offset, text_offset + len(text))
        text += value.encode() + b"\0"
    image_offset = _align(text_offset + len(text))
    size = _align(image_offset + len(data))
    entry = ENTRY.pack(kind, 0, 0, string_offset, len(strings), image_offset, len(data))
    header = _HEADER.pack(MAGIC, VERSION, size, _HEADER.size, ENTRY.size)
    front = (header + entry + pairs + text).ljust(image_offset, b"\0")
    return (front + data).ljust(size, b"\0")


def read(content: Buffer) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """Every entry in ``content``, in order, and what could not be made sense of.

    Never raises: after a broken binary, reading goes on at the next magic number.
    """
    entries: list[Entry] = []
    problems: list[Problem] = []
    view = memoryview(content)
    budget = make_budget(len(content))
    position = skip_zeros(content, 0)
    while position < len(content):
        trouble: list[str] = []
        try:
            found = _read_binary(view, position, trouble, budget)
        except InputError as error:
            trouble.append(str(error))
            following = _NEXT.search(content, position + 1)
            end = following.start() if following else len(content)
        else:
            entries += found
            end = skip_zeros(content, position + found[0].span)
        where = f"byte {position:#x}"
        problems += (Problem(where=where, message=text, offset=position) for text in trouble)
        position = end
    return tuple(entries), tuple(problems)


def load(entry: Entry, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """The entry's image; nothing is copied where it is not compressed.

    Raises InputError where it cannot be decompressed or is larger than ``limit``.
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
    """The entries of the binary at ``start``; InputError where there is none to be found."""
    if bytes(view[start : start + len(MAGIC)]) != MAGIC:
        raise InputError("no offload binary starts here (bad magic number)")
    if len(view) - start < _HEADER.size:
        raise InputError("the offload binary is cut off in its header")
    _, version, size, first, number = _HEADER.unpack_from(view, start)
    if not 1 <= version <= _LAST_VERSION:
        raise InputError(
            f"offload binary version {version} is not supported, only 1 to {_LAST_VERSION}"
        )
    if size < _HEADER.size or (version == 1 and number < ENTRY.size):
        raise InputError(f"an offload binary of {size} bytes has no room for its entry")
    binary = _Binary(
        view=view[start : start + size],
        offset=start,
        version=version,
        size=size,
        first=first,
        count=1 if version == 1 else number,
    )
    if len(binary.view) < size:
        trouble.append(f"the offload binary says {size} bytes, {len(binary.view)} are there")
    inflated_size = _read_inflated_size(binary)
    if inflated_size:
        return _read_compressed(binary, inflated_size, trouble, budget)
    return _read_plain(binary, trouble, budget)


def _read_inflated_size(binary: _Binary) -> int:
    """The binary's size before compression; zero where it is not compressed."""
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
    # A size that reaches past the images would hide the binaries that follow it.
    end = _align(max(binary.first + binary.count * ENTRY.size, *ends))
    if is_whole and not trouble and binary.size > end:
        trouble.append(f"the offload binary says {binary.size} bytes, its parts end at byte {end}")
    span = min(len(binary.view), end)
    return tuple(_describe(binary, raw, span, len(binary.view), None) for raw in raws)


def _read_compressed(
    binary: _Binary, inflated_size: int, trouble: list[str], budget: Budget
) -> tuple[Entry, ...]:
    """The entries of a compressed binary, of whose front ever more is decompressed."""
    if not _HEADER.size + _INFLATED_SIZE.size <= binary.first <= min(binary.size, inflated_size):
        raise InputError(f"its entries at byte {binary.first} lie outside the offload binary")
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
    """The entries in the front of the compressed bytes, with all strings that can be had."""
    raws: tuple[RawEntry, ...] = ()
    size, is_all = _FIRST_FRONT, False
    while not is_all and not (raws and all(raw.strings is not None for raw in raws)):
        try:
            front = read_front(packed.compression, stored, size, budget)
        except InputError:
            if raws:
                break
            raise
        is_all = len(front) < size
        if is_all or binary.count * ENTRY.size <= len(front):
            part = Part(view=memoryview(front), base=binary.first, budget=budget)
            raws = _read_entries(binary, part, binary.first + packed.size)
        size *= _GROWTH
    return raws


def _read_entries(binary: _Binary, part: Part, size: int) -> tuple[RawEntry, ...]:
    """The entries of a binary of ``size`` bytes; InputError where they are not in ``part``."""
    first, end = binary.first, binary.first + binary.count * ENTRY.size
    there = min(size, part.base + len(part.view))
    if not binary.count or first < _HEADER.size or end > there:
        lies = "entry lies" if binary.count == 1 else f"{binary.count} entries lie"
        raise InputError(f"its {lies} outside the offload binary")
    offsets = range(first, end, ENTRY.size)
    return tuple(read_entry(part, offset, binary.version) for offset in offsets)


def _check(raws: tuple[RawEntry, ...], size: int) -> Iterator[str]:
    """What is wrong with the entries of a binary of ``size`` bytes, one thing an entry."""
    for raw in raws:
        end = raw.image_offset + raw.image_size
        if raw.strings is None:
            yield "its strings lie outside the offload binary"
        elif end > size:
            yield f"its image ends at byte {end}, the offload binary at {size}"


def _describe(binary: _Binary, raw: RawEntry, span: int, size: int, packed: Packed | None) -> Entry:
    """The entry with its image clipped to the binary, which ends at ``size``."""
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


def _align(size: int) -> int:
    return -size % ALIGNMENT + size
