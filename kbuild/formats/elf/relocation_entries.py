"""Entries of relocation tables: their raw form, and the meaning of their types.

Sources: x86-64 psABI 1.0, table 4.9; ELF for the Arm 64-bit Architecture, section 5.7.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from kbuild.facts import Place, Symbol
from kbuild.formats.buffer import Buffer
from kbuild.values import dataclass

RelocationKind: TypeAlias = Literal[
    "absolute-64",
    "absolute-32",
    "relative",
    "pc-relative-64",
    "pc-relative-32",
    "got-slot",
    "branch",
    "copy",
    "jump-slot",
]

# Only a call or jump instruction can have a `branch` relocation. On x86-64, assemblers use the
# same types for calls and for other instructions, so only the opcode shows which it is.
_KINDS: Final[dict[str, dict[int, RelocationKind]]] = {
    "x86_64": {
        1: "absolute-64",  # R_X86_64_64
        2: "pc-relative-32",  # R_X86_64_PC32
        4: "pc-relative-32",  # R_X86_64_PLT32
        5: "copy",  # R_X86_64_COPY
        7: "jump-slot",  # R_X86_64_JUMP_SLOT
        8: "relative",  # R_X86_64_RELATIVE
        9: "got-slot",  # R_X86_64_GOTPCREL
        10: "absolute-32",  # R_X86_64_32
        11: "absolute-32",  # R_X86_64_32S
        24: "pc-relative-64",  # R_X86_64_PC64
        41: "got-slot",  # R_X86_64_GOTPCRELX
        42: "got-slot",  # R_X86_64_REX_GOTPCRELX
    },
    "aarch64": {
        257: "absolute-64",  # R_AARCH64_ABS64
        258: "absolute-32",  # R_AARCH64_ABS32
        260: "pc-relative-64",  # R_AARCH64_PREL64
        279: "branch",  # R_AARCH64_TSTBR14
        280: "branch",  # R_AARCH64_CONDBR19
        282: "branch",  # R_AARCH64_JUMP26
        283: "branch",  # R_AARCH64_CALL26
        1024: "copy",  # R_AARCH64_COPY
        1026: "jump-slot",  # R_AARCH64_JUMP_SLOT
        1027: "relative",  # R_AARCH64_RELATIVE
    },
}
_WITH_ADDEND: Final = struct.Struct("<QQq")
_WITHOUT_ADDEND: Final = struct.Struct("<QQ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """A relocation of the bytes at ``place``.

    ``symbol`` is None if the relocation refers to no symbol; ``kind`` is None if kbuild does
    not use relocations of this type.
    """

    place: Place
    kind: RelocationKind | None
    symbol: Symbol | None
    addend: int

    @property
    def target(self) -> Place | None:
        """The place of symbol plus addend; None if this file does not define the symbol."""
        place = self.symbol.place if self.symbol else None
        if place is None:
            return None
        return Place(section=place.section, offset=place.offset + self.addend)


def read_entries(content: Buffer, has_addend: bool) -> Iterator[tuple[int, int, int, int]]:
    """Yield offset, type, symbol index, and addend of each entry of a relocation section.

    The addend is 0 if the entries have none. A partial entry at the end is ignored.
    """
    layout = _WITH_ADDEND if has_addend else _WITHOUT_ADDEND
    whole = len(content) - len(content) % layout.size
    for offset, info, *addend in layout.iter_unpack(content[:whole]):
        yield offset, info & 0xFFFFFFFF, info >> 32, addend[0] if addend else 0


def kind_of(machine: str, number: int) -> RelocationKind | None:
    """Return the kind of a relocation type of ``machine``; None if kbuild does not use it."""
    return _KINDS.get(machine, {}).get(number)
