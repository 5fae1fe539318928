"""The symbols of a host file, from the full and from the dynamic symbol table.

A library can have a million symbols, of which few concern kernels. Therefore, this module reads
the tables itself instead of through pyelftools, and creates a symbol only when it is requested.

Source: System V ABI (gABI 4.1), "Symbol Table".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeAlias

from kbuild.errors import InputError
from kbuild.facts import Place, Section, Symbol
from kbuild.formats.buffer import release
from kbuild.formats.elf.constants import SHN_LORESERVE
from kbuild.formats.elf.headers import LONGEST_NAME
from kbuild.formats.elf.sections import ElfSections, check_size, guard
from kbuild.formats.elf.symbol_entries import (
    SymbolEntry,
    check_entry_size,
    count_entries,
    iterate_entries,
    read_entry,
    read_section_numbers,
)
from kbuild.formats.elf.versions import read_symbol_versions

# Decides by the name and the raw entry whether a symbol is needed.
SymbolFilter: TypeAlias = Callable[[bytes, SymbolEntry], bool]

_TYPES: Final[dict[int, Any]] = {
    0: "none",
    1: "object",
    2: "function",
    3: "section",
    4: "file",
    6: "tls",
}
_BINDINGS: Final[dict[int, Any]] = {
    0: "local",
    1: "global",
    2: "weak",
    10: "unique",  # STB_GNU_UNIQUE
}
_VISIBILITIES: Final[tuple[Any, ...]] = ("default", "internal", "hidden", "protected")
# The section that contains a version number for each symbol of a table.
_VERSIONS: Final = "SHT_GNU_versym"
_SECTION_NUMBERS: Final = "SHT_SYMTAB_SHNDX"
_TABLES: Final = ("SHT_SYMTAB", "SHT_DYNSYM")
# Most names are shorter than this. Reading more bytes at once takes longer.
_SHORT_NAME: Final = 256
# Pages of a mapped file are released after reading this many bytes of names.
_RELEASE_INTERVAL: Final = 16 << 20


class SymbolTable:
    """The symbols in one section of a file.

    Raises:
        InputError: The table is damaged. All methods raise this error.
    """

    def __init__(self, elf: ElfSections, section: Section) -> None:
        check_entry_size(section.entry_size)
        if section.link >= len(elf.sections):
            raise InputError(f"the symbol table {section.name} has no string table")
        self._elf = elf
        self._section = section
        self.is_dynamic = section.type == "SHT_DYNSYM"
        self._content = elf.view(section)
        if len(self._content) < section.size:
            raise InputError(f"the symbol table {section.name} ends after the end of the file")
        self._names = elf.view(elf.sections[section.link])
        self._created: dict[int, Symbol] = {}

    def __len__(self) -> int:
        return count_entries(self._content)

    def __getitem__(self, index: int) -> Symbol:
        known = self._created.get(index)
        if known is None:
            entry = read_entry(self._content, index, self._section_numbers)
            known = self._created[index] = self._create(self._read_name(entry.name), entry, index)
        return known

    def find(self, is_wanted: SymbolFilter | None = None) -> Iterator[Symbol]:
        """Yield the symbols that ``is_wanted`` accepts, or all of them, in order."""
        read_name, left = self._read_name, _RELEASE_INTERVAL
        count = len(self._elf.sections)
        for index, entry in enumerate(iterate_entries(self._content, self._section_numbers)):
            name = read_name(entry.name)
            # A damaged entry is an error even if nobody needs the symbol.
            if (
                is_wanted is None
                or count <= entry.section < SHN_LORESERVE
                or is_wanted(name, entry)
            ):
                yield self._create(name, entry, index)
            left -= len(name)
            if left < 0:
                release(self._content)
                left = _RELEASE_INTERVAL
        release(self._content)

    def _read_name(self, start: int) -> bytes:
        for longest in (_SHORT_NAME, LONGEST_NAME):
            name, end, _ = bytes(self._names[start : start + longest]).partition(b"\0")
            if end:
                self._elf.allowance.take(len(name))
                return name
        raise InputError(f"the symbol name at byte {start} has no end")

    def _create(self, encoded: bytes, entry: SymbolEntry, index: int) -> Symbol:
        name = encoded.decode("utf-8", "replace")
        versions = self._symbol_versions
        return Symbol(
            name=name,
            type=_TYPES.get(entry.info & 0xF, "other"),
            binding=_BINDINGS.get(entry.info >> 4, "other"),
            visibility=_VISIBILITIES[entry.other & 3],
            size=entry.size,
            value=entry.value,
            place=self._find_place(name, entry),
            dynamic=self.is_dynamic,
            version=versions[index] if index < len(versions) else None,
        )

    def _find_place(self, name: str, entry: SymbolEntry) -> Place | None:
        index, sections = entry.section, self._elf.sections
        if index == 0 or (index >= SHN_LORESERVE and not self._section_numbers):
            return None
        if index >= len(sections):
            raise InputError(
                f"symbol '{name}' is in section {index}, but the file has {len(sections)} sections"
            )
        start = sections[index].address if self._elf.is_linked else 0
        return Place(section=index, offset=entry.value - start)

    @cached_property
    def _section_numbers(self) -> Sequence[int]:
        for section in self._elf.sections:
            if section.type == _SECTION_NUMBERS and section.link == self._section.index:
                return read_section_numbers(self._elf.view(section))
        return ()

    @cached_property
    def _symbol_versions(self) -> Sequence[str | None]:
        """The version of each symbol; empty if the table has none."""
        for section in self._elf.sections:
            if section.type == _VERSIONS and section.link == self._section.index:
                return self._read_versions(section)
        return ()

    def _read_versions(self, section: Section) -> Sequence[str | None]:
        elf = self._elf
        try:
            content = elf.content(section)
            return guard(lambda: read_symbol_versions(elf.file, content, elf.allowance))
        except InputError:
            # The symbols are useful even without their versions.
            return ()


def read_symbol_tables(elf: ElfSections) -> dict[int, SymbolTable]:
    """Return the symbol tables of a file by the index of their section, in file order."""
    tables = [section for section in elf.sections if section.type in _TABLES]
    check_size(sum(section.size for section in tables), "the symbol table")
    return {section.index: SymbolTable(elf, section) for section in tables}
