"""Find the handles and debug stubs of kernel targets: the symbols of their kernel tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from kbuild.errors import InputError
from kbuild.facts import HandleFacts, Place, Pointer, Symbol
from kbuild.formats.elf.constants import SHF_EXECINSTR, SHF_WRITE
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.modules import Target
from kbuild.model import KernelRecord

# Symbols by name, then by place; those of the full symbol table come first. Both are needed for
# speed, because a forged file can have a hundred thousand symbols of one name.
_Definitions: TypeAlias = dict[str, dict[Place | None, Symbol]]

# The start of the code that handles of explicit instances contain, for x86-64 and aarch64; see
# templates/instance.j2.
_CODE: Final = frozenset((bytes.fromhex("f30f1efa488d3d05"), bytes.fromhex("5f2403d540000010")))


def list_names(targets: Iterable[Target]) -> frozenset[str]:
    """Return the names of all handles and stubs in the kernel tables."""
    rows = tuple(row for target in targets for row in target.record.kernels)
    instances = {row.device_name for row in rows if row.linkage == "weak"}
    return frozenset({row.handle for row in rows} | {r.stub for r in rows if r.stub} | instances)


def read_handles(
    elf: Elf, targets: Sequence[Target], symbols: Iterable[Symbol]
) -> tuple[HandleFacts, ...]:
    """Return the handle of each row of the kernel tables, in the order of the rows."""
    definitions = _find_definitions(symbols, list_names(targets))
    return tuple(handle for target in targets for handle in _read_table(elf, target, definitions))


def _read_table(elf: Elf, target: Target, definitions: _Definitions) -> Iterable[HandleFacts]:
    rows = target.record.kernels
    pointers: tuple[Pointer | None, ...] = (None,) * len(rows)
    if target.descriptor is not None:
        pointers = target.descriptor.handles
    for row, pointer in zip(rows, pointers, strict=True):
        yield _read_handle(elf, row, pointer, definitions)


def _find_definitions(symbols: Iterable[Symbol], names: frozenset[str]) -> _Definitions:
    found: _Definitions = {}
    defined = [symbol for symbol in symbols if symbol.name in names and symbol.place]
    for symbol in sorted(defined, key=lambda symbol: symbol.dynamic):
        found.setdefault(symbol.name, {}).setdefault(symbol.place, symbol)
    return found


def _read_handle(
    elf: Elf, row: KernelRecord, registered: Pointer | None, definitions: _Definitions
) -> HandleFacts:
    target = registered.place if registered else None
    # Static kernels of two sources can share a name. The row says which handle is its own.
    symbol = _pick(definitions.get(row.handle), target)
    if symbol is None and row.linkage == "weak":
        # Two sources of a target have one handle of an explicit instance.
        symbol = definitions.get(row.device_name, {}).get(target)
    place = symbol.place if symbol else target
    has_code = row.linkage == "weak" and _has_code(elf, place)
    content = None if has_code else _read_slot(elf, place)
    stub = None
    if row.stub:
        stub = _pick(definitions.get(row.stub), content.place if content else None)
    return HandleFacts(
        kernel=row.handle,
        row=row,
        registered=registered,
        symbol=symbol,
        place=place,
        content=content,
        is_read_only=_is_read_only(elf, place),
        stub=stub,
        has_code=has_code,
    )


def _pick(symbols: dict[Place | None, Symbol] | None, preferred: Place | None) -> Symbol | None:
    """Return the symbol at ``preferred``, or the first one if none is there."""
    if not symbols:
        return None
    return symbols.get(preferred) or next(iter(symbols.values()))


def _has_code(elf: Elf, place: Place | None) -> bool:
    """Return whether the place starts with the code that reports calls of a kernel."""
    if place is None or place.section >= len(elf.sections):
        return False
    (length,) = {len(code) for code in _CODE}
    try:
        start = bytes(elf.read(place, length))
    except InputError:
        return False
    return start in _CODE and bool(elf.sections[place.section].flags & SHF_EXECINSTR)


def _read_slot(elf: Elf, place: Place | None) -> Pointer | None:
    try:
        return elf.pointer_at(place) if place else None
    except InputError:
        # The symbol is at the end of its section. The rule on handle layout reports this.
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
