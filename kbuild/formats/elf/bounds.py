"""Bounds on what an ELF file can ask its reader to do, checked on the raw headers.

A few hundred bytes can declare billions of sections, or as many as fit and each of them
all of the file.  In a sound file sections do not overlap and tables have entries of their
own size, so that all there is to read stays near the size of the file.  Source: System V
ABI (gABI 4.1), "Object Files".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError

# The offsets of the program and section headers; size and number of both; the names' section.
_HEADER: Final = struct.Struct("<32xQQ6xHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SEGMENT_SIZE: Final = 56
_SHT_NOBITS: Final = 8
_PN_XNUM: Final = 0xFFFF
_SHN_XINDEX: Final = 0xFFFF
# Linkers let a few sections overlap, and names share their tails.
_BYTES_PER_BYTE: Final = 2
_LONGEST_NAME: Final = 1 << 16
_SHORT_NAME: Final = 256


class Allowance:
    """Counts down what names and values come to that are read out of one file.

    Names may share their bytes and slots be read twice, but not without end.
    """

    _PER_BYTE: Final = 16
    _AT_LEAST: Final = 1 << 16

    def __init__(self, size: int) -> None:
        self._left = self._PER_BYTE * size + self._AT_LEAST

    def take(self, size: int) -> None:
        """Count ``size`` bytes; InputError where that is too much in all."""
        self._left -= size
        if self._left < 0:
            raise InputError("its names and tables take more room than the file has")


def check(view: memoryview, allowance: Allowance) -> None:
    """Raise InputError where the headers of a 64-bit little-endian file are out of bounds."""
    segments, sections, segment_size, segment_count, size, count, names = _HEADER.unpack_from(view)
    rows: list[tuple[int, ...]] = []
    if sections:
        if size != _SECTION.size:
            raise InputError(f"section headers of {size} bytes, not {_SECTION.size}")
        if count == 0:
            # Too many for the header: the first section's size is their number.
            count = _read_first(view, sections)[5]
        _check_table(view, sections, count * _SECTION.size, "section headers")
        table = view[sections : sections + count * _SECTION.size]
        rows = list(_SECTION.iter_unpack(table))
    if segment_count:
        if segment_size != _SEGMENT_SIZE:
            raise InputError(f"program headers of {segment_size} bytes, not {_SEGMENT_SIZE}")
        if segment_count == _PN_XNUM and rows:
            segment_count = rows[0][7]
        _check_table(view, segments, segment_count * _SEGMENT_SIZE, "program headers")
    if sum(_sizes(view, rows)) > _BYTES_PER_BYTE * len(view):
        raise InputError("the file's sections overlap")
    if names == _SHN_XINDEX and rows:
        names = rows[0][6]
    if names < len(rows):
        _check_names(view, rows, rows[names][4], allowance)


def _read_first(view: memoryview, sections: int) -> tuple[int, ...]:
    _check_table(view, sections, _SECTION.size, "section headers")
    return _SECTION.unpack_from(view, sections)


def _check_table(view: memoryview, start: int, size: int, what: str) -> None:
    if start + size > len(view):
        raise InputError(f"its {what} end at byte {start + size}, the file at {len(view)}")


def _sizes(view: memoryview, rows: list[tuple[int, ...]]) -> Iterator[int]:
    """What each section takes up in the file; the first one is none."""
    for _, kind, _, _, offset, size, *_ in rows[1:]:
        if kind != _SHT_NOBITS:
            yield max(min(size, len(view) - offset), 0)


def _check_names(
    view: memoryview, rows: list[tuple[int, ...]], strings: int, allowance: Allowance
) -> None:
    for row in rows:
        start = strings + row[0]
        end = -1
        for longest in (_SHORT_NAME, _LONGEST_NAME):
            end = bytes(view[start : start + longest]).find(b"\0")
            if end >= 0:
                break
        if end < 0 and start < len(view):
            raise InputError(f"a section's name at byte {start} does not end")
        allowance.take(max(end, 0))
