"""Branches and addresses in machine code.

Nothing that compilers emit is missed. On x86-64, branches through pointers are instructions of
sections that start with one; behind an unknown instruction, bytes that are only similar to such a
branch also count, as everywhere for addresses. Instructions of aarch64 have 4 bytes, so only
literals that look like instructions are mistaken for them.

Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, "CALL", "JMP", and
"LEA"; x86-64 psABI 1.0, table 4.9; Arm Architecture Reference Manual, C4.1, "Unconditional branch
(register)"; ELF for the Arm 64-bit Architecture, section 5.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.elf.constants import EM_AARCH64, EM_X86_64
from kbuild.formats.elf.instructions import INSTRUCTION

# FF /2 and FF /4. Compilers emit no far calls and jumps, which are FF /3 and FF /5.
_INDIRECT: Final = re.compile(
    rb"\xff(?=[\x10-\x17\x20-\x27\x50-\x57\x60-\x67\x90-\x97\xa0-\xa7\xd0-\xd7\xe0-\xe7])"
)
_GOT_BRANCHES: Final = (b"\xff\x15", b"\xff\x25")  # call and jmp *symbol@GOTPCREL(%rip)
# lea with an address relative to the instruction pointer
_LEA: Final = re.compile(rb"\x8d[\x05\x0d\x15\x1d\x25\x2d\x35\x3d]")
_LEA_END: Final = 6
# call, jmp, and the second bytes of conditional jumps. The byte before an address that is relative
# to the instruction pointer is below 0x40 in all other instructions.
_DIRECT: Final = frozenset((0xE8, 0xE9, *range(0x80, 0x90)))
_PC_RELATIVE: Final = frozenset((2, 4))  # R_X86_64_PC32, PLT32
_GOT: Final = frozenset((9, 41, 42))  # R_X86_64_GOTPCREL, GOTPCRELX, REX_GOTPCRELX
_X86_TLSDESC_CALL: Final = 35

# The upper half of BR, BLR, and their variants with pointer authentication, but not of RET.
_BRANCH_REGISTER: Final = re.compile(rb"[\x1f\x3f][\xd6\xd7]")
_ADR: Final = re.compile(rb"[\x10\x30\x50\x70]")  # the last byte of the instruction
_WORD: Final = 4
# R_AARCH64_TSTBR14, CONDBR19, JUMP26, CALL26
_AARCH64_BRANCHES: Final = frozenset((279, 280, 282, 283))
_AARCH64_TLSDESC_CALL: Final = 569


def check_machine(machine: int) -> None:
    """Check that this module knows the instructions of a machine (an ``EM_`` number).

    Raises:
        InputError: The code is for another machine.
    """
    if machine not in (EM_X86_64, EM_AARCH64):
        raise InputError(f"machine code for machine {machine}; expected x86-64 or aarch64")


def is_branch(machine: int, code: bytes, offset: int, kind: int) -> bool:
    """Return whether the instruction with a relocation calls its symbol or jumps to it."""
    if machine == EM_AARCH64:
        return kind in _AARCH64_BRANCHES
    if kind in _GOT:
        return code[max(offset - 2, 0) : offset] in _GOT_BRANCHES
    return kind in _PC_RELATIVE and 0 < offset <= len(code) and code[offset - 1] in _DIRECT


def has_indirect_branch(machine: int, code: bytes, kinds: Mapping[int, int]) -> bool:
    """Return whether code can contain a call or jump through a pointer.

    Args:
        machine: The machine (an ``EM_`` number).
        code: The bytes of a section.
        kinds: The types of its relocations, by offset.
    """
    if machine == EM_AARCH64:
        return any(
            found.end() % _WORD == 0 and kinds.get(found.end() - _WORD) != _AARCH64_TLSDESC_CALL
            for found in _BRANCH_REGISTER.finditer(code)
        )
    return any(not _is_known(code, start, kinds) for start in _list_indirect(code))


def _list_indirect(code: bytes) -> Iterator[int]:
    """Yield the offsets of the opcodes of calls and jumps through pointers."""
    found = _INDIRECT.search(code)
    position = 0
    while found is not None:  # most functions have no bytes like these
        instruction = INSTRUCTION.match(code, position)
        if instruction is None:  # data, or an instruction that this package does not know
            yield from (each.start() for each in _INDIRECT.finditer(code, position))
            return
        if instruction["indirect"] is not None:
            yield instruction.start("indirect")
        position = instruction.end()
        if position > found.start():
            found = _INDIRECT.search(code, position)


def _is_known(code: bytes, start: int, kinds: Mapping[int, int]) -> bool:
    """Return whether relocations show which function a branch of x86-64 through a pointer calls."""
    if kinds.get(start) == _X86_TLSDESC_CALL:
        return True
    return kinds.get(start + 2) in _GOT and code[start : start + 2] in _GOT_BRANCHES


def list_addresses(machine: int, code: bytes) -> Iterator[int]:
    """Yield the offsets in a section that its code can load without a relocation."""
    if machine == EM_X86_64:
        for found in _LEA.finditer(code):
            end = found.start() + _LEA_END
            yield end + int.from_bytes(code[found.end() : end], "little", signed=True)
        return
    for found in _ADR.finditer(code[_WORD - 1 :: _WORD]):
        start = found.start() * _WORD
        word = int.from_bytes(code[start : start + _WORD], "little")
        # 19 upper bits and 2 lower bits of a signed number
        distance = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
        yield start + distance - (distance >> 20 << 21)
