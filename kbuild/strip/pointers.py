"""Change the targets of pointers in a linked file.

Sources: x86-64 psABI 1.0 and ELF for the Arm 64-bit Architecture, ``R_*_RELATIVE``; gABI,
``SHT_RELR``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import Place
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.relocation_entries import kind_of, read_entries
from kbuild.formats.elf.rewriting import Patch

_ENTRY_SIZE: Final = 24
_ADDEND: Final = 16
_POINTER: Final = struct.Struct("<Q")


def redirect(elf: Elf, targets: Mapping[Place, int]) -> Iterator[Patch]:
    """Yield the changes that let pointers lead to other addresses of the same file.

    Linkers write the address into the slot, into the relocation, or into both.

    Raises:
        InputError: The dynamic linker fills a slot with the address of a symbol.
    """
    slots = {elf.address(slot): address for slot, address in targets.items()}
    relocated: set[int] = set()
    for section in elf.sections:
        if section.type != "SHT_RELA":
            continue
        rows = read_entries(elf.content(section), has_addend=True)
        for position, (offset, number, _, _) in enumerate(rows):
            if offset not in slots:
                continue
            if kind_of(elf.machine, number) != "relative":
                raise InputError(f"the pointer at {offset:#x} leads to a symbol")
            relocated.add(offset)
            where = section.offset + position * _ENTRY_SIZE + _ADDEND
            yield Patch(offset=where, content=_POINTER.pack(slots[offset]))
    for slot, address in targets.items():
        if any(elf.read(slot, _POINTER.size)) or elf.address(slot) not in relocated:
            where = elf.sections[slot.section].offset + slot.offset
            yield Patch(offset=where, content=_POINTER.pack(address))
