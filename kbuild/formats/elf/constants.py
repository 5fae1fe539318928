"""The numbers of the ELF specification that kbuild uses, under the names of ``elf.h``.

Sources: System V ABI (gABI 4.1), "Object Files"; x86-64 psABI 1.0, section 4.2.1.
"""

from __future__ import annotations

from typing import Final

ELF_MAGIC: Final = b"\x7fELF"

ET_REL: Final = 1

EM_X86_64: Final = 62
EM_AARCH64: Final = 183
EM_CUDA: Final = 190
EM_AMDGPU: Final = 224

SHT_PROGBITS: Final = 1
SHT_SYMTAB: Final = 2
SHT_RELA: Final = 4
SHT_NOTE: Final = 7
SHT_NOBITS: Final = 8
SHT_REL: Final = 9
SHT_DYNSYM: Final = 11
SHT_SYMTAB_SHNDX: Final = 18
# Not in elf.h: compact relocations of LLVM.
SHT_CREL: Final = 0x40000014

SHN_LORESERVE: Final = 0xFF00
SHN_XINDEX: Final = 0xFFFF

SHF_WRITE: Final = 1
SHF_ALLOC: Final = 2
SHF_EXECINSTR: Final = 4
SHF_MERGE: Final = 0x10
SHF_TLS: Final = 0x400
SHF_X86_64_LARGE: Final = 0x10000000

STB_WEAK: Final = 2

STT_OBJECT: Final = 1
STT_FUNC: Final = 2
STT_SECTION: Final = 3
STT_FILE: Final = 4
STT_TLS: Final = 6
# Not in elf.h: the type of variables in relocatable cubins.
STT_CUDA_OBJECT: Final = 13

PN_XNUM: Final = 0xFFFF
