"""The relocations of an ELF file, and pointers resolved through them.

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
from kbuild.facts import Place, Pointer, Section, Symbol
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind, kind_of, read_entries
from kbuild.formats.elf.sections import SHF_ALLOC, SLOT, ElfSections, guard

# SHT_REL entries have no addend field; what is in place counts, and nobody here asks.
_RELOCATION_TABLES: Final = {"SHT_RELA": True, "SHT_REL": False}


class Relocations:
    """What a file has relocated, and what its slots lead to.

    ``symbol_tables`` gives the symbols by the index of their section when they are needed.
    """

    def __init__(
        self, elf: ElfSections, symbol_tables: Callable[[], Mapping[int, tuple[Symbol, ...]]]
    ) -> None:
        self._elf = elf
        self._symbol_tables = symbol_tables
        # In each section that somebody asked about.
        self._relocated: dict[int, dict[Place, Relocation]] = {}

    def iterate(
        self, kinds: frozenset[RelocationKind] | None = None, within: Section | None = None
    ) -> Iterator[Relocation]:
        """The relocations of these kinds (all when None) in what is loaded, packed ones last.

        Debug information has most of an object's relocations and none that matter here.
        Those ``within`` one section are found faster.
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
        symbols = self._symbol_tables().get(section.link, ())
        first, end = 0, 1 << 64
        if within is not None and self._elf.is_linked:
            first, end = within.address, within.address + within.size
        for offset, number, index, addend in read_entries(self._elf.content(section), has_addend):
            if not first <= offset < end:
                continue
            kind = kind_of(self._elf.machine, number)
            # Before anything else: large programs have millions of the others.
            if kinds is not None and kind not in kinds:
                continue
            place = self._place_of(section, offset)
            if place is not None:
                symbol = symbols[index] if 0 < index < len(symbols) else None
                yield Relocation(place=place, kind=kind, symbol=symbol, addend=addend)

    def _fills_memory(self, section: Section) -> bool:
        if self._elf.is_linked:
            return True
        is_there = section.info < len(self._elf.sections)
        return is_there and bool(self._elf.sections[section.info].flags & SHF_ALLOC)

    def _place_of(self, section: Section, offset: int) -> Place | None:
        if self._elf.is_linked:
            return self._elf.locate(offset)
        return Place(section=section.info, offset=offset)

    @cached_property
    def _packed_relocations(self) -> tuple[Relocation, ...]:
        return guard(lambda: tuple(self._iterate_packed()))

    def _iterate_packed(self) -> Iterator[Relocation]:
        # A word stands for up to 63 slots, each of which is there once.
        left = len(self._elf.data) // SLOT
        for section in self._elf.file.iter_sections():
            if isinstance(section, RelrRelocationSection):
                for relocation in section.iter_relocations():
                    left -= 1
                    if left < 0:
                        raise InputError("more relocations than the file has room for")
                    place = self._elf.locate(relocation["r_offset"])
                    if place is not None:
                        value = struct.unpack("<Q", self._elf.read(place, 8))[0]
                        yield Relocation(place=place, kind="relative", symbol=None, addend=value)

    def _relocation_at(self, place: Place) -> Relocation | None:
        found = self._relocated.get(place.section)
        if found is None:
            is_there = place.section < len(self._elf.sections)
            within = self._elf.sections[place.section] if is_there else None
            relocations = self.iterate(within=within) if within else ()
            found = self._relocated[place.section] = {r.place: r for r in relocations}
        return found.get(place)

    def pointer_at(self, place: Place) -> Pointer:
        """What the pointer-sized slot at ``place`` holds once the file is loaded.

        A relocation wins over the bytes in place: lld writes only the relocation.
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
        """The place that a signed 64-bit distance at ``place`` leads to.

        The distance counts from its own address; in an object file a PC-relative
        relocation stands for it.  None where it leads nowhere.
        """
        relocation = self._relocation_at(place)
        if relocation is not None:
            return relocation.target
        distance = struct.unpack("<q", self._elf.read(place, 8))[0]
        if distance == 0 or not self._elf.is_linked:
            return None
        return self._elf.locate(self._elf.address(place) + distance)
