"""Entries of symbol tables in their raw form, for host files and for device images.

Source: System V ABI (gABI 4.1), "Symbol Table".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.elf.constants import SHN_LORESERVE, SHN_XINDEX
from kbuild.model import Linkage

_ENTRY: Final = struct.Struct("<IBBHQQ")
_WORD: Final = struct.Struct("<I")
_VISIBILITY: Final = 3
_HIDDEN: Final = 2
_LINKAGES: Final[dict[int, Linkage]] = {0: "internal", 1: "external", 2: "weak"}


class SymbolEntry(NamedTuple):
    """An ELF symbol. ``name`` is an offset in the symbol names, ``other`` has all eight bits.

    The lower half of ``info`` is the type of the symbol (``STT_``), the upper half its binding
    (``STB_``). ``section`` is the index of its section, even if that index is too large for the
    entry itself. Numbers that are larger than the index of any section are reserved.
    """

    name: int
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def linkage(self) -> Linkage:
        """The linkage that corresponds to the binding of the symbol."""
        return _LINKAGES.get(self.info >> 4, "external")

    @property
    def is_hidden(self) -> bool:
        """Whether other dynamic files cannot see the symbol by its visibility (``STV_HIDDEN``)."""
        return self.other & _VISIBILITY == _HIDDEN


# `SymbolEntry._make` without its check of the length, which takes a quarter of the time.
_create: Final = partial(tuple.__new__, SymbolEntry)


def check_entry_size(size: int) -> None:
    """Check the entry size that a symbol table declares.

    Raises:
        InputError: Entries of 64-bit files have another size.
    """
    if size != _ENTRY.size:
        raise InputError(f"symbols of {size} bytes; expected {_ENTRY.size}")


def count_entries(content: memoryview) -> int:
    """Return the number of symbols in a table. A partial entry at the end does not count."""
    return len(content) // _ENTRY.size


def iterate_entries(content: memoryview, numbers: Sequence[int] = ()) -> Iterator[SymbolEntry]:
    """Yield the symbols of a table.

    Args:
        content: The bytes of the table.
        numbers: The section number of each symbol, for numbers that do not fit in an entry.
    """
    entries = map(_create, _ENTRY.iter_unpack(content[: _whole(content)]))
    if not numbers:
        return entries
    return (_with_section(entry, index, numbers) for index, entry in enumerate(entries))


def read_entry(content: memoryview, index: int, numbers: Sequence[int] = ()) -> SymbolEntry:
    """Return one symbol of a table; see `iterate_entries`."""
    entry = SymbolEntry._make(_ENTRY.unpack_from(content, index * _ENTRY.size))
    return _with_section(entry, index, numbers) if numbers else entry


def read_section_numbers(content: memoryview) -> tuple[int, ...]:
    """Return the content of a ``SHT_SYMTAB_SHNDX`` section: one number per symbol."""
    rows = content[: len(content) // _WORD.size * _WORD.size]
    return tuple(number for (number,) in _WORD.iter_unpack(rows))


def _whole(content: memoryview) -> int:
    return count_entries(content) * _ENTRY.size


def _with_section(entry: SymbolEntry, index: int, numbers: Sequence[int]) -> SymbolEntry:
    if entry.section < SHN_LORESERVE:
        return entry
    is_elsewhere = entry.section == SHN_XINDEX and index < len(numbers)
    return entry._replace(section=numbers[index] if is_elsewhere else 0)
