"""Relocation of an object's debug information.

pyelftools does this too, but for most kernels it takes as long as everything else that a compile
does in Python. A small kernel has thousands of relocations, because the device headers declare
hundreds of functions.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from kbuild.errors import InputError

# The relocations of debug sections, with the number of bytes that they change. Those of TLS offsets
# of `__shared__` variables change nothing, because kbuild does not read them.
_SIZES: Final = {
    "EM_X86_64": {0: 0, 1: 8, 10: 4, 11: 4, 17: 0, 21: 0},
    "EM_AARCH64": {0: 0, 257: 8, 258: 4, 1029: 0},
}
_NO_RELOCATION: Final = 0
_RELOCATION: Final = struct.Struct("<QIIq")  # Elf64_Rela, with the type before the symbol
_SYMBOL: Final = struct.Struct("<IBBHQQ")  # Elf64_Sym


def relocate_debug_sections(file: ELFFile, data: bytearray) -> bool:
    """Apply the relocations of the debug sections.

    Args:
        file: The object.
        data: Its bytes, which change.

    Returns:
        False if a section is compressed. pyelftools must then relocate the sections, which it can,
        because the relocations that it does not support are removed.

    Raises:
        InputError: A relocation has an unknown type, or is outside its section.
    """
    tables = [
        section
        for section in file.iter_sections("SHT_RELA")
        if isinstance(section, RelocationSection) and section.name.startswith(".rela.debug")
    ]
    sizes = _SIZES.get(file.header["e_machine"], {})
    if any(file.get_section(table["sh_info"]).compressed for table in tables):
        for table in tables:
            _remove_unsupported(table, data, sizes)
        return False
    for table in tables:
        _apply(file, table, data, sizes)
    return True


def _apply(file: ELFFile, table: RelocationSection, data: bytearray, sizes: dict[int, int]) -> None:
    target = file.get_section(table["sh_info"])
    symbols = file.get_section(table["sh_link"])
    text = data[symbols["sh_offset"] :][: symbols["sh_size"]]
    values = [symbol[4] for symbol in _SYMBOL.iter_unpack(text)]
    for _, (offset, kind, symbol, addend) in _list(table, data):
        size = sizes.get(kind)
        if size is None or offset + size > target["sh_size"]:
            raise InputError(f"unsupported relocation at {offset:#x} of {target.name}: type {kind}")
        if size:
            place = target["sh_offset"] + offset
            value = (values[symbol] + addend) % (1 << 8 * size)
            data[place : place + size] = value.to_bytes(size, "little")


def _remove_unsupported(table: RelocationSection, data: bytearray, sizes: dict[int, int]) -> None:
    for start, (offset, kind, symbol, addend) in _list(table, data):
        if sizes.get(kind) == 0:
            _RELOCATION.pack_into(data, start, offset, _NO_RELOCATION, symbol, addend)


def _list(
    table: RelocationSection, data: bytearray
) -> Iterator[tuple[int, tuple[int, int, int, int]]]:
    """Yield the relocations with their offsets in the file."""
    first, size = table["sh_offset"], table["sh_size"]
    entries = _RELOCATION.iter_unpack(bytes(data[first : first + size]))
    return zip(range(first, first + size, _RELOCATION.size), entries, strict=True)
