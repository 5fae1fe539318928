"""ELF files: sections, symbols, and pointers resolved through relocations.

The only importer of pyelftools besides :mod:`kbuild.formats.dwarf`.  Sources: System V
ABI (gABI 4.1), x86-64 psABI 1.0, ELF for the Arm 64-bit Architecture.
"""

from __future__ import annotations

import bisect
import itertools
import struct
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final, Literal, TypeVar

from elftools.common.exceptions import ELFError
from elftools.construct.lib.container import Container
from elftools.elf.elffile import ELFFile
from elftools.elf.enums import ENUM_D_TAG_COMMON
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.relocation import RelrRelocationSection
from elftools.elf.sections import SymbolTableSection

from kbuild.errors import InputError
from kbuild.facts import Place, Pointer, Section, Segment, Symbol
from kbuild.formats import elf_bounds
from kbuild.formats.buffer import Buffer
from kbuild.formats.relocation import Relocation, RelocationKind, kind_of, read_entries
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

_SYMBOL_TYPES: Final[dict[str, Any]] = {
    "STT_NOTYPE": "none",
    "STT_OBJECT": "object",
    "STT_FUNC": "function",
    "STT_SECTION": "section",
    "STT_FILE": "file",
    "STT_TLS": "tls",
}
_BINDINGS: Final[dict[str, Any]] = {
    "STB_LOCAL": "local",
    "STB_GLOBAL": "global",
    "STB_WEAK": "weak",
    "STB_LOOS": "unique",  # STB_GNU_UNIQUE
}
_MACHINES: Final = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64", "EM_386": "i386"}

# SHT_REL entries have no addend field; what is in place counts, and nobody here asks.
_RELOCATION_TABLES: Final = {"SHT_RELA": True, "SHT_REL": False}
# Of an entry of .gnu.version_r, for a library or for a version.
_VERSION_SIZE: Final = 16
# Of the tables whose entries become values: some millions, far more than programs have.
_LARGEST_TABLE: Final = 1 << 27
_SLOT: Final = 8

_NAME_TAGS: Final = frozenset({"DT_NEEDED", "DT_SONAME", "DT_RPATH", "DT_RUNPATH"})
_DT_NULL: Final = 0
_TAGS: Final[dict[int, str]] = {value: name for name, value in ENUM_D_TAG_COMMON.items()}
_TAG: Final = struct.Struct("<qQ")

FileType = Literal["relocatable", "shared-object", "executable", "other"]


class Elf:
    """An ELF file opened for reading.

    Raises :class:`InputError` with what is wrong when the bytes are no sound ELF file;
    attribute access may raise it too, because tables are read when first asked for.
    """

    def __init__(self, data: Buffer) -> None:
        self.data = memoryview(data)
        self._file = guard(lambda: ELFFile(open_stream(data)))
        header = self._file.header
        self.machine: str = _MACHINES.get(header["e_machine"], str(header["e_machine"]))
        is_64_bit = self._file.elfclass == _ELF_CLASS
        self.is_64_bit_little_endian = is_64_bit and self._file.little_endian
        self._allowance = elf_bounds.Allowance(len(self.data))
        if self.is_64_bit_little_endian:
            elf_bounds.check(self.data, self._allowance)

    @cached_property
    def type(self) -> FileType:
        """``shared-object`` for libraries, ``executable`` for programs, PIE included."""
        kind = self._file.header["e_type"]
        if kind == "ET_REL":
            return "relocatable"
        if kind == "ET_EXEC":
            return "executable"
        if kind == "ET_DYN":
            # A PIE names its dynamic loader, a library does not; libc.so.6 does too but
            # carries no DF_1_PIE.
            has_loader = any(s.type == "PT_INTERP" for s in self.segments)
            return "executable" if has_loader and self._is_pie() else "shared-object"
        return "other"

    def _is_pie(self) -> bool:
        flags = [v for tag, v in self.dynamic if tag == "DT_FLAGS_1"]
        is_marked = any(value & 0x08000000 for value in flags)
        has_soname = any(tag == "DT_SONAME" for tag, _ in self.dynamic)
        return is_marked or not has_soname

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
                for index, section in enumerate(self._file.iter_sections())
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
                for segment in self._file.iter_segments()
            )
        )

    @cached_property
    def dynamic(self) -> tuple[tuple[str, int], ...]:
        """The dynamic section as (tag, value) pairs; empty where there is none."""
        section = self._dynamic_section
        if section is None:
            return ()
        content = self.content(section)
        found: list[tuple[str, int]] = []
        for tag, value in _TAG.iter_unpack(content[: len(content) // _TAG.size * _TAG.size]):
            if tag == _DT_NULL:
                break
            found.append((_TAGS.get(tag, str(tag)), value))
        return tuple(found)

    @property
    def _dynamic_section(self) -> Section | None:
        return next((s for s in self.sections_named(".dynamic") if s.type == "SHT_DYNAMIC"), None)

    @cached_property
    def dynamic_names(self) -> tuple[tuple[str, str], ...]:
        """The (tag, name) pairs of the dynamic section: libraries and where to look for them."""
        # Not pyelftools' tags: those read their names at once, which forged ones may share.
        section = self._dynamic_section
        names = [(tag, value) for tag, value in self.dynamic if tag in _NAME_TAGS]
        if section is None or not names:
            return ()
        if section.link >= len(self.sections):
            raise InputError("the dynamic section has no table of names")
        return tuple(
            (tag, self.read_text(Place(section=section.link, offset=value))) for tag, value in names
        )

    @cached_property
    def needed_versions(self) -> tuple[tuple[str, str], ...]:
        """The (library, symbol version) pairs that the file needs, as GNU tools write them."""

        def read() -> tuple[tuple[str, str], ...]:
            section = self._file.get_section_by_name(".gnu.version_r")
            if not isinstance(section, GNUVerNeedSection):
                return ()
            # Counts in a damaged file are anything, and its chains may be circles.
            most = section["sh_size"] // _VERSION_SIZE
            pairs = (
                (str(library.name), str(version.name))
                for library, versions in itertools.islice(section.iter_versions(), most)
                for version in versions
            )
            found: list[tuple[str, str]] = []
            for pair in itertools.islice(pairs, most):
                self._allowance.take(sum(map(len, pair)))
                found.append(pair)
            return tuple(found)

        return guard(read)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of ``.symtab`` and ``.dynsym``, in the order of the file."""
        return tuple(symbol for table in self._symbol_tables.values() for symbol in table)

    @cached_property
    def _symbol_tables(self) -> dict[int, tuple[Symbol, ...]]:
        """The symbols by the index of their section, in the order of the file."""

        def read() -> dict[int, tuple[Symbol, ...]]:
            tables = (s for s in self.sections if s.type in ("SHT_SYMTAB", "SHT_DYNSYM"))
            _check_size(sum(section.size for section in tables), "symbols")
            return {
                index: tuple(
                    self._symbol(symbol.name, symbol.entry, section["sh_type"] == "SHT_DYNSYM")
                    for symbol in section.iter_symbols()
                )
                for index, section in enumerate(self._file.iter_sections())
                if isinstance(section, SymbolTableSection)
            }

        return guard(read)

    def _symbol(self, name: str, entry: Container, is_dynamic: bool) -> Symbol:
        self._allowance.take(len(name))
        index = entry["st_shndx"]
        place = None
        if isinstance(index, int):
            if index >= len(self.sections):
                raise InputError(
                    f"symbol {name!r} lies in section {index}, the file has {len(self.sections)}"
                )
            offset = entry["st_value"]
            if self._is_linked:
                offset -= self.sections[index].address
            place = Place(section=index, offset=offset)
        visibility: Any = str(entry["st_other"]["visibility"]).removeprefix("STV_").lower()
        return Symbol(
            name=name,
            type=_SYMBOL_TYPES.get(entry["st_info"]["type"], "other"),
            binding=_BINDINGS.get(entry["st_info"]["bind"], "other"),
            visibility=visibility,
            size=entry["st_size"],
            value=entry["st_value"],
            place=place,
            dynamic=is_dynamic,
        )

    @property
    def _is_linked(self) -> bool:
        return bool(self._file.header["e_type"] != "ET_REL")

    @cached_property
    def has_symbol_table(self) -> bool:
        """Whether ``.symtab`` is there, that is, whether the file is not stripped."""
        return any(section.type == "SHT_SYMTAB" for section in self.sections)

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
        _check_size(section.size, f"section {section.name}")
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
        self._allowance.take(size + _SLOT)
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
        self._allowance.take(len(text) + _SLOT)
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

    def relocations(
        self, kinds: frozenset[RelocationKind] | None = None, within: Section | None = None
    ) -> Iterator[Relocation]:
        """The relocations of these kinds (all when None) in what is loaded, packed ones last.

        Debug information has most of an object's relocations and none that matter here.
        Those ``within`` one section are found faster.
        """
        for section in self.sections:
            has_addend = _RELOCATION_TABLES.get(section.type)
            if has_addend is None or not self._fills_memory(section):
                continue
            if self._is_linked or within is None or section.info == within.index:
                yield from self._section_relocations(section, has_addend, kinds, within)
        if kinds is None or "relative" in kinds:
            yield from (
                relocation
                for relocation in self._packed_relocations
                if within is None or relocation.place.section == within.index
            )

    def _section_relocations(
        self,
        section: Section,
        has_addend: bool,
        kinds: frozenset[RelocationKind] | None,
        within: Section | None,
    ) -> Iterator[Relocation]:
        symbols = self._symbol_tables.get(section.link, ())
        first, end = 0, 1 << 64
        if within is not None and self._is_linked:
            first, end = within.address, within.address + within.size
        for offset, number, index, addend in read_entries(self.content(section), has_addend):
            if not first <= offset < end:
                continue
            kind = kind_of(self.machine, number)
            # Before anything else: large programs have millions of the others.
            if kinds is not None and kind not in kinds:
                continue
            place = self._place_of(section, offset)
            if place is not None:
                symbol = symbols[index] if 0 < index < len(symbols) else None
                yield Relocation(place=place, kind=kind, symbol=symbol, addend=addend)

    def _fills_memory(self, section: Section) -> bool:
        if self._is_linked:
            return True
        is_there = section.info < len(self.sections)
        return is_there and bool(self.sections[section.info].flags & SHF_ALLOC)

    def _place_of(self, section: Section, offset: int) -> Place | None:
        if self._is_linked:
            return self.locate(offset)
        return Place(section=section.info, offset=offset)

    @cached_property
    def _packed_relocations(self) -> tuple[Relocation, ...]:
        return guard(lambda: tuple(self._iterate_packed()))

    def _iterate_packed(self) -> Iterator[Relocation]:
        # A word stands for up to 63 slots, each of which is there once.
        left = len(self.data) // _SLOT
        for section in self._file.iter_sections():
            if isinstance(section, RelrRelocationSection):
                for relocation in section.iter_relocations():
                    left -= 1
                    if left < 0:
                        raise InputError("more relocations than the file has room for")
                    place = self.locate(relocation["r_offset"])
                    if place is not None:
                        value = struct.unpack("<Q", self.read(place, 8))[0]
                        yield Relocation(place=place, kind="relative", symbol=None, addend=value)

    def _relocation_at(self, place: Place) -> Relocation | None:
        found = self._relocated.get(place.section)
        if found is None:
            is_there = place.section < len(self.sections)
            within = self.sections[place.section] if is_there else None
            relocations = self.relocations(within=within) if within else ()
            found = self._relocated[place.section] = {r.place: r for r in relocations}
        return found.get(place)

    @cached_property
    def _relocated(self) -> dict[int, dict[Place, Relocation]]:
        """The relocations in each section that somebody asked about."""
        return {}

    def pointer_at(self, place: Place) -> Pointer:
        """What the pointer-sized slot at ``place`` holds once the file is loaded.

        A relocation wins over the bytes in place: lld writes only the relocation.
        """
        relocation = self._relocation_at(place)
        if relocation is None:
            value = struct.unpack("<Q", self.read(place, 8))[0]
            target = self.locate(value) if self._is_linked and value else None
            return Pointer(place=target)
        self._allowance.take(_SLOT)
        if relocation.kind == "relative":
            return Pointer(place=self.locate(relocation.addend))
        symbol, target = relocation.symbol, relocation.target
        name = symbol.name if symbol else None
        if target is None:
            return Pointer(symbol=name or None)
        is_dynamic = symbol is not None and symbol.dynamic
        return Pointer(place=target, symbol=name or None, interposable=is_dynamic)

    def distance_target(self, place: Place) -> Place | None:
        """The place that a signed 64-bit distance at ``place`` leads to.

        The distance counts from its own address; in an object file a PC-relative
        relocation stands for it.  None where it leads nowhere.
        """
        relocation = self._relocation_at(place)
        if relocation is not None:
            return relocation.target
        distance = struct.unpack("<q", self.read(place, 8))[0]
        if distance == 0 or not self._is_linked:
            return None
        return self.locate(self.address(place) + distance)


def _check_size(size: int, what: str) -> None:
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
