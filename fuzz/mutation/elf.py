"""Mutations of ELF files: fields of headers, symbols, and relocations, and bytes in sections."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from fuzz.mutation.binary import EDITS, Edit, choose_integer, edit

_MAGIC: Final = b"\x7fELF"
_SHOFF: Final = 0x28
_SHNUM: Final = 0x3C
_HEADER_SIZE: Final = 64
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_WIDTHS: Final = {2: "<H", 4: "<I", 8: "<Q"}
# Offset and width of each field.
_FILE_FIELDS: Final = (
    *((0x10, 2), (0x12, 2), (0x18, 8), (0x20, 8), (0x28, 8), (0x30, 4)),
    *((0x34, 2), (0x36, 2), (0x38, 2), (0x3A, 2), (0x3C, 2), (0x3E, 2)),
)
_SECTION_FIELDS: Final = (
    *((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8)),
)
_SYMBOL: Final = ((0, 4), (4, 2), (6, 2), (8, 8), (16, 8))
_RELOCATION: Final = ((0, 8), (8, 4), (12, 4), (16, 8))
_PAIR: Final = ((0, 8), (8, 8))
# The fields of an entry, by the type of its section: symbols, relocations, and dynamic entries.
_TABLES: Final = {2: _SYMBOL, 11: _SYMBOL, 4: _RELOCATION, 6: _PAIR, 9: _PAIR}
_ENTRY_SIZES: Final = {2: 24, 11: 24, 4: 24, 6: 16, 9: 16}


class _Section(NamedTuple):
    header: int
    type: int
    offset: int
    size: int


def mutate_elf(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Return an ELF file of the pool with some edits, most of them in its tables."""
    return edit(chance, pool, _EDITS)


def _list_sections(data: bytearray) -> list[_Section]:
    if len(data) < _HEADER_SIZE or data[:4] != _MAGIC:
        return []
    (start,) = struct.unpack_from("<Q", data, _SHOFF)
    (count,) = struct.unpack_from("<H", data, _SHNUM)
    sections = []
    for at in range(start, min(start + count * _SECTION.size, len(data)), _SECTION.size):
        if at + _SECTION.size > len(data):
            break
        _, kind, _, _, offset, size, *_ = _SECTION.unpack_from(data, at)
        sections.append(_Section(at, kind, offset, size))
    return sections


def _set_field(
    chance: random.Random, data: bytearray, start: int, fields: Sequence[tuple[int, int]]
) -> None:
    offset, width = chance.choice(fields)
    if start + offset + width <= len(data):
        value = choose_integer(chance, width, len(data))
        struct.pack_into(_WIDTHS[width], data, start + offset, value)


def _edit_file_header(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    _set_field(chance, data, 0, _FILE_FIELDS)


def _edit_section_header(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if sections := _list_sections(data):
        _set_field(chance, data, chance.choice(sections).header, _SECTION_FIELDS)


def _swap_section_headers(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    if sections := _list_sections(data):
        one, two = (chance.choice(sections).header for _ in range(2))
        first, second = (bytes(data[at : at + _SECTION.size]) for at in (one, two))
        data[one : one + _SECTION.size] = second
        data[two : two + _SECTION.size] = first


def _edit_table(chance: random.Random, data: bytearray, _: Sequence[bytes]) -> None:
    tables = [section for section in _list_sections(data) if section.type in _TABLES]
    if not tables:
        return
    table = chance.choice(tables)
    entry = _ENTRY_SIZES[table.type]
    count = min(table.size, len(data)) // entry
    if count:
        start = table.offset + chance.randrange(count) * entry
        _set_field(chance, data, start, _TABLES[table.type])


def _edit_section(chance: random.Random, data: bytearray, pool: Sequence[bytes]) -> None:
    """Edit the bytes of one section, without moving anything else."""
    inside = [x for x in _list_sections(data) if 0 < x.size <= len(data) - x.offset and x.type != 8]
    if not inside:
        return
    section = chance.choice(inside)
    content = bytearray(data[section.offset : section.offset + section.size])
    chance.choice(EDITS)(chance, content, pool)
    content = content[: section.size]
    data[section.offset : section.offset + len(content)] = content


_EDITS: Final[tuple[Edit, ...]] = (
    *(_edit_file_header, _edit_section_header, _edit_section_header, _swap_section_headers),
    *(_edit_table, _edit_table, _edit_section, _edit_section, *EDITS),
)
