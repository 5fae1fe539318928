"""The code and data of a device image that is an ELF file, as bytes per symbol."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import SHT_NOBITS, SHT_REL, SHT_RELA
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader
from kbuild.formats.elf.relocation_entries import read_entries
from kbuild.formats.elf.symbol_entries import SymbolEntry

_DIGEST_DIGITS: Final = 32
# The symbols of real files overlap a little: aliases, and kernels that contain subroutines.
_HASHED_PER_BYTE: Final = 4


class Span(NamedTuple):
    """A named range of bytes in an image. ``start`` counts from the start of the section."""

    name: str
    section: SectionHeader
    start: int
    size: int


def digest(parts: Iterable[Buffer]) -> str:
    """Return a digest of the concatenated parts, as 32 hexadecimal digits."""
    # Processors have instructions for SHA-256, which make it twice as fast as BLAKE2.
    state = hashlib.sha256()
    for part in parts:
        state.update(part)
    return state.hexdigest()[:_DIGEST_DIGITS]


class ElfCode:
    """The functions and objects of an image, one per symbol."""

    def __init__(self, elf: DeviceElf) -> None:
        self._elf = elf
        self._contents: dict[SectionHeader, memoryview] = {}
        self._bytes_left = _HASHED_PER_BYTE * elf.size

    def spans(self, kind: int) -> Iterator[Span]:
        """Yield the defined, non-empty symbols of a type (``STT_``), in the table's order."""
        for symbol in self._elf.symbols:
            if symbol.info & 0xF != kind or not symbol.size:
                continue
            section = self._elf.section_of(symbol)
            if section is None:
                continue
            # Sections of relocatable files have the address 0.
            start = symbol.value - section.address
            if 0 <= start <= section.size - symbol.size:
                yield Span(self._elf.symbol_name(symbol), section, start, symbol.size)

    def content(self, section: SectionHeader) -> memoryview:
        """Return the bytes of a section. Further calls for the same section are free."""
        if section not in self._contents:
            self._contents[section] = self._elf.content(section)
        return self._contents[section]

    def digest(self, span: Span) -> str:
        """Return a digest of the span's bytes; for zero-initialized data, only its size."""
        if span.section.type == SHT_NOBITS:
            return f"zeros:{span.size}"
        self._bytes_left -= span.size
        if self._bytes_left < 0:
            raise InputError("the symbols of the image overlap")
        return digest((self.content(span.section)[span.start : span.start + span.size],))

    def unnamed(self, section: SectionHeader, named: Iterable[Span]) -> bytes:
        """Return the bytes of a section that no span in ``named`` covers."""
        content, parts, position = self.content(section), [], 0
        own = (span for span in named if span.section is section)
        for span in sorted(own, key=lambda span: span.start):
            parts.append(content[position : max(span.start, position)])
            position = max(position, span.start + span.size)
        return b"".join((*parts, content[position:]))

    def sections(self, *, prefix: bytes) -> Iterator[SectionHeader]:
        """Yield the sections whose names start with ``prefix``."""
        return (section for section in self._elf.sections if self._elf.has_name(section, prefix))


def read_relocations(elf: DeviceElf) -> dict[int, list[tuple[int, int, SymbolEntry, int]]]:
    """Return the relocations of an image, grouped by the index of the section that they change.

    Each relocation is a tuple of offset, type, symbol, and addend.
    """
    found: dict[int, list[tuple[int, int, SymbolEntry, int]]] = {}
    symbols = elf.symbols
    for section in elf.sections:
        if section.type in (SHT_RELA, SHT_REL) and section.size:
            rows = found.setdefault(section.info, [])
            entries = read_entries(elf.content(section), section.type == SHT_RELA)
            for offset, kind, number, addend in entries:
                if number < len(symbols):
                    rows.append((offset, kind, symbols[number], addend))
    return found
