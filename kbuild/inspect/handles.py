"""Handles and stubs of a kernel target: the symbols behind the rows of its kernel table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kbuild.errors import InputError
from kbuild.facts import HandleFacts, Place, Pointer, Symbol
from kbuild.formats.elf import SHF_WRITE, Elf
from kbuild.inspect.modules import Target
from kbuild.model import KernelRecord

_Definitions: TypeAlias = dict[str, list[Symbol]]


def read_handles(elf: Elf, target: Target) -> tuple[HandleFacts, ...]:
    """What the file has for each row of the kernel table, in the order of the rows."""
    rows = target.record.kernels
    names = {row.handle for row in rows} | {row.stub for row in rows if row.stub}
    definitions = _find_definitions(elf, names)
    pointers: tuple[Pointer | None, ...] = (None,) * len(rows)
    if target.descriptor is not None:
        pointers = target.descriptor.handles
    return tuple(
        _read_handle(elf, row, pointer, definitions)
        for row, pointer in zip(rows, pointers, strict=True)
    )


def _find_definitions(elf: Elf, names: set[str]) -> _Definitions:
    """The defined symbols of these names, those of the full symbol table first."""
    found: _Definitions = {}
    for symbol in elf.symbols:
        if symbol.name in names and symbol.place:
            found.setdefault(symbol.name, []).append(symbol)
    for symbols in found.values():
        symbols.sort(key=lambda symbol: symbol.dynamic)
    return found


def _read_handle(
    elf: Elf, row: KernelRecord, registered: Pointer | None, definitions: _Definitions
) -> HandleFacts:
    target = registered.place if registered else None
    # Static kernels of two sources may share a name; the row tells which handle is its own.
    symbol = _pick(definitions.get(row.handle, ()), target)
    place = symbol.place if symbol else target
    content = _read_slot(elf, place)
    stub = None
    if row.stub:
        stub = _pick(definitions.get(row.stub, ()), content.place if content else None)
    return HandleFacts(
        kernel=row.handle,
        row=row,
        registered=registered,
        symbol=symbol,
        place=place,
        content=content,
        is_read_only=_is_read_only(elf, place),
        stub=stub,
    )


def _pick(symbols: Iterable[Symbol], wanted: Place | None) -> Symbol | None:
    """The symbol at the wanted place, else the first."""
    candidates = tuple(symbols)
    at_place = (symbol for symbol in candidates if symbol.place == wanted)
    return next(at_place, candidates[0] if candidates else None)


def _read_slot(elf: Elf, place: Place | None) -> Pointer | None:
    try:
        return elf.pointer_at(place) if place else None
    except InputError:
        # A symbol at the end of its section has no slot; the layout rule says so.
        return None


def _is_read_only(elf: Elf, place: Place | None) -> bool | None:
    if place is None or elf.type == "relocatable" or place.section >= len(elf.sections):
        return None
    if not elf.sections[place.section].flags & SHF_WRITE:
        return True
    address = elf.address(place)
    return any(
        segment.address <= address < segment.address + segment.memory_size
        for segment in elf.segments
        if segment.type == "PT_GNU_RELRO"
    )
