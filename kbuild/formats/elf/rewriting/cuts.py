"""Find the pages that can leave a file, and divide segments around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kbuild.formats.buffer import align_up
from kbuild.formats.elf.rewriting.tables import PROGRAM_SIZE, PT_LOAD, ProgramHeader, Tables
from kbuild.values import dataclass

# A cut costs a mapping in each process. Smaller ones save little.
_LEAST: Final = 1 << 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """(start, end) of the bytes that leave the file, in order.

    ``table`` is (start, end) of the bytes for the program headers among those that nobody reads
    any more. They are a segment, and belong to no section. None if no place is large enough.
    """

    spans: tuple[tuple[int, int], ...] = ()
    table: tuple[int, int] | None = None

    def map(self, offset: int) -> int:
        """Return where a byte of the old file is in the new one."""
        return offset - sum(end - start for start, end in self.spans if end <= offset)

    def divide(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield what is left of a part of the file, without empty pieces and the new table."""
        table = () if self.table is None else (self.table,)
        for first, last in sorted((*self.spans, *table)):
            if first < end and start < last:
                if start < first:
                    yield start, first
                start = last
        if start < end:
            yield start, end


def find_cuts(tables: Tables, freed: Sequence[tuple[int, int]], *, has_room: bool) -> Cuts:
    """Find the pages that can leave the file.

    Args:
        tables: The tables of the file.
        freed: (start, end) of the bytes that nobody reads any more.
        has_room: Whether there is another place for the program headers.
    """
    found = [
        (start, _find_padding_end(tables, end, load), load)
        for start, end in unite(freed)
        if (load := _find_segment(tables, start, end))
    ]
    table = None
    if not has_room:
        # One more for the segment of the table, and one for bytes behind it.
        size = (len(tables.programs) + len(found) + 2) * PROGRAM_SIZE
        table = _find_room(tables.page, found, size)
        if table is None:
            return Cuts()
    pages = (_find_pages(tables.page, *each) for each in found)
    spans = tuple((start, end) for start, end in pages if end - start >= _LEAST)
    return Cuts(spans=spans, table=table) if spans else Cuts()


def unite(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, and those that follow each other as one."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and united[-1][1] == start:
            united[-1] = united[-1][0], end
        else:
            united.append((start, end))
    return united


def _find_room(
    page: int, found: list[tuple[int, int, ProgramHeader]], size: int
) -> tuple[int, int] | None:
    """Take whole pages for the program headers from the first span that has so many.

    It is the first one because offsets differ from addresses behind a cut. Before version 5.18,
    Linux does not find the program headers of an executable there.
    """
    for position, (start, end, load) in enumerate(found):
        first, last = _find_pages(page, start, end, load)
        behind = first + align_up(size, page)
        if behind <= last:
            found[: position + 1] = [(behind, end, load)]
            return first, behind
    return None


def _find_segment(tables: Tables, start: int, end: int) -> ProgramHeader | None:
    """Return the only segment that has these bytes, and maps them."""
    around = [p for p in tables.programs if p.offset < end and start < p.end]
    if len(around) != 1 or around[0].type != PT_LOAD:
        return None
    return around[0] if around[0].offset <= start and end <= around[0].end else None


def _find_padding_end(tables: Tables, end: int, load: ProgramHeader) -> int:
    """Return where the bytes behind a span end that belong to no section or other segment."""
    starts = [section.offset for section in tables.sections if section.offset >= end]
    starts += [program.offset for program in tables.programs if program.offset >= end]
    return min(*starts, load.end)


def _find_pages(page: int, start: int, end: int, load: ProgramHeader) -> tuple[int, int]:
    distance = load.address - load.offset
    return align_up(start + distance, page) - distance, (end + distance) // page * page - distance


def divide_segments(tables: Tables, cuts: Cuts) -> Iterator[ProgramHeader]:
    """Yield the program headers, with a loaded segment for each piece that is left of one."""
    for program in tables.programs:
        if program.type != PT_LOAD or not cuts.spans:
            yield program._replace(offset=cuts.map(program.offset))
            continue
        pieces = list(cuts.divide(program.offset, program.end))
        if cuts.table and program.offset <= cuts.table[0] < program.end:
            pieces = sorted((*pieces, cuts.table))
        for start, end in pieces:
            moved = start - program.offset
            is_last = end == program.end
            # Behind a cut, offsets are equal to addresses only modulo the size of a page.
            alignment = program.alignment if start < cuts.spans[0][0] else tables.page
            yield program._replace(
                offset=cuts.map(start),
                address=program.address + moved,
                physical=program.physical + moved,
                file_size=end - start,
                memory_size=program.memory_size - moved if is_last else end - start,
                alignment=alignment,
            )
