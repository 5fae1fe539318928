"""The program headers and section headers of a file that is written again.

Source: System V ABI (gABI 4.1), "Object Files" and "Program Header".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.elf.constants import EM_AARCH64, EM_X86_64, PN_XNUM, SHN_LORESERVE, SHT_NOBITS
from kbuild.formats.elf.headers import (
    SectionHeader,
    is_64_bit_little_endian,
    read_headers,
    read_machine,
)
from kbuild.values import dataclass

PT_LOAD: Final = 1
PT_PHDR: Final = 6

# The offsets of e_phoff, e_shoff, e_phnum, and e_shnum in the file header
PROGRAMS_AT: Final = 32
SECTIONS_AT: Final = 40
PROGRAM_COUNT_AT: Final = 56
SECTION_COUNT_AT: Final = 60

# The largest pages of the machine's Linux.
_PAGES: Final = {EM_X86_64: 1 << 12, EM_AARCH64: 1 << 16}
_PROGRAM: Final = struct.Struct("<IIQQQQQQ")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
PROGRAM_SIZE: Final = _PROGRAM.size
_OFFSET: Final = struct.Struct("<Q")
_COUNT: Final = struct.Struct("<H")


class ProgramHeader(NamedTuple):
    """An ELF program header."""

    type: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    memory_size: int
    alignment: int

    @property
    def end(self) -> int:
        """The end of its bytes in the file."""
        return self.offset + self.file_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """The tables of a linked file.

    ``page`` is the size of the largest pages of the machine. ``end`` is where the content ends:
    at the section headers if those are last, or else at the end of the file.
    """

    programs: tuple[ProgramHeader, ...]
    sections: tuple[SectionHeader, ...]
    page: int
    end: int

    @property
    def loads(self) -> tuple[ProgramHeader, ...]:
        """The segments that are loaded."""
        return tuple(program for program in self.programs if program.type == PT_LOAD)


def read_tables(data: memoryview) -> Tables:
    """Read the tables of a linked file.

    Raises:
        InputError: The file has another format, more headers than fit, or bytes behind its last
            section, whose readers could not find them any more.
    """
    if not is_64_bit_little_endian(data) or read_machine(data) not in _PAGES:
        raise InputError("not a 64-bit ELF file for x86-64 or AArch64")
    headers = read_headers(data, "file")
    (start,) = _OFFSET.unpack_from(data, PROGRAMS_AT)
    (count,) = _COUNT.unpack_from(data, PROGRAM_COUNT_AT)
    (sections_at,) = _OFFSET.unpack_from(data, SECTIONS_AT)
    sections = headers.sections
    if not 0 < count < PN_XNUM or not 0 < len(sections) < SHN_LORESERVE:
        raise InputError(f"unsupported numbers of headers: {count} and {len(sections)}")
    rows = _PROGRAM.iter_unpack(data[start : start + count * _PROGRAM.size])
    programs = tuple(map(ProgramHeader._make, rows))
    ends = [section.offset + section.size for section in sections if section.type != SHT_NOBITS]
    last = max(*ends, *(program.end for program in programs), start + count * _PROGRAM.size)
    table_end = sections_at + len(sections) * _SECTION.size
    # patchelf adds a zero.
    if any(data[max(last, table_end) :]):
        raise InputError("it has data behind its last section")
    return Tables(
        programs=programs,
        sections=sections,
        page=_PAGES[read_machine(data)],
        end=sections_at if last <= sections_at else len(data),
    )


def pack_programs(programs: Iterable[ProgramHeader]) -> bytes:
    """Return the bytes of program headers."""
    return b"".join(_PROGRAM.pack(*program) for program in programs)


def pack_sections(sections: Iterable[SectionHeader]) -> bytes:
    """Return the bytes of section headers."""
    return b"".join(_SECTION.pack(*section) for section in sections)


def pack_offset(offset: int) -> bytes:
    """Return the bytes of a file offset."""
    return _OFFSET.pack(offset)


def pack_count(count: int) -> bytes:
    """Return the bytes of a number of headers, or of the index of a section."""
    return _COUNT.pack(count)
