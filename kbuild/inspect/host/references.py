"""Find the uses of symbols that might be kernels, and the facts of the dynamic section.

A file does not say which of its undefined symbols are kernels in other files. So each undefined
symbol that is called, copied, or stored in four bytes counts as a reference. Of the symbols that
the file defines, only its own handles and stubs count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from kbuild.errors import InputError
from kbuild.facts import DynamicFacts, HandleFacts, Place, Reference, ReferenceKind
from kbuild.formats.elf.constants import SHF_EXECINSTR
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind

T = TypeVar("T")

_LINKED: Final[frozenset[RelocationKind]] = frozenset({"copy", "jump-slot"})
_OBJECT: Final[frozenset[RelocationKind]] = frozenset(
    {"branch", "pc-relative-32", "got-slot", "absolute-32"}
)
_REFERENCE_KINDS: Final[dict[RelocationKind | None, ReferenceKind]] = {
    "copy": "copy",
    "jump-slot": "call-slot",
    "absolute-32": "absolute-32",
    "branch": "call",
    "pc-relative-32": "call",
    "got-slot": "call",
}
# The x86-64 opcodes of calls: call, jmp, and jcc to a relative address; call and jmp through a
# slot. The operand is the last part of the instruction.
_OPCODES: Final[dict[RelocationKind | None, tuple[bytes, ...]]] = {
    "pc-relative-32": (
        b"\xe8",
        b"\xe9",
        *(bytes((0x0F, 0x80 | condition)) for condition in range(16)),
    ),
    "got-slot": (b"\xff\x15", b"\xff\x25"),
}
_OPCODE_SIZE: Final = 2
# On x86-64, these relocations count from the end of the operand, and the addend compensates.
_FROM_END: Final[frozenset[RelocationKind | None]] = frozenset({"pc-relative-32", "got-slot"})
_OPERAND_SIZE: Final = 4

_DF_SYMBOLIC: Final = 0x2
_DF_TEXTREL: Final = 0x4


def read_references(elf: Elf, handles: tuple[HandleFacts, ...]) -> tuple[Reference, ...]:
    """Return the references that can concern a kernel; equal ones are listed once."""
    own = _own_places(handles)
    kinds = _OBJECT if elf.type == "relocatable" else _LINKED
    found: dict[tuple[str, str, Place | None], Reference] = {}
    for relocation in elf.relocations(kinds):
        kind = _reference_kind(elf, relocation)
        if kind is None or relocation.symbol is None:
            continue
        # A copied variable is defined in another file.
        target = None if kind == "copy" else find_target(relocation)
        if target is None or target in own:
            name = relocation.symbol.name
            reference = Reference(kind=kind, symbol=name, place=relocation.place, target=target)
            found.setdefault((kind, name, target), reference)
    return tuple(found.values())


def _own_places(handles: Iterable[HandleFacts]) -> frozenset[Place]:
    places = {handle.place for handle in handles if handle.place}
    return frozenset(places | {h.stub.place for h in handles if h.stub and h.stub.place})


def _reference_kind(elf: Elf, relocation: Relocation) -> ReferenceKind | None:
    """Classify a relocation; None for the operand of an instruction that is not a call."""
    opcodes = _OPCODES.get(relocation.kind)
    if opcodes is not None and not _follows(elf, relocation.place, opcodes):
        return None
    return _REFERENCE_KINDS.get(relocation.kind)


def _follows(elf: Elf, operand: Place, opcodes: tuple[bytes, ...]) -> bool:
    """Return whether one of the opcodes is directly before the operand."""
    length = min(operand.offset, _OPCODE_SIZE)
    try:
        before = elf.read(Place(section=operand.section, offset=operand.offset - length), length)
    except InputError:
        return False
    is_code = bool(elf.sections[operand.section].flags & SHF_EXECINSTR)
    return is_code and before.endswith(opcodes)


def find_target(relocation: Relocation) -> Place | None:
    """Return the place in this file that the code refers to, or None if it is in another file."""
    place = relocation.target
    if place is None or relocation.kind not in _FROM_END:
        return place
    return Place(section=place.section, offset=place.offset + _OPERAND_SIZE)


def read_dynamic(elf: Elf) -> DynamicFacts | None:
    """Return the facts of the dynamic section, or None if the file does not have one."""
    if not elf.dynamic:
        return None
    tags = dict(elf.dynamic)
    flags = tags.get("DT_FLAGS", 0)
    names = elf.dynamic_names
    return DynamicFacts(
        soname=next((name for tag, name in names if tag == "DT_SONAME"), None),
        needed=tuple(name for tag, name in names if tag == "DT_NEEDED"),
        is_symbolic="DT_SYMBOLIC" in tags or bool(flags & _DF_SYMBOLIC),
        has_text_relocations="DT_TEXTREL" in tags or bool(flags & _DF_TEXTREL),
        rpath=_split_paths(names, "DT_RPATH"),
        runpath=_split_paths(names, "DT_RUNPATH"),
        versions=_read_versions(lambda: elf.defined_versions),
        versioned=_read_versions(lambda: elf.versioned_libraries),
        needed_versions=_read_versions(lambda: elf.needed_versions),
    )


def _read_versions(read: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
    try:
        return read()
    except InputError:
        # Damaged version tables do not prevent reading the rest of the file.
        return ()


def _split_paths(names: tuple[tuple[str, str], ...], kind: str) -> tuple[str, ...]:
    return tuple(path for tag, text in names if tag == kind for path in text.split(":") if path)
