"""ELF files: the header, sections and segments, and the bytes at places in them.

Source: System V ABI (gABI 4.1).
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Callable
from functools import cached_property
from typing import Final, TypeVar

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from kbuild.errors import InputError
from kbuild.facts import Place, Section, Segment
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf import bounds as elf_bounds
from kbuild.formats.stream import open_stream

T = TypeVar("T")

ELF_MAGIC: Final = b"\x7fELF"
_ELF_CLASS: Final = 64
SHF_WRITE: Final = 1
SHF_ALLOC: Final = 2
SHF_EXECINSTR: Final = 4
SHF_MERGE: Final = 0x10
SHF_TLS: Final = 0x400
SHF_X86_64_LARGE: Final = 0x10000000

# What pyelftools raises on malformed input besides its own errors, found by fuzzing.
_MALFORMED: Final = (
    ELFError,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    TypeError,
    AssertionError,
    OverflowError,
    MemoryError,
)

_MACHINES: Final = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64", "EM_386": "i386"}
# Of the tables whose entries become values: some millions, far more than programs have.
_LARGEST_TABLE: Final = 1 << 27
SLOT: Final = 8


class ElfSections:
    """An ELF file as its headers describe it; `kbuild.formats.elf.file.Elf` reads its tables.

    ``file`` is pyelftools' view of it, ``allowance`` what may still be read.
    """

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        self.file = guard(lambda: ELFFile(open_stream(data)))
        header = self.file.header
        self.machine: str = _MACHINES.get(header["e_machine"], str(header["e_machine"]))
        is_64_bit = self.file.elfclass == _ELF_CLASS
        self.is_64_bit_little_endian = is_64_bit and self.file.little_endian
        self.allowance = elf_bounds.Allowance(len(self.data))
        if self.is_64_bit_little_endian:
            elf_bounds.check(self.data, self.allowance)

    @property
    def is_linked(self) -> bool:
        """Whether a linker has given it addresses."""
        return bool(self.file.header["e_type"] != "ET_REL")

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """All section headers, by index."""
        return guard(
            lambda: tuple(
                Section(
                    index=index,
                    name=section.name,
                    type=str(section["sh_type"]),
                    flags=section["sh_flags"],
                    address=section["sh_addr"],
                    offset=section["sh_offset"],
                    size=section["sh_size"],
                    alignment=section["sh_addralign"],
                    entry_size=section["sh_entsize"],
                    link=section["sh_link"],
                    info=section["sh_info"],
                )
                for index, section in enumerate(self.file.iter_sections())
            )
        )

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """All program headers."""
        return guard(
            lambda: tuple(
                Segment(
                    type=str(segment["p_type"]),
                    flags=segment["p_flags"],
                    address=segment["p_vaddr"],
                    offset=segment["p_offset"],
                    file_size=segment["p_filesz"],
                    memory_size=segment["p_memsz"],
                )
                for segment in self.file.iter_segments()
            )
        )

    def sections_named(self, name: str) -> tuple[Section, ...]:
        """All sections of that name; object files may have several."""
        return tuple(section for section in self.sections if section.name == name)

    def content(self, section: Section) -> bytes:
        """The section's bytes in the file; empty for NOBITS.

        Raises InputError when the section reaches past the end of the file.
        """
        if section.type == "SHT_NOBITS":
            return b""
        end = section.offset + section.size
        if end > len(self.data):
            raise InputError(
                f"section {section.name} ends at byte {end}, the file at {len(self.data)}"
            )
        check_size(section.size, f"section {section.name}")
        return bytes(self.data[section.offset : end])

    def view(self, section: Section) -> memoryview:
        """The section's bytes as far as the file has them, without copying; see `content`."""
        if section.type == "SHT_NOBITS":
            return self.data[:0]
        return self.data[section.offset : section.offset + section.size]

    def read(self, place: Place, size: int) -> bytes:
        """``size`` bytes from ``place``; raises InputError when they are not all there."""
        if not 0 <= place.section < len(self.sections):
            raise InputError(f"no section number {place.section}")
        self.allowance.take(size + SLOT)
        section = self.sections[place.section]
        inside = place.offset >= 0 and place.offset + size <= section.size
        if section.type == "SHT_NOBITS" and inside:
            return bytes(size)
        start = section.offset + place.offset
        if not inside or start + size > len(self.data):
            raise InputError(f"{size} bytes at {section.name}+{place.offset:#x} are not there")
        return bytes(self.data[start : start + size])

    def read_text(self, place: Place, limit: int = 1 << 16) -> str:
        """The NUL-terminated text at ``place``."""
        section = self.sections[place.section]
        content = self.view(section)
        text, end = b"", b""
        if 0 <= place.offset < len(content):
            part = bytes(content[place.offset : place.offset + limit])
            text, end, _ = part.partition(b"\0")
        if not end:
            raise InputError(f"no text at {section.name}+{place.offset:#x}")
        self.allowance.take(len(text) + SLOT)
        return text.decode("utf-8", "replace")

    @cached_property
    def _loaded(self) -> tuple[list[int], list[Section], list[int]]:
        """Loaded sections by their addresses, and the last at or before each with bytes."""
        sections = [s for s in self.sections if s.flags & SHF_ALLOC and not s.flags & SHF_TLS]
        sections.sort(key=lambda s: s.address)
        filled, last = [], -1
        for position, section in enumerate(sections):
            last = position if section.size else last
            filled.append(last)
        return [s.address for s in sections], sections, filled

    def locate(self, address: int) -> Place | None:
        """The place that ``address`` of a linked file lies in."""
        starts, sections, filled = self._loaded
        position = bisect.bisect_right(starts, address) - 1
        # An empty section has the place at its start; else it is in the way of none.
        for candidate in (position, filled[position]) if position >= 0 else ():
            section = sections[candidate]
            if candidate >= 0 and address < section.address + max(section.size, 1):
                return Place(section=section.index, offset=address - section.address)
        return None

    def address(self, place: Place) -> int:
        """The run-time address of ``place`` relative to the load base."""
        return self.sections[place.section].address + place.offset


def check_size(size: int, what: str) -> None:
    """Raise InputError where a table is too large to make values of."""
    if size > _LARGEST_TABLE:
        raise InputError(f"{what}: {size} bytes, more than the {_LARGEST_TABLE} that are read")


def guard(read: Callable[[], T]) -> T:
    """Run a reader; whatever malformed input makes it raise becomes an InputError."""
    try:
        return read()
    except InputError:
        raise
    except _MALFORMED as error:
        raise InputError(f"not a sound ELF file: {str(error) or type(error).__name__}") from error
