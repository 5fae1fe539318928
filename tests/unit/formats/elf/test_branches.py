"""Finds branches and addresses in bytes of machine code."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import pytest

from kbuild.errors import InputError
from kbuild.formats.elf.branches import (
    check_machine,
    has_indirect_branch,
    is_branch,
    list_addresses,
)
from kbuild.formats.elf.constants import EM_AARCH64, EM_CUDA, EM_X86_64

PC32, PLT32, GOTPCREL, S32, GOTPCRELX, TLSDESC_CALL = 2, 4, 9, 11, 41, 35


@pytest.mark.parametrize(
    ("code", "kinds", "expected"),
    [
        ("ffd0", {}, True),  # call *%rax
        ("41ffd3", {}, True),  # call *%r11
        ("3effe0", {}, True),  # notrack jmp *%rax
        ("ff5010", {}, True),  # call *16(%rax)
        ("ff24c500000000", {4: S32}, True),  # jmp *table(,%rax,8)
        ("ff1500000000", {2: PC32}, True),  # call *pointer(%rip)
        ("ff1500000000", {2: GOTPCRELX}, False),  # call *f@GOTPCREL(%rip)
        ("ff2500000000", {2: GOTPCREL}, False),  # jmp *f@GOTPCREL(%rip)
        ("ff9000000000", {2: GOTPCRELX}, True),  # call *f@GOTPCREL(%rax), which no compiler emits
        ("ff10", {0: TLSDESC_CALL}, False),  # call *variable@TLSCALL(%rax)
        ("e800000000ffd0", {1: PLT32}, True),  # call f; call *%rax
        # Only similar to branches: in operands, and at the borders of instructions.
        ("e9f0ffffff50", {}, False),  # jmp back; push %rax
        ("e9f0ffffff660f1f440000", {}, False),  # jmp back; nopw
        ("0f85f0ffffff90", {}, False),  # jne back; nop
        ("83f8ff90", {}, False),  # cmp $-1,%eax; nop
        ("48b8ffd0ffd0ffd0ffd0", {}, False),  # movabs
        ("66c7400affd0", {}, False),  # movw
        ("6681ffd0ff90", {}, False),  # cmp $-48,%di; nop
        ("f7c7ffd000008a07", {}, False),  # test
        ("c5f870c0ff90", {}, False),  # vpermilps-like, with a byte
        ("c4e27918c0ffd0", {}, True),  # vbroadcastss; call *%rax
        ("62f17c4858c0ffd0", {}, True),  # vaddps of 64 bytes; call *%rax
        ("0f0bffd0", {}, True),  # ud2; call *%rax
        ("f2ffe0", {}, True),  # bnd jmp *%rax
        ("06ff50", {}, True),  # an unknown instruction
        ("4989ff64488b042528000000", {}, False),  # mov %rdi,%r15; mov %fs:0x28,%rax
        ("4989ff644c8b3c2528000000", {}, False),  # mov %rdi,%r15; mov %fs:0x28,%r15
        ("89ff64482b042528000000", {}, False),  # mov %edi,%edi; sub %fs:0x28,%rax
        ("ff64488b042528000001", {}, True),  # jmp *-0x75(%rax,%rcx,2)
        ("ffc0", {}, False),  # inc %eax
        ("ff75f8", {}, False),  # push -8(%rbp)
        ("ff", {}, False),
    ],
)
def test_indirect_branches_of_x86(code: str, kinds: Mapping[int, int], expected: bool) -> None:
    assert has_indirect_branch(EM_X86_64, bytes.fromhex(code), kinds) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0xD63F0100, True),  # blr x8
        (0xD61F0220, True),  # br x17
        (0xD63F081F, True),  # blraaz x0
        (0xD71F0801, True),  # braa x0, x1
        (0xD65F03C0, False),  # ret
        (0xD65F0BFF, False),  # retaa
        (0x94000000, False),  # bl
        (0xD503201F, False),  # nop
    ],
)
def test_indirect_branches_of_aarch64(word: int, expected: bool) -> None:
    code = struct.pack("<II", 0xD503201F, word)
    assert has_indirect_branch(EM_AARCH64, code, {}) == expected
    assert not has_indirect_branch(EM_AARCH64, code, {4: 569})  # R_AARCH64_TLSDESC_CALL
    assert not has_indirect_branch(EM_AARCH64, b"\0\0" + code, {})  # not at a multiple of 4


@pytest.mark.parametrize(
    ("code", "offset", "kind", "expected"),
    [
        ("e800000000", 1, PLT32, True),  # call f
        ("e900000000", 1, PC32, True),  # jmp f
        ("0f8500000000", 2, PLT32, True),  # jne f
        ("488d3d00000000", 3, PC32, False),  # lea f(%rip), %rdi
        ("c745e800000000", 3, S32, False),  # movl $f, -24(%rbp)
        ("ff1500000000", 2, GOTPCRELX, True),  # call *f@GOTPCREL(%rip)
        ("488b1500000000", 3, GOTPCRELX, False),  # mov f@GOTPCREL(%rip), %rdx
        ("00000000", 0, PLT32, False),
        ("e8", 9, PLT32, False),
    ],
)
def test_direct_branches_of_x86(code: str, offset: int, kind: int, expected: bool) -> None:
    assert is_branch(EM_X86_64, bytes.fromhex(code), offset, kind) == expected


def test_direct_branches_of_aarch64() -> None:
    assert is_branch(EM_AARCH64, b"", 0, 283)  # bl f
    assert not is_branch(EM_AARCH64, b"", 0, 275)  # adrp x0, f


def test_addresses_without_relocations() -> None:
    code = bytes.fromhex("90488d05f8ffffff8d0dff")  # lea of itself; a cut instruction
    assert next(list_addresses(EM_X86_64, code)) == 0
    words = struct.pack("<III", 0xD503201F, 0x10FFFFE0, 0x70000001)  # nop; adr x0, .-4
    assert list(list_addresses(EM_AARCH64, words)) == [0, 11]


def test_other_machines_are_rejected() -> None:
    with pytest.raises(InputError, match="machine 190; expected x86-64 or aarch64"):
        check_machine(EM_CUDA)
