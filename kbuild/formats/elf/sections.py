"""The sections and segments of ELF files, and the bytes at places in them.

Source: System V ABI (gABI 4.1).
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Callable, Container
from functools import cached_property
from typing import BinaryIO, Final, TypeVar

from elftools.common.exceptions import DWARFError, ELFError
from elftools.elf import sections as elftools_sections
from elftools.elf.elffile import ELFFile

from kbuild.errors import InputError
from kbuild.facts import Place, Section, Segment
from kbuild.formats.buffer import Buffer, open_stream, read_text
from kbuild.formats.elf.constants import SHF_ALLOC, SHF_TLS
from kbuild.formats.elf.headers import Allowance, check_sections, read_headers

T = TypeVar("T")

_ELF_CLASS: Final = 64

# The exceptions that pyelftools raises for malformed input besides its own; found by fuzzing.
_MALFORMED: Final = (
    ELFError,
    DWARFError,
    struct.error,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    TypeError,
    AssertionError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RecursionError,  # entries that refer to each other in a circle
)

_MACHINES: Final = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64", "EM_386": "i386"}
# The limit for tables whose entries become values: some millions, far more than programs have.
_LARGEST_TABLE: Final = 1 << 27
SLOT: Final = 8


class SectionFile(ELFFile):
    """A file of pyelftools that reads the header of each section once, not at each iteration."""

    def __init__(self, stream: BinaryIO) -> None:
        self._known: dict[int, elftools_sections.Section] = {}
        super().__init__(stream)

    def get_section(
        self,
        n: int,
        type: Container[str] | None = None,  # noqa: A002 - pyelftools' signature
    ) -> elftools_sections.Section:
        """Return a section; see pyelftools."""
        found = self._known.get(n)
        if found is None or type is not None:
            found = super().get_section(n, type)
            self._known[n] = found
        return found


class ElfSections:
    """The header, sections, and segments of an ELF file.

    `kbuild.formats.elf.file.Elf` adds symbols, relocations, and the dynamic section. ``file`` is
    the pyelftools object, ``allowance`` limits what can still be read.
    """

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        self.file = guard(lambda: SectionFile(open_stream(data)))
        header = self.file.header
        self.machine: str = _MACHINES.get(header["e_machine"], str(header["e_machine"]))
        is_64_bit = self.file.elfclass == _ELF_CLASS
        self.is_64_bit_little_endian = is_64_bit and self.file.little_endian
        self.allowance = Allowance(len(self.data))
        if self.is_64_bit_little_endian:
            check_sections(self.data, read_headers(self.data, "file"), self.allowance)

    @property
    def is_linked(self) -> bool:
        """Whether a linker has assigned addresses."""
        return bool(self.file.header["e_type"] != "ET_REL")

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections, by index."""
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
        """All segments."""
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
        """Return all sections with this name. Object files can have several."""
        return tuple(section for section in self.sections if section.name == name)

    def content(self, section: Section) -> bytes:
        """Return a copy of the bytes of a section; empty for a NOBITS section.

        Raises:
            InputError: The section ends after the end of the file, or is too large.
        """
        if section.type == "SHT_NOBITS":
            return b""
        end = section.offset + section.size
        if end > len(self.data):
            raise InputError(
                f"section {section.name} ends at byte {end}, "
                f"but the file ends at byte {len(self.data)}"
            )
        check_size(section.size, f"section {section.name}")
        return bytes(self.data[section.offset : end])

    def view(self, section: Section) -> memoryview:
        """Return the bytes of a section without copying, as far as the file contains them."""
        if section.type == "SHT_NOBITS":
            return self.data[:0]
        return self.data[section.offset : section.offset + section.size]

    def read(self, place: Place, size: int) -> bytes:
        """Return ``size`` bytes from ``place``.

        Raises:
            InputError: Some of the bytes are outside the section or the file.
        """
        if not 0 <= place.section < len(self.sections):
            raise InputError(f"section {place.section} does not exist")
        self.allowance.take(size + SLOT)
        section = self.sections[place.section]
        inside = place.offset >= 0 and place.offset + size <= section.size
        if section.type == "SHT_NOBITS" and inside:
            return bytes(size)
        start = section.offset + place.offset
        if not inside or start + size > len(self.data):
            raise InputError(
                f"{size} bytes at {section.name}+{place.offset:#x} are outside the section"
            )
        return bytes(self.data[start : start + size])

    def read_text(self, place: Place, limit: int = 1 << 16) -> str:
        """Return the NUL-terminated text at ``place``.

        Raises:
            InputError: The place is outside its section, or the text has no end.
        """
        section = self.sections[place.section]
        text = read_text(self.view(section), place.offset, limit)
        if text is None:
            raise InputError(f"no text at {section.name}+{place.offset:#x}")
        self.allowance.take(len(text) + SLOT)
        return text

    @cached_property
    def _loaded(self) -> tuple[list[int], list[Section], list[int]]:
        """The loaded sections in the order of their addresses.

        The first list contains the addresses. The last list contains, for each section, the
        position of the last non-empty section up to it, or -1.
        """
        sections = [s for s in self.sections if s.flags & SHF_ALLOC and not s.flags & SHF_TLS]
        sections.sort(key=lambda s: s.address)
        filled, last = [], -1
        for position, section in enumerate(sections):
            last = position if section.size else last
            filled.append(last)
        return [s.address for s in sections], sections, filled

    def locate(self, address: int) -> Place | None:
        """Return the place of ``address`` in a linked file; None if no section contains it."""
        starts, sections, filled = self._loaded
        position = bisect.bisect_right(starts, address) - 1
        # An empty section contains only its own start. Behind it, the last non-empty one counts.
        for candidate in (position, filled[position]) if position >= 0 else ():
            section = sections[candidate]
            if candidate >= 0 and address < section.address + max(section.size, 1):
                return Place(section=section.index, offset=address - section.address)
        return None

    def address(self, place: Place) -> int:
        """Return the run-time address of ``place``, relative to the load base."""
        return self.sections[place.section].address + place.offset


def check_size(size: int, what: str) -> None:
    """Check that a table is small enough for its entries to become values.

    Raises:
        InputError: The table is too large.
    """
    if size > _LARGEST_TABLE:
        raise InputError(f"{what} has {size} bytes; the limit is {_LARGEST_TABLE}")


def guard(read: Callable[[], T]) -> T:
    """Call ``read`` and convert every exception that malformed input causes to `InputError`."""
    try:
        return read()
    except InputError:
        raise
    except _MALFORMED as error:
        raise InputError(f"not a valid ELF file: {str(error) or type(error).__name__}") from error
