"""What a host file does with symbols that may be kernels', and asks of the dynamic linker.

A file alone cannot tell which of the names it does not define are kernels of other files;
so every undefined one that is called, copied or put into four bytes is a reference, and
of what the file defines, only its own handles and stubs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import DynamicFacts, HandleFacts, Place, Reference, ReferenceKind
from kbuild.formats.elf.file import SHF_EXECINSTR, Elf
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind

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
# The x86-64 instructions that call: call, jmp and jcc with the distance as operand, call
# and jmp through a slot.  Their operand is the last part of them.
_OPCODES: Final[dict[RelocationKind | None, tuple[bytes, ...]]] = {
    "pc-relative-32": (
        b"\xe8",
        b"\xe9",
        *(bytes((0x0F, 0x80 | condition)) for condition in range(16)),
    ),
    "got-slot": (b"\xff\x15", b"\xff\x25"),
}
_OPCODE_SIZE: Final = 2
_OPERAND_SIZE: Final = 4

_DF_SYMBOLIC: Final = 0x2
_DF_TEXTREL: Final = 0x4


def read_references(elf: Elf, handles: tuple[HandleFacts, ...]) -> tuple[Reference, ...]:
    """Every reference that can concern a kernel, the first of each."""
    own = _own_places(handles)
    kinds = _OBJECT if elf.type == "relocatable" else _LINKED
    found: dict[tuple[str, str, Place | None], Reference] = {}
    for relocation in elf.relocations(kinds):
        kind = _reference_kind(elf, relocation)
        if kind is None or relocation.symbol is None:
            continue
        target = _target(relocation, kind)
        if target is None or target in own:
            name = relocation.symbol.name
            reference = Reference(kind=kind, symbol=name, place=relocation.place, target=target)
            found.setdefault((kind, name, target), reference)
    return tuple(found.values())


def _own_places(handles: Iterable[HandleFacts]) -> frozenset[Place]:
    places = {handle.place for handle in handles if handle.place}
    return frozenset(places | {h.stub.place for h in handles if h.stub and h.stub.place})


def _reference_kind(elf: Elf, relocation: Relocation) -> ReferenceKind | None:
    """What the relocation is evidence of; None for an operand of another instruction."""
    opcodes = _OPCODES.get(relocation.kind)
    if opcodes is not None and not _follows(elf, relocation.place, opcodes):
        return None
    return _REFERENCE_KINDS.get(relocation.kind)


def _follows(elf: Elf, operand: Place, opcodes: tuple[bytes, ...]) -> bool:
    """Whether the operand belongs to one of these instructions."""
    length = min(operand.offset, _OPCODE_SIZE)
    try:
        before = elf.read(Place(section=operand.section, offset=operand.offset - length), length)
    except InputError:
        return False
    is_code = bool(elf.sections[operand.section].flags & SHF_EXECINSTR)
    return is_code and before.endswith(opcodes)


def _target(relocation: Relocation, kind: ReferenceKind) -> Place | None:
    """Where this file defines what is referred to, if it does."""
    place = relocation.target
    # A copy is defined where it is put; the original is another file's.
    if place is None or kind == "copy":
        return None
    # x86-64 counts from the end of the operand, and the addend makes up for that.
    is_from_end = kind == "call" and relocation.kind != "branch"
    distance = _OPERAND_SIZE if is_from_end else 0
    return Place(section=place.section, offset=place.offset + distance)


def read_dynamic(elf: Elf) -> DynamicFacts | None:
    """The file's dynamic section, None where there is none."""
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
        versions=_versions(elf),
    )


def _versions(elf: Elf) -> tuple[str, ...]:
    try:
        return elf.defined_versions
    except InputError:
        # The rest of the file is worth reading without.
        return ()


def _split_paths(names: tuple[tuple[str, str], ...], wanted: str) -> tuple[str, ...]:
    return tuple(path for tag, text in names if tag == wanted for path in text.split(":") if path)
