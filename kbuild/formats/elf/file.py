"""ELF files of the host: sections, symbols, the dynamic section, and pointers.

Only `kbuild.formats.elf` and `kbuild.formats.dwarf` import pyelftools. Device images have a
faster reader, `kbuild.formats.elf.device`.

Source: System V ABI (gABI 4.1), "Dynamic Section".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Final, Literal

from elftools.elf.enums import ENUM_D_TAG_COMMON

from kbuild.errors import InputError
from kbuild.facts import Place, Pointer, Section, Symbol
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind
from kbuild.formats.elf.relocations import Relocations
from kbuild.formats.elf.sections import ElfSections, guard
from kbuild.formats.elf.symbols import SymbolFilter, SymbolTable, read_symbol_tables
from kbuild.formats.elf.versions import (
    read_defined_versions,
    read_needed_versions,
    read_versioned_libraries,
)

_NAME_TAGS: Final = frozenset({"DT_NEEDED", "DT_SONAME", "DT_RPATH", "DT_RUNPATH"})
_DT_NULL: Final = 0
_TAGS: Final[dict[int, str]] = {value: name for name, value in ENUM_D_TAG_COMMON.items()}
_TAG: Final = struct.Struct("<qQ")

FileType = Literal["relocatable", "shared-object", "executable", "other"]


class Elf(ElfSections):
    """An ELF file, opened for reading.

    Raises:
        InputError: The bytes are not a valid ELF file. Attributes and methods also raise this
            error, because tables are read on first use.
    """

    @cached_property
    def type(self) -> FileType:
        """The type of the file; a position-independent executable is an ``executable``."""
        kind = self.file.header["e_type"]
        if kind == "ET_REL":
            return "relocatable"
        if kind == "ET_EXEC":
            return "executable"
        if kind == "ET_DYN":
            # A PIE names its dynamic loader, and a library does not. libc.so.6 also names one,
            # but has no DF_1_PIE flag.
            has_loader = any(s.type == "PT_INTERP" for s in self.segments)
            return "executable" if has_loader and self._is_pie() else "shared-object"
        return "other"

    def _is_pie(self) -> bool:
        flags = [v for tag, v in self.dynamic if tag == "DT_FLAGS_1"]
        is_marked = any(value & 0x08000000 for value in flags)
        has_soname = any(tag == "DT_SONAME" for tag, _ in self.dynamic)
        return is_marked or not has_soname

    @cached_property
    def dynamic(self) -> tuple[tuple[str, int], ...]:
        """The dynamic section as (tag, value) pairs; empty if the file has none."""
        section = self._dynamic_section
        if section is None:
            return ()
        content = self.content(section)
        found: list[tuple[str, int]] = []
        for tag, value in _TAG.iter_unpack(content[: len(content) // _TAG.size * _TAG.size]):
            if tag == _DT_NULL:
                break
            found.append((_TAGS.get(tag, str(tag)), value))
        return tuple(found)

    @property
    def _dynamic_section(self) -> Section | None:
        return next((s for s in self.sections_named(".dynamic") if s.type == "SHT_DYNAMIC"), None)

    @cached_property
    def dynamic_names(self) -> tuple[tuple[str, str], ...]:
        """The (tag, name) pairs of the dynamic section: libraries and their search paths."""
        # The tags of pyelftools are not used, because they read all names at once, and forged
        # tags can share a long name.
        section = self._dynamic_section
        names = [(tag, value) for tag, value in self.dynamic if tag in _NAME_TAGS]
        if section is None or not names:
            return ()
        if section.link >= len(self.sections):
            raise InputError("the dynamic section has no string table")
        return tuple(
            (tag, self.read_text(Place(section=section.link, offset=value))) for tag, value in names
        )

    @cached_property
    def needed_versions(self) -> tuple[tuple[str, str], ...]:
        """The (library, version) pairs without which the file cannot be loaded."""
        return guard(lambda: read_needed_versions(self.file, self.allowance))

    @cached_property
    def versioned_libraries(self) -> tuple[str, ...]:
        """The libraries from which the file needs symbol versions."""
        return guard(lambda: read_versioned_libraries(self.file, self.allowance))

    @cached_property
    def defined_versions(self) -> tuple[str, ...]:
        """The symbol versions that the file defines."""
        return guard(lambda: read_defined_versions(self.file, self.allowance))

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of ``.symtab`` and ``.dynsym``, in file order."""
        return tuple(s for table in self._symbol_tables.values() for s in table.find())

    def find_symbols(self, is_wanted: SymbolFilter) -> Iterator[Symbol]:
        """Yield all dynamic symbols, and the others that ``is_wanted`` accepts, in file order.

        In a large library, this takes much less memory and time than reading all `symbols`.
        """
        for table in self._symbol_tables.values():
            yield from table.find(None if table.is_dynamic else is_wanted)

    @cached_property
    def _symbol_tables(self) -> dict[int, SymbolTable]:
        return read_symbol_tables(self)

    @cached_property
    def has_symbol_table(self) -> bool:
        """Whether the file has a ``.symtab``, that is, whether it is not stripped."""
        return any(section.type == "SHT_SYMTAB" for section in self.sections)

    @cached_property
    def _relocations(self) -> Relocations:
        return Relocations(self, lambda: self._symbol_tables)

    def relocations(
        self, kinds: frozenset[RelocationKind] | None = None, within: Section | None = None
    ) -> Iterator[Relocation]:
        """Yield relocations; see `Relocations.iterate`."""
        return self._relocations.iterate(kinds, within)

    def pointer_at(self, place: Place) -> Pointer:
        """Return the pointer in a slot; see `Relocations.pointer_at`."""
        return self._relocations.pointer_at(place)

    def distance_target(self, place: Place) -> Place | None:
        """Return the target of a distance; see `Relocations.distance_target`."""
        return self._relocations.distance_target(place)
