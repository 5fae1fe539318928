"""Function parameters from DWARF: names, types and layouts, as the compiler saw them.

Source: DWARF 5 standard, sections 3.3 (subroutines), 4.1 (parameters) and 5 (types).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from kbuild.formats.elf import guard

TypeKind = Literal["signed", "unsigned", "bool", "float", "complex", "pointer", "record", "union"]

# TLS offsets of `__shared__` variables, for which pyelftools has no recipe.
_TLS_RELOCATIONS: Final = {"EM_X86_64": (17, 21), "EM_AARCH64": (1029,)}
_NO_RELOCATION: Final = 0

_ENCODINGS: Final[dict[int, TypeKind]] = {
    0x02: "bool",
    0x03: "complex",
    0x04: "float",
    0x05: "signed",
    0x06: "signed",
    0x07: "unsigned",
    0x08: "unsigned",
    0x10: "unsigned",  # UTF
}
_QUALIFIERS: Final = {
    "DW_TAG_const_type": " const",
    "DW_TAG_volatile_type": " volatile",
    "DW_TAG_restrict_type": "",
    "DW_TAG_atomic_type": "",
}
_POINTERS: Final = {
    "DW_TAG_pointer_type": "*",
    "DW_TAG_reference_type": "&",
    "DW_TAG_rvalue_reference_type": "&&",
}
_RECORDS: Final = {"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A data member or base class; ``count`` is above one for arrays."""

    offset: int
    type: ValueType
    count: int | None = None
    bit_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """A type as far as passing it by value asks: kind, size, alignment, members.

    ``name`` is spelled the way demanglers spell it.  ``is_trivial`` is False where a copy
    constructor or destructor makes the compiler pass a reference instead.
    """

    kind: TypeKind
    name: str
    size: int
    alignment: int
    members: tuple[Member, ...] = ()
    is_trivial: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A formal parameter of a function."""

    name: str | None
    type: ValueType


def read_parameters(data: bytes, names: frozenset[str]) -> dict[str, tuple[Parameter, ...]]:
    """The parameters of each function in ``names`` that is defined here.

    A name is a linkage name, or the qualified name of a function of internal linkage, for
    which compilers write no linkage name.  A name without debug information, or a
    qualified name that several functions share, is absent from the result.  Raises InputError when
    the debug information cannot be read.
    """
    return guard(lambda: _read(data, names))


def _read(data: bytes, names: frozenset[str]) -> dict[str, tuple[Parameter, ...]]:
    file = ELFFile(io.BytesIO(_without_tls_relocations(data)))
    if not file.has_dwarf_info():
        return {}
    found: dict[str, tuple[Parameter, ...]] = {}
    shared: set[str] = set()
    for unit in file.get_dwarf_info().iter_CUs():
        for die in _functions(unit.get_top_DIE()):
            for name in _names_of(die) & names:
                if name in found:
                    shared.add(name)
                found[name] = tuple(_parameters(die))
    return {name: value for name, value in found.items() if name not in shared}


def _without_tls_relocations(data: bytes) -> bytes:
    file = ELFFile(io.BytesIO(data))
    machine = file.header["e_machine"]
    patched = bytearray(data)
    for section in file.iter_sections():
        if not (isinstance(section, RelocationSection) and section.name.startswith(".rela.debug")):
            continue
        for index in range(section.num_relocations()):
            info = section["sh_offset"] + index * section["sh_entsize"] + 8
            if struct.unpack_from("<I", patched, info)[0] in _TLS_RELOCATIONS.get(machine, ()):
                struct.pack_into("<I", patched, info, _NO_RELOCATION)
    return bytes(patched)


def _functions(scope: DIE) -> Iterator[DIE]:
    for die in scope.iter_children():
        if die.tag == "DW_TAG_namespace":
            yield from _functions(die)
        elif die.tag == "DW_TAG_subprogram" and (
            "DW_AT_low_pc" in die.attributes or "DW_AT_ranges" in die.attributes
        ):
            yield die


def _origin(die: DIE) -> DIE | None:
    for attribute in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if attribute in die.attributes:
            return die.get_DIE_from_attribute(attribute)
    return None


def _inherited(die: DIE, attribute: str) -> DIE | None:
    """The DIE in the chain of origins that carries ``attribute``."""
    current: DIE | None = die
    while current is not None and attribute not in current.attributes:
        current = _origin(current)
    return current


def _text(die: DIE, attribute: str) -> str | None:
    holder = _inherited(die, attribute)
    return holder.attributes[attribute].value.decode() if holder is not None else None


def _names_of(function: DIE) -> set[str]:
    linkage_name = _text(function, "DW_AT_linkage_name")
    if linkage_name is not None:
        return {linkage_name}
    # No linkage name: extern "C", where the plain name is the symbol, or internal linkage.
    declared = _inherited(function, "DW_AT_name")
    if declared is None:
        return set()
    while (origin := _origin(declared)) is not None:
        declared = origin
    return {declared.attributes["DW_AT_name"].value.decode(), _qualified_name(declared)}


def _parameters(function: DIE) -> Iterator[Parameter]:
    for die in function.iter_children():
        if die.tag == "DW_TAG_formal_parameter":
            yield Parameter(name=_text(die, "DW_AT_name"), type=_type_of(die))


def _type_of(die: DIE) -> ValueType:
    holder = _inherited(die, "DW_AT_type")
    if holder is None:
        return ValueType(kind="signed", name="void", size=0, alignment=1)
    return _value_type(holder.get_DIE_from_attribute("DW_AT_type"))


def _value_type(die: DIE) -> ValueType:
    if die.tag in _POINTERS:
        return ValueType(kind="pointer", name=_name_of(die), size=8, alignment=8)
    if die.tag in _QUALIFIERS or die.tag == "DW_TAG_typedef":
        return _type_of(die)
    if die.tag in _RECORDS:
        return _record(die)
    size = _number(die, "DW_AT_byte_size") or 0
    if die.tag == "DW_TAG_base_type":
        kind = _ENCODINGS.get(die.attributes["DW_AT_encoding"].value, "unsigned")
        alignment = size // 2 if kind == "complex" else size
        return ValueType(kind=kind, name=_name_of(die), size=size, alignment=alignment)
    if die.tag == "DW_TAG_enumeration_type":
        return ValueType(kind="signed", name=_name_of(die), size=size, alignment=size)
    # Pointers to members and nullptr_t: passed as integers of pointer size.
    return ValueType(kind="pointer", name=_name_of(die), size=size or 8, alignment=8)


def _record(die: DIE) -> ValueType:
    members: list[Member] = []
    for child in die.iter_children():
        is_member = child.tag in ("DW_TAG_member", "DW_TAG_inheritance")
        if is_member and "DW_AT_external" not in child.attributes:
            members.append(_member(child))
    declared = _number(die, "DW_AT_alignment") or 1
    return ValueType(
        kind="union" if die.tag == "DW_TAG_union_type" else "record",
        name=_name_of(die),
        size=_number(die, "DW_AT_byte_size") or 0,
        alignment=max([declared, *(m.type.alignment for m in members)]),
        members=tuple(members),
        is_trivial=_is_trivially_copied(die) and all(m.type.is_trivial for m in members),
    )


def _member(die: DIE) -> Member:
    count = None
    type_die = die.get_DIE_from_attribute("DW_AT_type")
    while type_die.tag in _QUALIFIERS or type_die.tag == "DW_TAG_typedef":
        if "DW_AT_type" not in type_die.attributes:
            break
        type_die = type_die.get_DIE_from_attribute("DW_AT_type")
    while type_die.tag == "DW_TAG_array_type":
        count = (1 if count is None else count) * _element_count(type_die)
        type_die = type_die.get_DIE_from_attribute("DW_AT_type")
    offset = _number(die, "DW_AT_data_member_location") or 0
    bit_size = _number(die, "DW_AT_bit_size")
    if bit_size is not None:
        offset = (_number(die, "DW_AT_data_bit_offset") or 0) // 8
    return Member(offset=offset, type=_value_type(type_die), count=count, bit_size=bit_size)


def _element_count(array: DIE) -> int:
    total = 1
    for die in array.iter_children():
        if die.tag == "DW_TAG_subrange_type":
            count = _number(die, "DW_AT_count")
            upper = _number(die, "DW_AT_upper_bound")
            total *= count if count is not None else (upper + 1 if upper is not None else 0)
    return total


def _is_trivially_copied(die: DIE) -> bool:
    """Whether neither a user's destructor nor a copy or move constructor stands there."""
    name = _text(die, "DW_AT_name") or ""
    bare = name.partition("<")[0]
    for child in die.iter_children():
        if child.tag != "DW_TAG_subprogram" or "DW_AT_defaulted" in child.attributes:
            continue
        called = (_text(child, "DW_AT_name") or "").partition("<")[0]
        if called == f"~{bare}":
            return False
        if called == bare and _copies(child, die):
            return False
    return True


def _copies(constructor: DIE, record: DIE) -> bool:
    explicit = [
        die
        for die in constructor.iter_children()
        if die.tag == "DW_TAG_formal_parameter" and "DW_AT_artificial" not in die.attributes
    ]
    if len(explicit) != 1:
        return False
    target = explicit[0].get_DIE_from_attribute("DW_AT_type")
    if target.tag not in ("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"):
        return False
    while "DW_AT_type" in target.attributes:
        target = target.get_DIE_from_attribute("DW_AT_type")
    return bool(target.offset == record.offset)


def _number(die: DIE, attribute: str) -> int | None:
    holder = _inherited(die, attribute)
    if holder is None:
        return None
    value: Any = holder.attributes[attribute].value
    return value if isinstance(value, int) else None


def _name_of(die: DIE) -> str:
    """The type's name as a demangler spells it: ``float const*``, ``ns::P``."""
    if die.tag in _POINTERS or die.tag in _QUALIFIERS:
        if "DW_AT_type" not in die.attributes:
            inner = "void"
        else:
            inner = _name_of(die.get_DIE_from_attribute("DW_AT_type"))
        return inner + (_POINTERS.get(die.tag) or _QUALIFIERS.get(die.tag, ""))
    if die.tag == "DW_TAG_typedef" and "DW_AT_type" in die.attributes:
        return _name_of(die.get_DIE_from_attribute("DW_AT_type"))
    name = _text(die, "DW_AT_name")
    if name is None:
        return "(unnamed)"
    if die.tag == "DW_TAG_base_type":
        return _base_type_name(name)
    return _qualified_name(die)


def _qualified_name(die: DIE) -> str:
    parts = [_text(die, "DW_AT_name") or "(unnamed)"]
    parent = die.get_parent()
    while parent is not None and parent.tag in (*_RECORDS, "DW_TAG_namespace"):
        parts.insert(0, _text(parent, "DW_AT_name") or "(anonymous namespace)")
        parent = parent.get_parent()
    return "::".join(parts)


def _base_type_name(name: str) -> str:
    """``long unsigned int`` as C++ demanglers write it: ``unsigned long``."""
    words = name.split()
    if "unsigned" in words or words.count("long") or "short" in words:
        kept = [w for w in words if w not in ("unsigned", "signed", "int")]
        sign = ["unsigned"] if "unsigned" in words else []
        return " ".join([*sign, *(kept or ["int"])])
    return name
