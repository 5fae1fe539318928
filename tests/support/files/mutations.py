"""Edits of finished ELF files like those of a broken tool. No section moves."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from kbuild.facts import Place
from kbuild.files import sha256
from kbuild.formats.elf.file import Elf
from kbuild.formats.target_note import read_notes
from kbuild.model import TargetRecord
from kbuild.records import RECORD_SCHEMA, dump

_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC = struct.Struct("<QQ")
_RELOCATION = struct.Struct("<QQq")


def patch(data: bytes, offset: int, new: bytes) -> bytes:
    return data[:offset] + new + data[offset + len(new) :]


def file_offset(data: bytes, place: Place) -> int:
    return Elf(data).sections[place.section].offset + place.offset


def section_range(data: bytes, name: str) -> range:
    (section,) = Elf(data).sections_named(name)
    return range(section.offset, section.offset + section.size)


def symbol_entries(data: bytes, name: str) -> Iterator[int]:
    """Return the file offsets of a symbol's entries in .symtab and .dynsym."""
    elf = Elf(data)
    for table in elf.sections:
        if table.type in ("SHT_SYMTAB", "SHT_DYNSYM"):
            strings = ".strtab" if table.type == "SHT_SYMTAB" else ".dynstr"
            names = elf.content(elf.sections_named(strings)[0])
            for offset in range(table.offset, table.offset + table.size, _SYMBOL.size):
                start = _SYMBOL.unpack_from(data, offset)[0]
                if names[start : names.find(b"\0", start)] == name.encode():
                    yield offset


def change_symbol(data: bytes, name: str, change: Callable[[list[int]], None]) -> bytes:
    """Edit (name, info, other, section, value, size) of a symbol in every symbol table."""
    offsets = tuple(symbol_entries(data, name))
    assert offsets
    for offset in offsets:
        fields = list(_SYMBOL.unpack_from(data, offset))
        change(fields)
        data = patch(data, offset, _SYMBOL.pack(*fields))
    return data


def change_alignment(data: bytes, section: str, alignment: int) -> bytes:
    """Change the alignment in a section header."""
    (found,) = Elf(data).sections_named(section)
    (headers,) = struct.unpack_from("<Q", data, 40)
    return patch(data, headers + 64 * found.index + 48, struct.pack("<Q", alignment))


def change_dynamic_tag(data: bytes, old: int, new: int) -> bytes:
    """Replace one entry of the dynamic section."""
    place = section_range(data, ".dynamic")
    (at,) = (
        offset
        for offset in range(place.start, place.stop, _DYNAMIC.size)
        if _DYNAMIC.unpack_from(data, offset)[0] == old
    )
    return patch(data, at, struct.pack("<Q", new))


def change_relocation(data: bytes, section: str, symbol: str, kind: int) -> bytes:
    """Change the type of the only relocation in ``section`` that refers to ``symbol``."""
    place = section_range(data, section)
    names = [s.name for s in Elf(data).symbols if s.dynamic]
    (at,) = (
        offset
        for offset in range(place.start, place.stop, _RELOCATION.size)
        if names[_RELOCATION.unpack_from(data, offset)[1] >> 32] == symbol
    )
    return patch(data, at + 8, struct.pack("<I", kind))


def change_record(data: bytes, change: Callable[[TargetRecord], TargetRecord]) -> bytes:
    """Edit the record in the note without changing its length."""
    place = section_range(data, ".note.kbuild")
    (note,), problems = read_notes(data[place.start : place.stop])
    assert not problems
    old, new = dump(RECORD_SCHEMA, note.record), dump(RECORD_SCHEMA, change(note.record))
    assert len(old) == len(new)
    assert old in data
    return data.replace(old, new)


def change_image(data: bytes, image: bytes, new: bytes, *, fix_hash: bool = False) -> bytes:
    """Replace one device image, and with ``fix_hash`` also its hash in the note."""
    assert len(image) == len(new)
    assert data.count(image) == 1
    data = data.replace(image, new)
    if fix_hash:
        assert sha256(image).encode() in data
        data = data.replace(sha256(image).encode(), sha256(new).encode())
    return data


def rename_in(old: bytes, new: bytes, *sections: str) -> Callable[[bytes], bytes]:
    """Replace a text everywhere in these sections without changing its length."""
    assert len(old) == len(new)

    def edit(data: bytes) -> bytes:
        for name in sections:
            place = section_range(data, name)
            data = patch(data, place.start, data[place.start : place.stop].replace(old, new))
        return data

    return edit
