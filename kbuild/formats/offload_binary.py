"""LLVM's offload binary, version 1: the container of device images that kbuild uses itself.

One binary holds one image with its strings (``triple``, ``arch``, ...); binaries follow
each other, 8-aligned, and the linker may put zeros between those of several objects.
Source: ``llvm/Object/OffloadBinary.h`` of LLVM 19.  All numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from kbuild.model import Problem

MAGIC: Final = b"\x10\xff\x10\xad"
VERSION: Final = 1
IMAGE_KIND_OBJECT: Final = 1
ALIGNMENT: Final = 8

# magic, version, size, entry offset, entry size
_HEADER: Final = struct.Struct("<4sIQQQ")
# image kind, offload kind, flags, string offset, string count, image offset, image size
_ENTRY: Final = struct.Struct("<HHIQQQQ")
# offsets of key and value
_STRING: Final = struct.Struct("<QQ")
# Far above what any producer writes; bounds the work that a forged count can ask for.
_MOST_STRINGS: Final = 1024

_NOT_ZERO: Final = re.compile(rb"[^\0]")

NewEntry: TypeAlias = tuple[int, tuple[tuple[str, str], ...], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One image of a container; every offset counts from the start of the content read.

    ``span`` is what its binary takes up from ``offset``, header included.  Where the
    content ends early, ``image_size`` is what is left of the image.
    """

    offset: int
    span: int
    image_kind: int
    offload_kind: int
    strings: tuple[tuple[str, str], ...]
    image_offset: int
    image_size: int

    def string(self, key: str) -> str | None:
        """The value of ``key``, or None where the entry has none."""
        return next((value for name, value in self.strings if name == key), None)


def write(entries: Iterable[NewEntry]) -> bytes:
    """One container of (image kind, strings, data) entries; equal input gives equal bytes."""
    return b"".join(_write_binary(*entry) for entry in entries)


def _write_binary(kind: int, strings: tuple[tuple[str, str], ...], data: bytes) -> bytes:
    string_offset = _HEADER.size + _ENTRY.size
    text_offset = string_offset + _STRING.size * len(strings)
    # LLVM's own table starts with a NUL, so that offset zero means the empty string.
    text = bytearray(b"\0")
    pairs = bytearray()
    for key, value in strings:
        key_offset = text_offset + len(text)
        text += key.encode() + b"\0"
        pairs += _STRING.pack(key_offset, text_offset + len(text))
        text += value.encode() + b"\0"
    image_offset = _align(text_offset + len(text))
    size = _align(image_offset + len(data))
    entry = _ENTRY.pack(kind, 0, 0, string_offset, len(strings), image_offset, len(data))
    header = _HEADER.pack(MAGIC, VERSION, size, _HEADER.size, _ENTRY.size)
    front = (header + entry + pairs + text).ljust(image_offset, b"\0")
    return (front + data).ljust(size, b"\0")


def read(content: bytes) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """Every entry in ``content``, in order, and what could not be made sense of.

    Never raises: after a broken binary, reading goes on at the next magic number.
    """
    entries: list[Entry] = []
    problems: list[Problem] = []
    position = _skip_zeros(content, 0)
    while position < len(content):
        entry, problem = _read_binary(content, position)
        if problem:
            problems.append(Problem(where=f"byte {position:#x}", message=problem, offset=position))
        if entry:
            entries.append(entry)
            position = _skip_zeros(content, entry.offset + entry.span)
        else:
            following = content.find(MAGIC, position + 1)
            position = following if following >= 0 else len(content)
    return tuple(entries), tuple(problems)


def _read_binary(content: bytes, start: int) -> tuple[Entry | None, str | None]:
    """The binary at ``start`` with what is wrong with it; no entry where its size is unknown."""
    if content[start : start + len(MAGIC)] != MAGIC:
        return None, "no offload binary starts here (bad magic number)"
    if len(content) - start < _HEADER.size + _ENTRY.size:
        return None, "the offload binary is cut off in its header"
    _, version, size, entry_offset, entry_size = _HEADER.unpack_from(content, start)
    if version != VERSION:
        return None, f"offload binary version {version} is not supported, only {VERSION}"
    if size < _HEADER.size + _ENTRY.size or entry_size < _ENTRY.size:
        return None, f"an offload binary of {size} bytes has no room for its entry"
    if not 0 <= entry_offset <= size - _ENTRY.size or start + entry_offset + _ENTRY.size > len(
        content
    ):
        return None, f"its entry at byte {entry_offset} lies outside the offload binary"
    return _read_entry(content, start, size, entry_offset)


def _read_entry(
    content: bytes, start: int, size: int, entry_offset: int
) -> tuple[Entry, str | None]:
    fields = _ENTRY.unpack_from(content, start + entry_offset)
    kind, offload_kind, _, string_offset, string_count, image_offset, image_size = fields
    binary = memoryview(content)[start : start + size]
    problem = None
    if len(binary) < size:
        problem = f"the offload binary says {size} bytes, {len(binary)} are there"
    strings = _read_strings(binary, string_offset, string_count)
    if strings is None:
        problem = problem or "its strings lie outside the offload binary"
    if image_offset + image_size > len(binary):
        problem = problem or (
            f"its image ends at byte {image_offset + image_size}, "
            f"the offload binary at {len(binary)}"
        )
    # A size that reaches past the image would hide the binaries that follow it.
    end = _align(max(image_offset + image_size, string_offset, entry_offset + _ENTRY.size))
    if problem is None and size > end:
        problem = f"the offload binary says {size} bytes, its parts end at byte {end}"
    image_offset = min(image_offset, len(binary))
    entry = Entry(
        offset=start,
        span=min(len(binary), end),
        image_kind=kind,
        offload_kind=offload_kind,
        strings=strings or (),
        image_offset=start + image_offset,
        image_size=min(image_size, len(binary) - image_offset),
    )
    return entry, problem


def _read_strings(
    binary: memoryview, offset: int, count: int
) -> tuple[tuple[str, str], ...] | None:
    if count > _MOST_STRINGS or offset + count * _STRING.size > len(binary):
        return None
    pairs: list[tuple[str, str]] = []
    for number in range(count):
        key_offset, value_offset = _STRING.unpack_from(binary, offset + number * _STRING.size)
        key, value = _read_text(binary, key_offset), _read_text(binary, value_offset)
        if key is None or value is None:
            return None
        pairs.append((key, value))
    return tuple(pairs)


def _read_text(binary: memoryview, offset: int, limit: int = 4096) -> str | None:
    text, end, _ = bytes(binary[offset : offset + limit]).partition(b"\0")
    return text.decode("utf-8", "replace") if end else None


def _skip_zeros(content: bytes, position: int) -> int:
    found = _NOT_ZERO.search(content, position)
    return found.start() if found else len(content)


def _align(size: int) -> int:
    return -size % ALIGNMENT + size
