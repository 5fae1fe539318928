"""The file header and the section table of 64-bit little-endian ELF files, checked for bounds.

A few hundred bytes can declare billions of sections, or thousands of sections that each
contain the whole file. In a valid file, sections do not overlap and table entries have their
standard sizes, so the amount of data to read stays near the size of the file. Both ELF readers
start here: `kbuild.formats.elf.device` reads images from these tables, and
`kbuild.formats.elf.sections` checks a host file before pyelftools reads it.

Source: System V ABI (gABI 4.1), "Object Files".
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import partial
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC, PN_XNUM, SHN_XINDEX, SHT_NOBITS

# Linkers let a few sections overlap.
BYTES_PER_BYTE: Final = 2
LONGEST_NAME: Final = 1 << 16

# OS ABI and its version, type, machine, version, offsets of the program and section headers,
# flags, entry size and number of both, and the index of the section that contains the names
_HEADER: Final = struct.Struct("<7xBB7xHHI8xQQI2xHHHHH")
HEADER_SIZE: Final = _HEADER.size
_IDENTIFICATION: Final = b"\x7fELF\x02\x01\x01"
_MACHINE: Final = slice(18, 20)
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SEGMENT_SIZE: Final = 56
# Nearly all names end within this many bytes.
_SHORT_NAME: Final = 256


# Named tuples, not dataclasses: the images of a library have half a million sections.
class SectionHeader(NamedTuple):
    """An ELF section header. ``name`` is an offset in the section names."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


# `SectionHeader._make` without its check of the length, which takes a quarter of the time.
_create_section: Final = partial(tuple.__new__, SectionHeader)


class Headers(NamedTuple):
    """The file header of an ELF file and its section table.

    ``names`` is the index of the section that contains the section names.
    """

    os_abi: int
    abi_version: int
    type: int
    version: int
    flags: int
    sections: tuple[SectionHeader, ...]
    names: int


class Allowance:
    """Limits the total size of the names and values that are read from one file.

    Names can share their bytes, and slots can be read more than once, but not without a limit.
    """

    _PER_BYTE: Final = 16
    _AT_LEAST: Final = 1 << 16

    def __init__(self, size: int) -> None:
        self._left = self._PER_BYTE * size + self._AT_LEAST

    def take(self, size: int) -> None:
        """Count ``size`` bytes.

        Raises:
            InputError: The total exceeds the limit.
        """
        self._left -= size
        if self._left < 0:
            raise InputError("the names and tables of the ELF file are larger than the file")


def is_elf_for(content: Buffer, machine: int) -> bool:
    """Return whether ``content`` starts like an ELF file for ``machine`` (an ``EM_`` number)."""
    return bytes(content[: len(ELF_MAGIC)]) == ELF_MAGIC and read_machine(content) == machine


def read_machine(content: Buffer) -> int:
    """Return the machine (an ``EM_`` number) for which an ELF file is; any number for others."""
    return int.from_bytes(bytes(content[_MACHINE]), "little")


def is_64_bit_little_endian(content: Buffer) -> bool:
    """Return whether ``content`` starts like a 64-bit little-endian ELF file."""
    return bytes(content[: len(_IDENTIFICATION)]) == _IDENTIFICATION


def read_headers(view: memoryview, subject: str) -> Headers:
    """Read the file header and the section table of a 64-bit little-endian ELF file.

    Args:
        view: The file.
        subject: The name of the file in error messages, for example ``cubin``.

    Raises:
        InputError: The file is cut off, or a table has an invalid entry size or extends past
            the end of the file.
    """
    if len(view) < HEADER_SIZE:
        raise InputError(f"the {subject} is cut off in its ELF header")
    os_abi, abi_version, kind, _, version, *tables = _HEADER.unpack_from(view)
    segments, start, flags, segment_size, segment_count, entry_size, count, names = tables
    sections: tuple[SectionHeader, ...] = ()
    if start:
        if entry_size != _SECTION.size:
            raise InputError(f"section headers of {entry_size} bytes; expected {_SECTION.size}")
        if count == 0:
            # The number does not fit in the header; it is the size of the first section.
            _check_table(view, start, _SECTION.size, "the first section header", subject)
            count = SectionHeader._make(_SECTION.unpack_from(view, start)).size
        size = count * _SECTION.size
        _check_table(view, start, size, "the section headers", subject)
        rows = _SECTION.iter_unpack(view[start : start + size])
        sections = tuple(map(_create_section, rows))
    if segment_count:
        if segment_size != _SEGMENT_SIZE:
            raise InputError(f"program headers of {segment_size} bytes; expected {_SEGMENT_SIZE}")
        if segment_count == PN_XNUM and sections:
            segment_count = sections[0].info
        size = segment_count * _SEGMENT_SIZE
        _check_table(view, segments, size, "the program headers", subject)
    if names == SHN_XINDEX and sections:
        names = sections[0].link
    return Headers(os_abi, abi_version, kind, version, flags, sections, names)


def _check_table(view: memoryview, start: int, size: int, what: str, subject: str) -> None:
    if start + size > len(view):
        raise InputError(
            f"{what} end at byte {start + size}, but the {subject} ends at byte {len(view)}"
        )


def check_sections(view: memoryview, headers: Headers, allowance: Allowance) -> None:
    """Check that a reader can safely read every section and every section name.

    Raises:
        InputError: The sections overlap, or a name has no end or exceeds the allowance.
    """
    if sum(_stored_sizes(view, headers.sections[1:])) > BYTES_PER_BYTE * len(view):
        raise InputError("the sections of the ELF file overlap")
    if headers.names < len(headers.sections):
        strings = headers.sections[headers.names].offset
        for section in headers.sections:
            allowance.take(_name_length(view, strings + section.name))


def _stored_sizes(view: memoryview, sections: Iterable[SectionHeader]) -> Iterable[int]:
    """Yield how many bytes of the file each section contains."""
    for section in sections:
        if section.type != SHT_NOBITS:
            yield max(min(section.size, len(view) - section.offset), 0)


def _name_length(view: memoryview, start: int) -> int:
    if start >= len(view):
        return 0
    for longest in (_SHORT_NAME, LONGEST_NAME):
        length = bytes(view[start : start + longest]).find(b"\0")
        if length >= 0:
            return length
    raise InputError(f"the section name at byte {start} has no end")
