"""Find C++ types that a call passes in the same registers and memory as a record.

A record of up to two eightbytes is passed in registers. Its scalars determine which ones, whatever
structure they are in. A larger record is passed in memory. Therefore, an ABI-equivalent record has
the same size and alignment and, for each eightbyte, scalars of the same class. This covers bases,
unions, bit-fields, and packed records. A record with a copy constructor or destructor of its own is
passed by the address of a copy.

Sources: x86-64 psABI 1.0, section 3.2.3; AAPCS64 2024Q3, sections 5.9.5 and 6.8.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from kbuild.formats.dwarf import Member, ValueType
from kbuild.values import dataclass, replace

# Larger records are not passed in registers: one vector, or four on AArch64.
LARGEST_IN_REGISTERS: Final = 64

_WORD: Final = 8
_PAIR: Final = 2 * _WORD
_MOST_IN_AGGREGATE: Final = 4

_NULLPTR: Final = "decltype(nullptr)"

# "null" is std::nullptr_t, which gcc treats as an integer and clang ignores.
_Class = Literal["integer", "sse", "null", "none"]


class PassingError(ValueError):
    """A record that cannot be passed by value; the text continues "which "."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiEquivalent:
    """The members of an ABI-equivalent record, from its start, without gaps except the last one."""

    members: tuple[Member, ...]
    is_packed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    """A scalar in a record; the kind "record" is an empty record."""

    offset: int
    size: int
    type: ValueType
    is_bit_field: bool = False

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def is_misaligned(self) -> bool:
        return not self.is_bit_field and self.offset % self.type.size != 0


_BYTE: Final = ValueType(kind="unsigned", name="unsigned char", size=1, alignment=1)
_SHORT: Final = ValueType(kind="unsigned", name="unsigned short", size=2, alignment=2)
_FLOAT: Final = ValueType(kind="float", name="float", size=4, alignment=4)
_EMPTY: Final = ValueType(kind="record", name="(empty)", size=1, alignment=1)


def find_obstacle(value: ValueType, *, is_x86: bool = True) -> str | None:
    """Explain why no call can pass ``value``; the text follows "which ". None if a call can."""
    if value.obstacle is not None or value.kind not in ("record", "union"):
        return value.obstacle
    try:
        make_equivalent(value, is_x86=is_x86)
    except PassingError as error:
        return str(error)
    return None


def make_equivalent(record: ValueType, *, is_x86: bool = True) -> AbiEquivalent:
    """Return a type to declare instead of ``record``; raise PassingError if none is safe."""
    if record.size > LARGEST_IN_REGISTERS or record.is_by_reference:
        return _bytes(record)
    parts = tuple(_leaves(record, 0))
    leaves = tuple(leaf for leaf in parts if leaf.type.kind != "record")
    if not leaves:
        is_plain = record.size == record.alignment
        return AbiEquivalent(members=() if is_plain else (_array(_EMPTY, 0, record.size),))
    return (
        _equivalent_on_x86(record, parts, leaves)
        if is_x86
        else _equivalent_on_aarch64(record, leaves)
    )


def _equivalent_on_x86(
    record: ValueType, parts: tuple[_Leaf, ...], leaves: tuple[_Leaf, ...]
) -> AbiEquivalent:
    if _is_wrapper(record, leaves):
        return AbiEquivalent(members=(Member(offset=0, type=leaves[0].type),))
    if record.size > _PAIR:
        return _bytes(record)
    if _goes_through_memory(record, leaves):
        return _small_in_memory(record)
    return _eightbytes(record, parts)


def _array(value: ValueType, offset: int, count: int) -> Member:
    return Member(offset=offset, type=value, count=count)


def _bytes(record: ValueType) -> AbiEquivalent:
    return AbiEquivalent(members=(_array(_BYTE, 0, record.size),))


def _leaves(record: ValueType, start: int) -> Iterator[_Leaf]:
    """Yield the scalars and the empty records in a record, with their offsets in the whole."""
    if not record.members:
        yield _Leaf(offset=start, size=record.size, type=record)
    for member in record.members:
        for index in range(1 if member.count is None else member.count):
            yield from _leaves_of(member, start + member.offset + index * member.type.size)


def _leaves_of(member: Member, offset: int) -> Iterator[_Leaf]:
    value = member.type
    if member.bit_size is not None:
        size = (member.bit_offset + member.bit_size + 7) // 8
        yield _Leaf(offset=offset, size=size, type=value, is_bit_field=True)
    elif value.kind in ("record", "union"):
        yield from _leaves(value, offset)
    elif value.kind == "complex":
        half = ValueType(
            kind="float",
            name=value.name.removeprefix("complex "),
            size=value.size // 2,
            alignment=value.alignment,
        )
        yield _Leaf(offset=offset, size=half.size, type=half)
        yield _Leaf(offset=offset + half.size, size=half.size, type=half)
    else:
        yield _Leaf(offset=offset, size=value.size, type=value)


def _is_wrapper(record: ValueType, leaves: tuple[_Leaf, ...]) -> bool:
    """Return whether one scalar fills the record, except for padding that alignment explains."""
    only = leaves[0]
    is_alone = len(leaves) == 1 and only.offset == 0 and not only.is_bit_field
    return is_alone and record.size - only.size < record.alignment >= only.type.size


def _goes_through_memory(record: ValueType, leaves: tuple[_Leaf, ...]) -> bool:
    if any(leaf.type.name == "long double" for leaf in leaves):
        raise PassingError("compilers pass differently, because a member overlaps a long double")
    has_misaligned_scalar = any(leaf.is_misaligned for leaf in leaves)
    # gcc considers where scalars are, clang where members are.
    if has_misaligned_scalar != _has_misaligned_member(record, 0):
        raise PassingError("compilers pass differently, because of a member's alignment")
    return has_misaligned_scalar


def _has_misaligned_member(record: ValueType, start: int) -> bool:
    for member in record.members:
        offset = start + member.offset
        if member.bit_size is None and offset % member.type.alignment:
            return True
        if member.type.kind in ("record", "union") and _has_misaligned_member(member.type, offset):
            return True
    return False


def _small_in_memory(record: ValueType) -> AbiEquivalent:
    """Return a type that is passed in memory although it is small, because of a member."""
    members = [Member(offset=0, type=_BYTE), Member(offset=1, type=_SHORT)]
    if record.size > 3:  # noqa: PLR2004 - the size of those two
        members.append(_array(_BYTE, 3, record.size - 3))
    return AbiEquivalent(members=tuple(members), is_packed=True)


def _eightbytes(record: ValueType, parts: tuple[_Leaf, ...]) -> AbiEquivalent:
    words = tuple(range(0, record.size, _WORD))
    inside = {w: [p for p in parts if p.offset < w + _WORD and p.end > w] for w in words}
    classes = {word: _classify(inside[word]) for word in words}
    if set(classes.values()) != {"integer"} and not _has_only_padding(record, parts):
        raise PassingError("has unnamed bit-fields, which debug information does not describe")
    is_wide = any(p.size == _PAIR and p.type.kind in ("float", "vector") for p in parts)
    if is_wide and classes[0] == "integer":  # clang 14 loses the upper half
        raise PassingError("compilers pass differently, because of its 16-byte member")
    wide = _upper_half(inside, classes)
    if wide is not None and record.alignment < wide.size:
        raise PassingError("is less aligned than a register that it fills")
    if wide is not None:
        return AbiEquivalent(members=(Member(offset=0, type=wide),))
    members: list[Member] = []
    for word in words:
        size = min(_WORD, record.size - word)
        members.extend(_fill(classes[word], inside[word], word, size))
    is_packed = any(member.type.alignment > record.alignment for member in members)
    return AbiEquivalent(members=tuple(members), is_packed=is_packed)


def _classify(parts: list[_Leaf]) -> _Class:
    kinds = {part.type.kind for part in parts if part.type.kind != "record"}
    if not kinds:
        return "none"
    nulls = {part.type.name == _NULLPTR for part in parts if part.type.kind != "record"}
    if True in nulls:
        if False in nulls:
            raise PassingError("compilers pass differently, because of a std::nullptr_t")
        return "null"
    is_sse = kinds <= {"float", "vector"} and not any(part.is_bit_field for part in parts)
    return "sse" if is_sse else "integer"


def _upper_half(inside: dict[int, list[_Leaf]], classes: dict[int, _Class]) -> ValueType | None:
    """Return the scalar that fills both eightbytes of one SSE register, if it is alone in it."""
    upper = [part for part in inside.get(_WORD, []) if part.type.kind != "record"]
    is_one = bool(upper) and all(p.size == _PAIR and p.type.kind != "pointer" for p in upper)
    is_sse = classes[0] == "sse" and classes.get(_WORD) == "sse"
    return upper[0].type if is_one and is_sse else None


def _has_only_padding(record: ValueType, parts: tuple[_Leaf, ...]) -> bool:
    """Return whether alignment explains every gap.

    gcc treats an unnamed bit-field as an integer, clang as padding, and neither describes it.
    """
    end = 0
    for part in sorted(parts, key=lambda part: part.offset):
        reach = part.offset & -part.offset
        if part.offset > end and part.offset - end >= reach:
            return False
        end = max(end, part.end)
    return record.size - end < record.alignment


def _fill(kind: _Class, parts: list[_Leaf], offset: int, size: int) -> Iterator[Member]:
    """Yield scalars of one class that fill ``size`` bytes."""
    if kind == "integer":
        yield _array(_BYTE, offset, size)
        return
    if kind == "null":
        null = next(part.type for part in parts if part.type.kind != "record")
        yield Member(offset=offset, type=null)
        return
    scalar = _FLOAT
    if kind == "sse":
        scalar = min((p.type for p in parts if p.type.kind == "float"), key=_size, default=_FLOAT)
        scalar = scalar if scalar.size < _FLOAT.size else _FLOAT
    count = size // scalar.size if kind == "sse" else 0
    if count:
        yield _array(scalar, offset, count)
    rest = size - count * scalar.size
    if rest:
        yield _array(_EMPTY, offset + size - rest, rest)


def _size(value: ValueType) -> int:
    return value.size


def _equivalent_on_aarch64(record: ValueType, leaves: tuple[_Leaf, ...]) -> AbiEquivalent:
    first = leaves[0].type
    places = {leaf.offset for leaf in leaves}
    is_alike = all((p.type.kind, p.size) == (first.kind, first.size) for p in leaves)
    is_full = len(places) * first.size == record.size and not any(p.is_misaligned for p in leaves)
    is_homogeneous = first.kind in ("float", "vector") and is_alike and is_full
    if is_homogeneous and len(places) <= _MOST_IN_AGGREGATE:
        return AbiEquivalent(members=(_array(replace(first), 0, len(places)),))
    return _bytes(record)
