"""A narrow reader of the ELF files that device images are: little-endian, 64-bit.

Libraries hold thousands of them with hundreds of sections each.  pyelftools makes an
object of every field of every header, and drops the bit of ``st_other`` that marks a
kernel; this reads tables as a whole and copies nothing but strings.  Its results are
compared with those of pyelftools in the tests.

Sources: System V ABI (gABI 4.1), "Object Files"; large section numbers as in its chapter
on section headers.
"""

from __future__ import annotations

import struct
from functools import cached_property
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer

EM_CUDA: Final = 190
ET_REL: Final = 1

SHT_SYMTAB: Final = 2
SHT_NOTE: Final = 7
SHT_NOBITS: Final = 8
_SHT_DYNSYM: Final = 11
_SHT_SYMTAB_SHNDX: Final = 18
_SHN_LORESERVE: Final = 0xFF00
_SHN_XINDEX: Final = 0xFFFF

# The front of e_ident, OS ABI and its version, type, machine, version, offsets of the program
# and section headers, flags, size and number of both, and the index of the sections' names
_HEADER: Final = struct.Struct("<7sBB7xHHI8xQQI2xHHHHH")
# Of any ELF file; what else an image has to have, `DeviceElf` checks.
ELF_MAGIC: Final = b"\x7fELF"
_IDENTIFICATION: Final = b"\x7fELF\x02\x01\x01"
_MACHINE: Final = slice(18, 20)
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")
_WORD: Final = struct.Struct("<I")
# Sections do not overlap and names share their tails at most, so that all that is read
# stays near the file's size, whatever forged headers say.
_BYTES_PER_BYTE: Final = 2
_NAME_BYTES_PER_BYTE: Final = 16
_LONGEST_NAME: Final = 1 << 16


def is_elf_for(content: Buffer, machine: int) -> bool:
    """Whether ``content`` starts like an ELF file for ``machine``."""
    number = int.from_bytes(bytes(content[_MACHINE]), "little")
    return bytes(content[: len(ELF_MAGIC)]) == ELF_MAGIC and number == machine


# Tuples, not dataclasses: a library has half a million of them.
class SectionHeader(NamedTuple):
    """An ELF section header; ``name`` is an offset in the section names."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class SymbolEntry(NamedTuple):
    """An ELF symbol; ``name`` is an offset in the symbol names, ``other`` all eight bits."""

    name: int
    info: int
    other: int
    section: int
    value: int
    size: int


class DeviceElf:
    """The header, sections and symbols of an image for ``machine`` (an ``EM_`` number).

    ``what`` is the word for it in messages.  Raises InputError for anything else.
    """

    def __init__(self, data: Buffer, machine: int, what: str) -> None:
        self._what = what
        self._view = memoryview(data)
        self.size = len(data)
        self._bytes_left = _BYTES_PER_BYTE * len(data)
        self._name_bytes_left = _NAME_BYTES_PER_BYTE * len(data)
        if len(data) < _HEADER.size:
            raise InputError(f"the {what} is cut off in its ELF header")
        fields = _HEADER.unpack_from(data)
        front, self.os_abi, self.abi_version, self.type, number, self.version = fields[:6]
        segments, table, self.flags, segment_size, segment_count, entry_size, count, names = fields[
            6:
        ]
        if front != _IDENTIFICATION or number != machine:
            raise InputError(f"not a {what} (no 64-bit little-endian ELF file for its machine)")
        if table and entry_size != _SECTION.size:
            raise InputError(f"section headers of {entry_size} bytes, not {_SECTION.size}")
        self._slice(segments, segment_size * segment_count, "the program headers")
        self.sections = self._read_sections(table, count) if table else ()
        if names == _SHN_XINDEX and self.sections:
            names = self.sections[0].link
        self._names = self._read_strings(names)

    def _read_sections(self, table: int, count: int) -> tuple[SectionHeader, ...]:
        if count == 0:
            # Too many for the header: the first section's size is their number.
            first = self._slice(table, _SECTION.size, "the first section header")
            count = SectionHeader._make(_SECTION.unpack(first)).size
        rows = self._slice(table, count * _SECTION.size, "the section headers")
        return tuple(map(SectionHeader._make, _SECTION.iter_unpack(rows)))

    def _slice(self, start: int, size: int, what: str) -> memoryview:
        if start + size > len(self._view):
            raise InputError(
                f"{what} end at byte {start + size}, the {self._what} at {len(self._view)}"
            )
        return self._view[start : start + size]

    def _read_strings(self, index: int) -> bytes:
        if index >= len(self.sections):
            raise InputError(f"no section {index} with names, there are {len(self.sections)}")
        return bytes(self.content(self.sections[index]))

    def content(self, section: SectionHeader) -> memoryview:
        """The section's bytes in the file; InputError where they are not all there."""
        if section.type == SHT_NOBITS:
            return self._view[:0]
        self._bytes_left -= section.size
        if self._bytes_left < 0:
            raise InputError(f"the {self._what}'s sections overlap")
        return self._slice(section.offset, section.size, "the section's bytes")

    def has_name(self, section: SectionHeader, prefix: bytes) -> bool:
        """Whether the section's name starts with ``prefix``, without making a string of it."""
        return self._names.startswith(prefix, section.name)

    def section_name(self, section: SectionHeader) -> str:
        """The section's name."""
        return self._text(self._names, section.name)

    def symbol_name(self, symbol: SymbolEntry) -> str:
        """The symbol's name."""
        return self._text(self._symbol_names, symbol.name)

    def _text(self, strings: bytes, offset: int) -> str:
        end = strings.find(b"\0", offset, offset + _LONGEST_NAME)
        if end < 0:
            raise InputError(f"no name at byte {offset} of the {self._what}'s strings")
        self._name_bytes_left -= end - offset
        if self._name_bytes_left < 0:
            raise InputError(f"the {self._what}'s names take more room than it has")
        return strings[offset:end].decode("utf-8", "replace")

    @cached_property
    def symbols(self) -> tuple[SymbolEntry, ...]:
        """The symbol table, ``section`` of each being a true section number or zero.

        Of a stripped file it is the table for the dynamic linker.
        """
        if self._symbol_table is None:
            return ()
        index, header = self._symbol_table
        if header.entry_size != _SYMBOL.size:
            raise InputError(f"symbols of {header.entry_size} bytes, not {_SYMBOL.size}")
        content = self.content(header)
        rows = content[: len(content) // _SYMBOL.size * _SYMBOL.size]
        symbols = tuple(map(SymbolEntry._make, _SYMBOL.iter_unpack(rows)))
        if len(self.sections) < _SHN_LORESERVE:
            return symbols
        numbers = self._read_section_numbers(index)
        return tuple(
            symbol._replace(section=_true_number(symbol.section, position, numbers))
            for position, symbol in enumerate(symbols)
        )

    @cached_property
    def _symbol_table(self) -> tuple[int, SectionHeader] | None:
        for kind in (SHT_SYMTAB, _SHT_DYNSYM):
            for index, section in enumerate(self.sections):
                if section.type == kind:
                    return index, section
        return None

    @cached_property
    def _symbol_names(self) -> bytes:
        return self._read_strings(self._symbol_table[1].link) if self._symbol_table else b""

    def _read_section_numbers(self, table: int) -> tuple[int, ...]:
        """The section numbers that do not fit in symbols, one a symbol."""
        for section in self.sections:
            if section.type == _SHT_SYMTAB_SHNDX and section.link == table:
                content = self.content(section)
                rows = content[: len(content) // _WORD.size * _WORD.size]
                return tuple(number for (number,) in _WORD.iter_unpack(rows))
        return ()

    def section_of(self, symbol: SymbolEntry) -> SectionHeader | None:
        """The section that defines the symbol; None for undefined and absolute ones."""
        # Reserved numbers lie above those of all sections, see `symbols`.
        if not 0 < symbol.section < len(self.sections):
            return None
        return self.sections[symbol.section]


def _true_number(number: int, position: int, numbers: tuple[int, ...]) -> int:
    if number < _SHN_LORESERVE:
        return number
    is_elsewhere = number == _SHN_XINDEX and position < len(numbers)
    return numbers[position] if is_elsewhere else 0
