"""Function parameters from DWARF: names, types and layouts, as the compiler saw them.

Source: DWARF 5 standard, sections 3.3 (subroutines), 4.1 (parameters) and 5 (types).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection

from kbuild.formats.elf.file import guard

TypeKind = Literal[
    "signed",
    "unsigned",
    "bool",
    "float",
    "complex",
    "pointer",
    "reference",
    "vector",
    "record",
    "union",
    "unknown",
]

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

# DW_AT_calling_convention of a record (clang), DW_AT_defaulted of a function (gcc).
_PASSED_BY_REFERENCE: Final = 4
_PASSED_BY_VALUE: Final = 5
_DEFAULTED_IN_CLASS: Final = 1
_SMALLEST_VECTOR: Final = 8
_LARGEST_VECTOR: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A data member or base class; ``count`` is above one for arrays.

    A bit-field's ``bit_offset`` counts from ``offset``; ``alignment`` is what the member
    asks for beyond its type.
    """

    offset: int
    type: ValueType
    count: int | None = None
    bit_size: int | None = None
    bit_offset: int = 0
    alignment: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """A type as far as passing it by value asks: kind, size, alignment, members.

    ``name`` is spelled the way demanglers spell it.  A vector's one member is an array of
    its elements.  ``obstacle`` says, behind "which ", why no value of it can be passed.
    """

    kind: TypeKind
    name: str
    size: int
    alignment: int
    members: tuple[Member, ...] = ()
    obstacle: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A formal parameter of a function."""

    name: str | None
    type: ValueType


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function takes and gives; ``result`` is None for void."""

    parameters: tuple[Parameter, ...]
    result: str | None = None
    is_variadic: bool = False


def read_signatures(data: bytes, names: frozenset[str]) -> dict[str, Signature]:
    """The signature of each function in ``names`` that is defined here.

    A name is a linkage name, or the qualified name of a function of internal linkage, for
    which compilers write no linkage name.  A name without debug information, or a
    qualified name that several functions share, is absent from the result.  Raises InputError when
    the debug information cannot be read.
    """
    return guard(lambda: _read(data, names))


def _read(data: bytes, names: frozenset[str]) -> dict[str, Signature]:
    file = ELFFile(io.BytesIO(_without_tls_relocations(data)))
    if not file.has_dwarf_info():
        return {}
    found: dict[str, Signature] = {}
    shared: set[str] = set()
    for unit in file.get_dwarf_info().iter_CUs():
        for die in _functions(unit.get_top_DIE()):
            for name in _names_of(die) & names:
                if name in found:
                    shared.add(name)
                found[name] = _signature(die)
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


def _signature(function: DIE) -> Signature:
    result = _inherited(function, "DW_AT_type")
    return Signature(
        parameters=tuple(_parameters(function)),
        result=_name_of(result.get_DIE_from_attribute("DW_AT_type")) if result else None,
        is_variadic=_is_variadic(function),
    )


def _is_variadic(function: DIE) -> bool:
    origin = _origin(function)
    return any(die.tag == "DW_TAG_unspecified_parameters" for die in function.iter_children()) or (
        origin is not None and _is_variadic(origin)
    )


def _parameters(function: DIE) -> Iterator[Parameter]:
    for die in function.iter_children():
        if die.tag == "DW_TAG_formal_parameter":
            yield Parameter(name=_text(die, "DW_AT_name"), type=_type_of(die))
        elif die.tag == "DW_TAG_GNU_formal_parameter_pack":  # gcc; clang lists its members
            yield from _parameters(die)


def _type_of(die: DIE) -> ValueType:
    holder = _inherited(die, "DW_AT_type")
    if holder is None:
        return _unknown("void", 0)
    return _value_type(holder.get_DIE_from_attribute("DW_AT_type"))


def _unknown(name: str, size: int) -> ValueType:
    obstacle = "this kbuild cannot pass by value"
    return ValueType(kind="unknown", name=name, size=size, alignment=1, obstacle=obstacle)


def _value_type(die: DIE) -> ValueType:
    if die.tag in _POINTERS:
        kind: TypeKind = "pointer" if die.tag == "DW_TAG_pointer_type" else "reference"
        return ValueType(kind=kind, name=_name_of(die), size=8, alignment=8)
    if die.tag == "DW_TAG_typedef":
        asked = _number(die, "DW_AT_alignment")
        aliased = _type_of(die)
        return replace(aliased, alignment=asked) if asked else aliased
    if die.tag in _QUALIFIERS:
        return _type_of(die)
    if die.tag in _RECORDS:
        return _record(die)
    if die.tag == "DW_TAG_array_type":
        return _vector(die)
    return _scalar(die)


def _scalar(die: DIE) -> ValueType:
    name = _name_of(die)
    size = _number(die, "DW_AT_byte_size") or 0
    if die.tag == "DW_TAG_base_type":
        kind = _ENCODINGS.get(die.attributes["DW_AT_encoding"].value)
        if kind is None:
            return _unknown(name, size)
        alignment = size // 2 if kind == "complex" else size
        return ValueType(kind=kind, name=name, size=size, alignment=alignment)
    if die.tag == "DW_TAG_enumeration_type":
        # Both compilers name the underlying type, which says whether there is a sign.
        kind = _type_of(die).kind if "DW_AT_type" in die.attributes else "signed"
        return ValueType(kind=kind, name=name, size=size, alignment=size)
    if die.tag == "DW_TAG_ptr_to_member_type":
        return _pointer_to_member(die, name)
    if die.tag == "DW_TAG_unspecified_type":  # nullptr_t
        return ValueType(kind="pointer", name=name, size=8, alignment=8)
    return _unknown(name, size)


def _pointer_to_member(die: DIE, name: str) -> ValueType:
    """Of a function it is two words: an address and what to add to ``this`` (Itanium ABI 2.3)."""
    target = die.get_DIE_from_attribute("DW_AT_type")
    if target.tag != "DW_TAG_subroutine_type":
        return ValueType(kind="signed", name=name, size=8, alignment=8)
    word = ValueType(kind="signed", name="long", size=8, alignment=8)
    words = (Member(offset=0, type=word, count=2),)
    return ValueType(kind="record", name=name, size=16, alignment=8, members=words)


def _vector(die: DIE) -> ValueType:
    """A vector of gcc's ``vector_size``; any other array cannot be a value."""
    element = _type_of(die)
    count = _element_count(die)
    size = count * element.size
    name = f"{element.name} __vector({count})"
    is_sound = element.kind in ("signed", "unsigned", "float") and count > 1
    is_whole = _number(die, "DW_AT_byte_size") in (None, size) and size & (size - 1) == 0
    is_passable = is_sound and is_whole and _SMALLEST_VECTOR <= size <= _LARGEST_VECTOR
    if "DW_AT_GNU_vector" not in die.attributes or not is_passable:
        return _unknown(name, size)
    elements = (Member(offset=0, type=element, count=count),)
    return ValueType(kind="vector", name=name, size=size, alignment=size, members=elements)


def _record(die: DIE) -> ValueType:
    name = _name_of(die)
    if "DW_AT_declaration" in die.attributes:
        obstacle = "the debug information does not describe"
        return replace(_unknown(name, 0), obstacle=obstacle)
    members = tuple(
        _member(child)
        for child in die.iter_children()
        if child.tag in ("DW_TAG_member", "DW_TAG_inheritance")
        # Static members are declared in their class, but not part of its values.
        and not child.attributes.keys() & {"DW_AT_external", "DW_AT_declaration"}
    )
    size = _number(die, "DW_AT_byte_size") or 0
    return ValueType(
        kind="union" if die.tag == "DW_TAG_union_type" else "record",
        name=name,
        size=size,
        alignment=_record_alignment(size, _number(die, "DW_AT_alignment") or 1, members),
        members=members,
        obstacle=_obstacle(die, members),
    )


def _record_alignment(size: int, declared: int, members: tuple[Member, ...]) -> int:
    """The alignment that follows from the members, which debug information leaves out.

    It does not say "packed" either, but a packed record shows: a member lies, or the size
    is, where the alignment of the members would not have it.
    """
    natural = max([m.type.alignment for m in members] + [m.alignment for m in members], default=1)
    is_packed = size % natural or any(
        m.bit_size is None and m.offset % m.type.alignment for m in members
    )
    if not is_packed:
        return max(declared, natural)
    # clang repeats what a member's type asks for, which packing overrules.
    asked = [m.alignment for m in members if m.offset % m.alignment == 0 == size % m.alignment]
    return max([declared, *asked])


def _member(die: DIE) -> Member:
    count = None
    alignment = _number(die, "DW_AT_alignment") or 1
    type_die = inner = die.get_DIE_from_attribute("DW_AT_type")
    while (is_array := _is_array(inner)) or inner.tag in (*_QUALIFIERS, "DW_TAG_typedef"):
        if "DW_AT_type" not in inner.attributes:
            break
        alignment = max(alignment, _number(inner, "DW_AT_alignment") or 1)
        if is_array:
            count = (1 if count is None else count) * _element_count(inner)
            type_die = inner.get_DIE_from_attribute("DW_AT_type")
        inner = inner.get_DIE_from_attribute("DW_AT_type")
    first_bit = _first_bit(die)
    return Member(
        offset=first_bit // 8,
        type=_value_type(type_die),
        count=count,
        bit_size=_number(die, "DW_AT_bit_size"),
        bit_offset=first_bit % 8,
        alignment=alignment,
    )


def _is_array(die: DIE) -> bool:
    return die.tag == "DW_TAG_array_type" and "DW_AT_GNU_vector" not in die.attributes


def _first_bit(member: DIE) -> int:
    """Where a member begins, in bits from the beginning of its record."""
    modern = _number(member, "DW_AT_data_bit_offset")
    if modern is not None:
        return modern
    start = 8 * (_number(member, "DW_AT_data_member_location") or 0)
    from_top = _number(member, "DW_AT_bit_offset")
    if from_top is None:
        return start
    # DWARF 3 and clang up to 14: counted down from the top of a unit of DW_AT_byte_size.
    unit = 8 * (_number(member, "DW_AT_byte_size") or _type_of(member).size)
    return start + unit - from_top - (_number(member, "DW_AT_bit_size") or 0)


def _element_count(array: DIE) -> int:
    total = 1
    for die in array.iter_children():
        if die.tag == "DW_TAG_subrange_type":
            count = _number(die, "DW_AT_count")
            upper = _number(die, "DW_AT_upper_bound")
            total *= count if count is not None else (upper + 1 if upper is not None else 0)
    return total


def _obstacle(die: DIE, members: tuple[Member, ...]) -> str | None:
    """Why a record cannot be passed by value."""
    if any("DW_AT_virtuality" in child.attributes for child in die.iter_children()):
        return "has virtual functions or bases"
    if not _is_trivially_copied(die):
        return "is not trivially copyable"
    for member in members:
        if member.count == 0:
            return "holds an array of no elements"
        inner = member.type
        if inner.obstacle is not None:
            own = inner.kind in ("record", "union") and inner.name == "(unnamed)"
            return inner.obstacle if own else f"holds '{inner.name}', which {inner.obstacle}"
    return None


def _is_trivially_copied(die: DIE) -> bool:
    """Whether the compiler may copy the record's bytes into a call (Itanium ABI 3.1.2.3).

    clang says so; of what gcc writes, it follows from what the class declares itself, the
    members aside.
    """
    convention = _number(die, "DW_AT_calling_convention")
    if convention in (_PASSED_BY_VALUE, _PASSED_BY_REFERENCE):
        return convention == _PASSED_BY_VALUE
    name = _text(die, "DW_AT_name") or ""
    bare = name.partition("<")[0]
    functions = [child for child in die.iter_children() if child.tag == "DW_TAG_subprogram"]
    copies = [f for f in functions if _text(f, "DW_AT_name") == bare and _copies(f, die)]
    destructors = [f for f in functions if _text(f, "DW_AT_name") == f"~{bare}"]
    are_own = any(not _is_left_to_compiler(f) for f in (*copies, *destructors))
    is_immovable = bool(copies) and all("DW_AT_deleted" in f.attributes for f in copies)
    return not are_own and not is_immovable


def _is_left_to_compiler(function: DIE) -> bool:
    is_deleted = "DW_AT_deleted" in function.attributes
    return is_deleted or _number(function, "DW_AT_defaulted") == _DEFAULTED_IN_CLASS


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
