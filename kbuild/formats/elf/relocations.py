"""The relocations of an ELF file, and pointers that are resolved through them.

Sources: System V ABI (gABI 4.1), "Relocation"; x86-64 psABI 1.0; ELF for the Arm 64-bit
Architecture.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Final

from elftools.elf.relocation import RelrRelocationSection

from kbuild.errors import InputError
from kbuild.facts import Place, Pointer, Section
from kbuild.formats.elf.constants import SHF_ALLOC
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind, kind_of, read_entries
from kbuild.formats.elf.sections import SLOT, ElfSections, guard
from kbuild.formats.elf.symbols import SymbolTable

# Whether the entries have an addend. SHT_REL entries keep it in the relocated bytes, where
# kbuild does not need it.
_RELOCATION_TABLES: Final = {"SHT_RELA": True, "SHT_REL": False}


class Relocations:
    """The relocations of an ELF file.

    Args:
        elf: The file.
        symbol_tables: A function that returns the symbols by the index of their section. It is
            called when symbols are first needed.
    """

    def __init__(
        self, elf: ElfSections, symbol_tables: Callable[[], Mapping[int, SymbolTable]]
    ) -> None:
        self._elf = elf
        self._symbol_tables = symbol_tables
        # By the index of the section, for the sections that were requested so far.
        self._relocated: dict[int, dict[Place, Relocation]] = {}

    def iterate(
        self, kinds: frozenset[RelocationKind] | None = None, within: Section | None = None
    ) -> Iterator[Relocation]:
        """Yield the relocations of loaded sections, packed relative relocations last.

        Relocations of debug information, which are most of those of an object file, are left
        out.

        Args:
            kinds: Yield only these kinds. None means all.
            within: Yield only relocations of this section, which is faster. None means all.
        """
        for section in self._elf.sections:
            has_addend = _RELOCATION_TABLES.get(section.type)
            if has_addend is None or not self._fills_memory(section):
                continue
            if self._elf.is_linked or within is None or section.info == within.index:
                yield from self._section_relocations(section, has_addend, kinds, within)
        if kinds is None or "relative" in kinds:
            yield from (
                relocation
                for relocation in self._packed_relocations
                if within is None or relocation.place.section == within.index
            )

    def _section_relocations(
        self,
        section: Section,
        has_addend: bool,
        kinds: frozenset[RelocationKind] | None,
        within: Section | None,
    ) -> Iterator[Relocation]:
        symbols = self._symbol_tables().get(section.link)
        first, end = 0, 1 << 64
        if within is not None and self._elf.is_linked:
            first, end = within.address, within.address + within.size
        for offset, number, index, addend in read_entries(self._elf.content(section), has_addend):
            if not first <= offset < end:
                continue
            kind = kind_of(self._elf.machine, number)
            # This check comes first because large programs have millions of other relocations.
            if kinds is not None and kind not in kinds:
                continue
            place = self._place_of(section, offset)
            if place is not None:
                symbol = symbols[index] if symbols and 0 < index < len(symbols) else None
                yield Relocation(place=place, kind=kind, symbol=symbol, addend=addend)

    def _fills_memory(self, section: Section) -> bool:
        """Return whether a relocation section changes a section that is loaded."""
        if self._elf.is_linked:
            return True
        is_valid = section.info < len(self._elf.sections)
        return is_valid and bool(self._elf.sections[section.info].flags & SHF_ALLOC)

    def _place_of(self, section: Section, offset: int) -> Place | None:
        if self._elf.is_linked:
            return self._elf.locate(offset)
        return Place(section=section.info, offset=offset)

    @cached_property
    def _packed_relocations(self) -> tuple[Relocation, ...]:
        return guard(lambda: tuple(self._iterate_packed()))

    def _iterate_packed(self) -> Iterator[Relocation]:
        # A word of the table stands for up to 63 slots, but each slot can occur only once.
        left = len(self._elf.data) // SLOT
        for section in self._elf.file.iter_sections():
            if isinstance(section, RelrRelocationSection):
                for relocation in section.iter_relocations():
                    left -= 1
                    if left < 0:
                        raise InputError("the ELF file has more relocations than it has slots")
                    place = self._elf.locate(relocation["r_offset"])
                    if place is not None:
                        value = struct.unpack("<Q", self._elf.read(place, 8))[0]
                        yield Relocation(place=place, kind="relative", symbol=None, addend=value)

    def _relocation_at(self, place: Place) -> Relocation | None:
        found = self._relocated.get(place.section)
        if found is None:
            is_valid = place.section < len(self._elf.sections)
            within = self._elf.sections[place.section] if is_valid else None
            relocations = self.iterate(within=within) if within else ()
            found = self._relocated[place.section] = {r.place: r for r in relocations}
        return found.get(place)

    def pointer_at(self, place: Place) -> Pointer:
        """Return the content of the pointer-sized slot at ``place`` after the file is loaded.

        A relocation takes precedence over the bytes in the file, because lld writes only the
        relocation.
        """
        relocation = self._relocation_at(place)
        if relocation is None:
            value = struct.unpack("<Q", self._elf.read(place, 8))[0]
            target = self._elf.locate(value) if self._elf.is_linked and value else None
            return Pointer(place=target)
        self._elf.allowance.take(SLOT)
        if relocation.kind == "relative":
            return Pointer(place=self._elf.locate(relocation.addend))
        symbol, target = relocation.symbol, relocation.target
        name = symbol.name if symbol else None
        if target is None:
            return Pointer(symbol=name or None)
        is_dynamic = symbol is not None and symbol.dynamic
        return Pointer(place=target, symbol=name or None, interposable=is_dynamic)

    def distance_target(self, place: Place) -> Place | None:
        """Return the target of the signed 64-bit distance at ``place``.

        A distance counts from its own address. In an object file, a PC-relative relocation
        takes its place.

        Returns:
            The target, or None if the distance is zero or points outside every section.
        """
        relocation = self._relocation_at(place)
        if relocation is not None:
            return relocation.target
        distance = struct.unpack("<q", self._elf.read(place, 8))[0]
        if distance == 0 or not self._elf.is_linked:
            return None
        return self._elf.locate(self._elf.address(place) + distance)
