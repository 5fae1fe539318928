"""The symbols of an ELF file, from the full and from the dynamic symbol table.

Source: System V ABI (gABI 4.1), "Symbol Table".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

from elftools.construct.lib.container import Container
from elftools.elf.sections import SymbolTableSection

from kbuild.errors import InputError
from kbuild.facts import Place, Section, Symbol
from kbuild.formats.elf.sections import ElfSections, check_size, guard
from kbuild.formats.elf.versions import read_symbol_versions

_SYMBOL_TYPES: Final[dict[str, Any]] = {
    "STT_NOTYPE": "none",
    "STT_OBJECT": "object",
    "STT_FUNC": "function",
    "STT_SECTION": "section",
    "STT_FILE": "file",
    "STT_TLS": "tls",
}
_BINDINGS: Final[dict[str, Any]] = {
    "STB_LOCAL": "local",
    "STB_GLOBAL": "global",
    "STB_WEAK": "weak",
    "STB_LOOS": "unique",  # STB_GNU_UNIQUE
}
# The section that contains a version number for each symbol of a table.
_VERSIONS: Final = "SHT_GNU_versym"


def read_symbol_tables(elf: ElfSections) -> dict[int, tuple[Symbol, ...]]:
    """Return the symbols of each table, by the section index of the table."""
    tables = (s for s in elf.sections if s.type in ("SHT_SYMTAB", "SHT_DYNSYM"))
    check_size(sum(section.size for section in tables), "the symbol table")
    return {
        index: tuple(
            _read_symbol(elf, symbol.name, symbol.entry, section["sh_type"], version)
            for symbol, version in zip(
                section.iter_symbols(), _versions_of(elf, index), strict=False
            )
        )
        for index, section in enumerate(elf.file.iter_sections())
        if isinstance(section, SymbolTableSection)
    }


def _versions_of(elf: ElfSections, table: int) -> Iterator[str | None]:
    """Yield the version of each symbol of the table in section ``table``, then None forever."""
    for section in elf.sections:
        if section.type == _VERSIONS and section.link == table:
            yield from _read_versions(elf, section)
    yield from itertools.repeat(None)


def _read_versions(elf: ElfSections, section: Section) -> tuple[str | None, ...]:
    try:
        content = elf.content(section)
        return guard(lambda: read_symbol_versions(elf.file, content, elf.allowance))
    except InputError:
        # The symbols are useful even without their versions.
        return ()


def _read_symbol(
    elf: ElfSections, name: str, entry: Container, table_type: str, version: str | None
) -> Symbol:
    elf.allowance.take(len(name))
    index = entry["st_shndx"]
    place = None
    if isinstance(index, int):
        if index >= len(elf.sections):
            raise InputError(
                f"symbol '{name}' is in section {index}, "
                f"but the file has {len(elf.sections)} sections"
            )
        offset = entry["st_value"]
        if elf.is_linked:
            offset -= elf.sections[index].address
        place = Place(section=index, offset=offset)
    visibility: Any = str(entry["st_other"]["visibility"]).removeprefix("STV_").lower()
    return Symbol(
        name=name,
        type=_SYMBOL_TYPES.get(entry["st_info"]["type"], "other"),
        binding=_BINDINGS.get(entry["st_info"]["bind"], "other"),
        visibility=visibility,
        size=entry["st_size"],
        value=entry["st_value"],
        place=place,
        dynamic=table_type == "SHT_DYNSYM",
        version=version,
    )
