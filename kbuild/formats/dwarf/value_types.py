"""Types of parameters and members, with the layout of records."""

from __future__ import annotations

from typing import Final

from elftools.dwarf.die import DIE

from kbuild.errors import InputError
from kbuild.formats.dwarf.entries import (
    POINTERS,
    QUALIFIERS,
    RECORDS,
    find_holder,
    read_number,
    type_name,
)
from kbuild.formats.dwarf.model import Member, TypeKind, ValueType
from kbuild.formats.dwarf.records import derive_alignment, find_obstacle, is_by_reference
from kbuild.values import replace

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
_SMALLEST_VECTOR: Final = 8
_LARGEST_VECTOR: Final = 64


def type_of(die: DIE) -> ValueType:
    """Return the type of a parameter, a member, or another type."""
    holder = find_holder(die, "DW_AT_type")
    if holder is None:
        return _unknown("void", 0)
    return _value_type(holder.get_DIE_from_attribute("DW_AT_type"))


def _unknown(name: str, size: int) -> ValueType:
    obstacle = "this kbuild cannot pass by value"
    return ValueType(kind="unknown", name=name, size=size, alignment=1, obstacle=obstacle)


def _value_type(die: DIE) -> ValueType:
    if die.tag in POINTERS:
        kind: TypeKind = "pointer" if die.tag == "DW_TAG_pointer_type" else "reference"
        return ValueType(kind=kind, name=type_name(die), size=8, alignment=8)
    if die.tag == "DW_TAG_typedef":
        requested = read_number(die, "DW_AT_alignment")
        aliased = type_of(die)
        return replace(aliased, alignment=requested) if requested else aliased
    if die.tag in QUALIFIERS:
        return type_of(die)
    if die.tag in RECORDS:
        return _record(die)
    if die.tag == "DW_TAG_array_type":
        return _vector(die)
    return _scalar(die)


def _scalar(die: DIE) -> ValueType:
    name = type_name(die)
    size = read_number(die, "DW_AT_byte_size") or 0
    if die.tag == "DW_TAG_base_type":
        kind = _ENCODINGS.get(die.attributes["DW_AT_encoding"].value)
        if kind is None:
            return _unknown(name, size)
        alignment = size // 2 if kind == "complex" else size
        return ValueType(kind=kind, name=name, size=size, alignment=alignment)
    if die.tag == "DW_TAG_enumeration_type":
        # Both compilers name the underlying type, which is signed or unsigned.
        kind = type_of(die).kind if "DW_AT_type" in die.attributes else "signed"
        return ValueType(kind=kind, name=name, size=size, alignment=size)
    if die.tag == "DW_TAG_ptr_to_member_type":
        return _pointer_to_member(die, name)
    if die.tag == "DW_TAG_unspecified_type":  # nullptr_t
        return ValueType(kind="pointer", name=name, size=8, alignment=8)
    return _unknown(name, size)


def _pointer_to_member(die: DIE, name: str) -> ValueType:
    """Return the type of a pointer to a data member or member function.

    A pointer to a member function consists of two words: an address and an adjustment of
    ``this`` (Itanium ABI 2.3).
    """
    target = die.get_DIE_from_attribute("DW_AT_type")
    if target.tag != "DW_TAG_subroutine_type":
        return ValueType(kind="signed", name=name, size=8, alignment=8)
    word = ValueType(kind="signed", name="long", size=8, alignment=8)
    words = (Member(offset=0, type=word, count=2),)
    return ValueType(kind="record", name=name, size=16, alignment=8, members=words)


def _vector(die: DIE) -> ValueType:
    """Return the type of a gcc ``vector_size`` vector; other arrays cannot be passed by value."""
    element = type_of(die)
    count = _element_count(die)
    size = count * element.size
    name = f"{element.name} __vector({count})"
    is_valid = element.kind in ("signed", "unsigned", "float") and count > 1
    is_whole = read_number(die, "DW_AT_byte_size") in (None, size) and size & (size - 1) == 0
    is_passable = is_valid and is_whole and _SMALLEST_VECTOR <= size <= _LARGEST_VECTOR
    if "DW_AT_GNU_vector" not in die.attributes or not is_passable:
        return _unknown(name, size)
    elements = (Member(offset=0, type=element, count=count),)
    return ValueType(kind="vector", name=name, size=size, alignment=size, members=elements)


def _record(die: DIE) -> ValueType:
    name = type_name(die)
    if "DW_AT_declaration" in die.attributes:
        obstacle = "the debug information does not describe"
        return replace(_unknown(name, 0), obstacle=obstacle)
    members = tuple(
        _member(child)
        for child in die.iter_children()
        if child.tag in ("DW_TAG_member", "DW_TAG_inheritance")
        # Static members are declared in their class, but are not part of its values.
        and not child.attributes.keys() & {"DW_AT_external", "DW_AT_declaration"}
    )
    size = read_number(die, "DW_AT_byte_size") or 0
    return ValueType(
        kind="union" if die.tag == "DW_TAG_union_type" else "record",
        name=name,
        size=size,
        alignment=derive_alignment(size, read_number(die, "DW_AT_alignment") or 1, members),
        members=members,
        is_by_reference=is_by_reference(die, members),
        obstacle=find_obstacle(die, members),
    )


def _member(die: DIE) -> Member:
    count = None
    alignment = read_number(die, "DW_AT_alignment") or 1
    type_die = inner = die.get_DIE_from_attribute("DW_AT_type")
    seen = set()
    while (is_array := _is_array(inner)) or inner.tag in (*QUALIFIERS, "DW_TAG_typedef"):
        if "DW_AT_type" not in inner.attributes:
            break
        if inner.offset in seen:
            raise InputError(f"the type at {inner.offset:#x} is defined by itself")
        seen.add(inner.offset)
        alignment = max(alignment, read_number(inner, "DW_AT_alignment") or 1)
        if is_array:
            count = (1 if count is None else count) * _element_count(inner)
            type_die = inner.get_DIE_from_attribute("DW_AT_type")
        inner = inner.get_DIE_from_attribute("DW_AT_type")
    first_bit = _first_bit(die)
    return Member(
        offset=first_bit // 8,
        type=_value_type(type_die),
        count=count,
        bit_size=read_number(die, "DW_AT_bit_size"),
        bit_offset=first_bit % 8,
        alignment=alignment,
    )


def _is_array(die: DIE) -> bool:
    return die.tag == "DW_TAG_array_type" and "DW_AT_GNU_vector" not in die.attributes


def _first_bit(member: DIE) -> int:
    """Return the offset of a member from the start of its record, in bits."""
    modern = read_number(member, "DW_AT_data_bit_offset")
    if modern is not None:
        return modern
    start = 8 * (read_number(member, "DW_AT_data_member_location") or 0)
    from_top = read_number(member, "DW_AT_bit_offset")
    if from_top is None:
        return start
    # DWARF 3, and clang up to version 14: the offset counts down from the most significant bit
    # of a storage unit of DW_AT_byte_size bytes.
    unit = 8 * (read_number(member, "DW_AT_byte_size") or type_of(member).size)
    return start + unit - from_top - (read_number(member, "DW_AT_bit_size") or 0)


def _element_count(array: DIE) -> int:
    total = 1
    for die in array.iter_children():
        if die.tag == "DW_TAG_subrange_type":
            count = read_number(die, "DW_AT_count")
            upper = read_number(die, "DW_AT_upper_bound")
            total *= count if count is not None else (upper + 1 if upper is not None else 0)
    return total
