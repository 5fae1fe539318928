"""The code and data of a device image that is an ELF file: bytes by symbol, for comparing."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.device import SHT_NOBITS, DeviceElf, SectionHeader, SymbolEntry

STT_OBJECT: Final = 1
STT_FUNC: Final = 2
SHF_WRITE: Final = 1
SHF_ALLOC: Final = 2
SHF_EXECINSTR: Final = 4
SHT_RELA: Final = 4
SHT_REL: Final = 9

_RELA: Final = struct.Struct("<QQq")
_REL: Final = struct.Struct("<QQ")
_DIGEST_DIGITS: Final = 32
# Symbols of real files overlap a little: aliases, kernels around their subroutines.
_HASHED_PER_BYTE: Final = 4


class Span(NamedTuple):
    """A named part of an image: ``start`` is where it lies in its section."""

    name: str
    section: SectionHeader
    start: int
    size: int


def digest(parts: Iterable[Buffer]) -> str:
    """A name for contents: equal ones have equal names."""
    # Processors have instructions for it: twice as fast as BLAKE2 there.
    state = hashlib.sha256()
    for part in parts:
        state.update(part)
    return state.hexdigest()[:_DIGEST_DIGITS]


class ElfCode:
    """The functions and objects of an image with one symbol each, as linkers leave them."""

    def __init__(self, elf: DeviceElf) -> None:
        self._elf = elf
        self._contents: dict[SectionHeader, memoryview] = {}
        self._bytes_left = _HASHED_PER_BYTE * elf.size

    def spans(self, kind: int) -> Iterator[Span]:
        """The defined symbols of a type that have a size, in the order of the table."""
        for symbol in self._elf.symbols:
            if symbol.info & 0xF != kind or not symbol.size:
                continue
            section = self._elf.section_of(symbol)
            if section is None:
                continue
            # Sections of relocatable files have no address.
            start = symbol.value - section.address
            if 0 <= start <= section.size - symbol.size:
                yield Span(self._elf.symbol_name(symbol), section, start, symbol.size)

    def content(self, section: SectionHeader) -> memoryview:
        """The section's bytes, which may be asked for again and again."""
        if section not in self._contents:
            self._contents[section] = self._elf.content(section)
        return self._contents[section]

    def digest(self, span: Span) -> str:
        """What tells the span's bytes from others; of what starts as zeros, its size."""
        if span.section.type == SHT_NOBITS:
            return f"zeros:{span.size}"
        self._bytes_left -= span.size
        if self._bytes_left < 0:
            raise InputError("the image's symbols overlap")
        return digest((self.content(span.section)[span.start : span.start + span.size],))

    def unnamed(self, section: SectionHeader, named: Iterable[Span]) -> bytes:
        """What of a section's bytes no span has."""
        content, parts, position = self.content(section), [], 0
        own = (span for span in named if span.section is section)
        for span in sorted(own, key=lambda span: span.start):
            parts.append(content[position : max(span.start, position)])
            position = max(position, span.start + span.size)
        return b"".join((*parts, content[position:]))

    def sections(self, *, named: bytes) -> Iterator[SectionHeader]:
        """The sections whose names start so."""
        return (section for section in self._elf.sections if self._elf.has_name(section, named))


def read_relocations(elf: DeviceElf) -> dict[int, list[tuple[int, int, SymbolEntry, int]]]:
    """(offset, type, symbol, addend) by the number of the section that they change."""
    found: dict[int, list[tuple[int, int, SymbolEntry, int]]] = {}
    symbols = elf.symbols
    for section in elf.sections:
        if section.type not in (SHT_RELA, SHT_REL) or not section.size:
            continue
        layout = _RELA if section.type == SHT_RELA else _REL
        content = elf.content(section)
        rows = found.setdefault(section.info, [])
        for offset, info, *addend in layout.iter_unpack(
            content[: len(content) // layout.size * layout.size]
        ):
            if info >> 32 < len(symbols):
                symbol = symbols[info >> 32]
                rows.append((offset, info & 0xFFFF_FFFF, symbol, addend[0] if addend else 0))
    return found
