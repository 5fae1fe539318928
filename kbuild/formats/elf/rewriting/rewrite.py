"""Write a file with its changes, part by part."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.elf.constants import SHF_ALLOC, SHT_DYNSYM, SHT_PROGBITS, SHT_SYMTAB
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.headers import SectionHeader
from kbuild.formats.elf.rewriting.cuts import (
    Cuts,
    divide_segments,
    find_cuts,
    unite,
)
from kbuild.formats.elf.rewriting.edit import Addition, Edit, Patch
from kbuild.formats.elf.rewriting.tables import (
    PROGRAM_COUNT_AT,
    PROGRAM_SIZE,
    PROGRAMS_AT,
    PT_LOAD,
    PT_PHDR,
    SECTION_COUNT_AT,
    SECTIONS_AT,
    ProgramHeader,
    Tables,
    pack_count,
    pack_offset,
    pack_programs,
    pack_sections,
    read_tables,
)
from kbuild.values import replace

ALIGNMENT: Final = 8
# The section and the value of a symbol
_SYMBOL: Final = struct.Struct("<6xHQ8x")
_VALUE_AT: Final = 8
_PF_R: Final = 4
# The number of segments that additions need.
_ADDED: Final = 2
_CHUNK: Final = 1 << 20
_ZEROS: Final = bytes(_CHUNK)


def find_free_address(elf: Elf) -> int:
    """Return the address of the first byte that an addition to the file has.

    Raises:
        InputError: The file cannot have additions.
    """
    if elf.type != "shared-object":
        # The kernel of the system finds the program headers of an executable at a fixed distance
        # before version 5.18, and the heap follows its last segment.
        raise InputError("only a shared object can have a new segment")
    return _find_free(read_tables(elf.data))


def _find_free(tables: Tables) -> int:
    ends = (load.address + load.memory_size for load in tables.loads)
    return align_up(max(ends), max(tables.page, *(load.alignment for load in tables.loads)))


def find_obstacle(elf: Elf) -> str | None:
    """Return why no bytes can leave the file; None if they can."""
    try:
        tables = read_tables(elf.data)
    except InputError as error:
        return str(error)
    if elf.type == "shared-object" or _is_mapped_evenly(tables):
        return None
    return "the segments of the executable have different distances between offset and address"


def rewrite(elf: Elf, edit: Edit) -> Iterator[Buffer]:
    """Yield the parts of the file with its changes, in order.

    Raises:
        InputError: Bytes can neither leave the file nor be added (`find_obstacle`).
    """
    if not edit.freed and not edit.additions:
        return _join(elf.data, edit.patches, (), Cuts(), len(elf.data))
    tables = read_tables(elf.data)
    cuts = find_cuts(tables, edit.freed, has_room=bool(edit.additions))
    patches = (*edit.patches, *_move_symbols(elf.data, tables, edit))
    if not cuts.spans and not edit.additions:
        return _join(elf.data, patches, edit.freed, cuts, len(elf.data))
    return _write(elf.data, replace(edit, patches=patches), tables, cuts)


def _is_mapped_evenly(tables: Tables) -> bool:
    """Return whether addresses have the same distance from offsets in all segments.

    Before version 5.18, Linux expects that of the program headers of executables.
    """
    return len({load.address - load.offset for load in tables.loads if not load.flags & 2}) == 1


def _write(data: memoryview, edit: Edit, tables: Tables, cuts: Cuts) -> Iterator[Buffer]:
    programs = list(divide_segments(tables, cuts))
    sections = [section._replace(offset=cuts.map(section.offset)) for section in tables.sections]
    for index, size in edit.sizes:
        sections[index] = sections[index]._replace(size=size)
    end = cuts.map(tables.end)
    tail: list[Buffer] = []
    patches = list(edit.patches)
    if edit.additions:
        address = _find_free(tables)
        start = end + (address - end) % tables.page
        tail.append(bytes(start - end))
        stop = _place_additions(edit.additions, cuts, (start, address), sections, tail)
        # A segment of their own for the program headers: strip(1) can keep it as it is.
        table = start + align_up(stop - start, tables.page)
        tail.append(bytes(table - stop))
        added = [
            _make_segment(tables.page, start, address, stop - start),
            _make_segment(
                tables.page,
                table,
                address + table - start,
                (len(programs) + _ADDED) * PROGRAM_SIZE + ALIGNMENT,
            ),
        ]
        last = max(i for i, program in enumerate(programs) if program.type == PT_LOAD)
        programs[last + 1 : last + 1] = added
        tail.append(_pack_moved(programs, table) + bytes(ALIGNMENT))
        end = table + len(tail[-1])
    elif (where := cuts.table) is None:
        raise InputError("the file has no room for its program headers")
    else:
        table = cuts.map(where[0])
        content = _pack_moved(programs, table).ljust(where[1] - where[0], b"\0")
        patches.append(Patch(offset=where[0], content=content))
    sections.append(_make_anchor(programs, table))
    sections_at = align_up(end, ALIGNMENT)
    tail += [bytes(sections_at - end), pack_sections(sections)]
    patches += [
        Patch(offset=PROGRAMS_AT, content=pack_offset(table)),
        Patch(offset=SECTIONS_AT, content=pack_offset(sections_at)),
        Patch(offset=PROGRAM_COUNT_AT, content=pack_count(len(programs))),
        Patch(offset=SECTION_COUNT_AT, content=pack_count(len(sections))),
    ]
    yield from _join(data, patches, edit.freed, cuts, tables.end)
    yield from tail


def _make_segment(page: int, offset: int, address: int, size: int) -> ProgramHeader:
    return ProgramHeader(PT_LOAD, _PF_R, offset, address, address, size, size, page)


def _place_additions(
    additions: tuple[Addition, ...],
    cuts: Cuts,
    where: tuple[int, int],
    sections: list[SectionHeader],
    tail: list[Buffer],
) -> int:
    """Append the additions from (offset, address) on, and return where they end."""
    offset, address = where
    for addition in additions:
        header = sections[addition.section]
        for start, end in addition.remains:
            moved = cuts.map(start) - header.offset
            sections.append(
                header._replace(
                    offset=cuts.map(start), address=header.address + moved, size=end - start
                )
            )
        size = addition.size
        sections[addition.section] = header._replace(offset=offset, address=address, size=size)
        padding = -size % ALIGNMENT
        tail += [*addition.content, bytes(padding)]
        offset += size + padding
        address += size + padding
    return offset


def _move_symbols(data: memoryview, tables: Tables, edit: Edit) -> Iterator[Patch]:
    """Yield the new values of symbols whose part of a section has another address now."""
    targets = {(section, old): new for section, old, new in edit.symbols}
    for section in tables.sections if targets else ():
        if section.type not in (SHT_SYMTAB, SHT_DYNSYM):
            continue
        whole = section.size - section.size % _SYMBOL.size
        rows = _SYMBOL.iter_unpack(data[section.offset : section.offset + whole])
        for position, (index, value) in enumerate(rows):
            if (index, value) in targets:
                where = section.offset + position * _SYMBOL.size + _VALUE_AT
                yield Patch(offset=where, content=pack_offset(targets[index, value]))


def _make_anchor(programs: list[ProgramHeader], table: int) -> SectionHeader:
    """Return an unnamed section of zeros behind the program headers.

    strip(1) and objcopy(1) place a segment without any section at an offset that is not aligned.
    """
    used = table + len(programs) * PROGRAM_SIZE
    load = next(p for p in programs if p.type == PT_LOAD and p.offset <= table < p.end)
    return SectionHeader(
        name=0,
        type=SHT_PROGBITS,
        flags=SHF_ALLOC,
        address=load.address + used - load.offset,
        offset=used,
        size=ALIGNMENT,
        link=0,
        info=0,
        alignment=ALIGNMENT,
        entry_size=0,
    )


def _pack_moved(programs: list[ProgramHeader], table: int) -> bytes:
    """Return the program headers at an offset of the file, with an entry for themselves."""
    size = len(programs) * PROGRAM_SIZE
    load = next(p for p in programs if p.type == PT_LOAD and p.offset <= table < p.end)
    address = load.address + table - load.offset
    return pack_programs(
        program._replace(
            offset=table, address=address, physical=address, file_size=size, memory_size=size
        )
        if program.type == PT_PHDR
        else program
        for program in programs
    )


def _join(
    data: memoryview,
    patches: Iterable[Patch],
    freed: Iterable[tuple[int, int]],
    cuts: Cuts,
    end: int,
) -> Iterator[Buffer]:
    """Yield the content of the file up to ``end``, with patches, zeros, and without cuts."""
    changes: list[tuple[int, int, Buffer | None]] = [
        (patch.offset, patch.offset + len(patch.content), patch.content) for patch in patches
    ]
    changes += [(*part, None) for span in unite(freed) for part in cuts.divide(*span)]
    changes += [(*cut, b"") for cut in cuts.spans]
    position = 0
    for start, stop, content in sorted(changes, key=lambda change: change[:2]):
        if start < position or stop > end:
            raise InputError(f"two changes at byte {start:#x} of the file")
        yield data[position:start]
        if content is None:
            yield from _iterate_zeros(stop - start)
        else:
            yield content
        position = stop
    yield data[position:end]


def _iterate_zeros(size: int) -> Iterator[Buffer]:
    for start in range(0, size, _CHUNK):
        yield _ZEROS[: min(_CHUNK, size - start)]
