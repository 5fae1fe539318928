"""How a call passes a record: twins of C++ types that the same registers and memory carry.

A record of up to two eightbytes goes in registers that its scalars choose, whatever
structure they are in; a larger one goes through memory.  So a twin has the record's size,
its alignment and, an eightbyte at a time, scalars of the same class.  That holds for
bases, unions, bit-fields and packed records alike.

Sources: x86-64 psABI 1.0, section 3.2.3; AAPCS64 2024Q3, sections 5.9.5 and 6.8.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from kbuild.formats.dwarf import Member, ValueType

# No record beyond this goes in registers: one vector, or four of them on AArch64.
LARGEST_IN_REGISTERS: Final = 64

_WORD: Final = 8
_PAIR: Final = 2 * _WORD
_MOST_IN_AGGREGATE: Final = 4

_NULLPTR: Final = "decltype(nullptr)"

# "null" is std::nullptr_t: an integer for gcc, nothing for clang.
_Class = Literal["integer", "sse", "null", "none"]


class PassingError(ValueError):
    """A record that cannot be passed by value; the text continues "which "."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """The members of a record's twin, from its beginning on, without gaps but the last."""

    members: tuple[Member, ...]
    is_packed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    """A scalar within a record; kind "record" is an empty one."""

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
    """Why no call can pass ``value``, to stand behind "which "; None where one can."""
    if value.obstacle is not None or value.kind not in ("record", "union"):
        return value.obstacle
    try:
        make_twin(value, is_x86=is_x86)
    except PassingError as error:
        return str(error)
    return None


def make_twin(record: ValueType, *, is_x86: bool = True) -> Twin:
    """What to declare instead of ``record``; PassingError where nothing is sure to do."""
    if record.size > LARGEST_IN_REGISTERS:
        return _bytes(record)
    parts = tuple(_leaves(record, 0))
    leaves = tuple(leaf for leaf in parts if leaf.type.kind != "record")
    if not leaves:
        is_plain = record.size == record.alignment
        return Twin(members=() if is_plain else (_array(_EMPTY, 0, record.size),))
    return _twin_on_x86(record, parts, leaves) if is_x86 else _twin_on_aarch64(record, leaves)


def _twin_on_x86(record: ValueType, parts: tuple[_Leaf, ...], leaves: tuple[_Leaf, ...]) -> Twin:
    if _is_wrapper(record, leaves):
        return Twin(members=(Member(offset=0, type=leaves[0].type),))
    if record.size > _PAIR:
        return _bytes(record)
    if _goes_through_memory(record, leaves):
        return _small_in_memory(record)
    return _eightbytes(record, parts)


def _array(value: ValueType, offset: int, count: int) -> Member:
    return Member(offset=offset, type=value, count=count)


def _bytes(record: ValueType) -> Twin:
    return Twin(members=(_array(_BYTE, 0, record.size),))


def _leaves(record: ValueType, start: int) -> Iterator[_Leaf]:
    """The scalars of a record, and the empty records, by their places in the whole."""
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
    """Whether one scalar fills the record, but for padding that alignment explains."""
    only = leaves[0]
    is_alone = len(leaves) == 1 and only.offset == 0 and not only.is_bit_field
    return is_alone and record.size - only.size < record.alignment >= only.type.size


def _goes_through_memory(record: ValueType, leaves: tuple[_Leaf, ...]) -> bool:
    if any(leaf.type.name == "long double" for leaf in leaves):
        raise PassingError(
            "compilers pass in different ways, for what shares a long double's place"
        )
    has_misaligned_scalar = any(leaf.is_misaligned for leaf in leaves)
    # gcc asks where scalars lie, clang where members do.
    if has_misaligned_scalar != _has_misaligned_member(record, 0):
        raise PassingError("compilers pass in different ways, for a member's alignment")
    return has_misaligned_scalar


def _has_misaligned_member(record: ValueType, start: int) -> bool:
    for member in record.members:
        offset = start + member.offset
        if member.bit_size is None and offset % member.type.alignment:
            return True
        if member.type.kind in ("record", "union") and _has_misaligned_member(member.type, offset):
            return True
    return False


def _small_in_memory(record: ValueType) -> Twin:
    """A twin that goes through memory for what it holds: it is too small to do so anyway."""
    members = [Member(offset=0, type=_BYTE), Member(offset=1, type=_SHORT)]
    if record.size > 3:  # noqa: PLR2004 - the size of those two
        members.append(_array(_BYTE, 3, record.size - 3))
    return Twin(members=tuple(members), is_packed=True)


def _eightbytes(record: ValueType, parts: tuple[_Leaf, ...]) -> Twin:
    words = tuple(range(0, record.size, _WORD))
    inside = {w: [p for p in parts if p.offset < w + _WORD and p.end > w] for w in words}
    classes = {word: _classify(inside[word]) for word in words}
    if set(classes.values()) != {"integer"} and not _has_only_padding(record, parts):
        raise PassingError("has unnamed bit-fields, whose place no debug information tells")
    is_wide = any(p.size == _PAIR and p.type.kind in ("float", "vector") for p in parts)
    if is_wide and classes[0] == "integer":  # clang 14 loses the upper half
        raise PassingError("compilers pass in different ways, for its 16-byte member")
    wide = _upper_half(inside, classes)
    if wide is not None and record.alignment < wide.size:
        raise PassingError("is less aligned than a register that it fills")
    if wide is not None:
        return Twin(members=(Member(offset=0, type=wide),))
    members: list[Member] = []
    for word in words:
        size = min(_WORD, record.size - word)
        members.extend(_fill(classes[word], inside[word], word, size))
    is_packed = any(member.type.alignment > record.alignment for member in members)
    return Twin(members=tuple(members), is_packed=is_packed)


def _classify(parts: list[_Leaf]) -> _Class:
    kinds = {part.type.kind for part in parts if part.type.kind != "record"}
    if not kinds:
        return "none"
    nulls = {part.type.name == _NULLPTR for part in parts if part.type.kind != "record"}
    if True in nulls:
        if False in nulls:
            raise PassingError("compilers pass in different ways, for a std::nullptr_t")
        return "null"
    is_sse = kinds <= {"float", "vector"} and not any(part.is_bit_field for part in parts)
    return "sse" if is_sse else "integer"


def _upper_half(inside: dict[int, list[_Leaf]], classes: dict[int, _Class]) -> ValueType | None:
    """The scalar that has both eightbytes in one SSE register, if nothing else is in the upper."""
    upper = [part for part in inside.get(_WORD, []) if part.type.kind != "record"]
    is_one = bool(upper) and all(p.size == _PAIR and p.type.kind != "pointer" for p in upper)
    is_sse = classes[0] == "sse" and classes.get(_WORD) == "sse"
    return upper[0].type if is_one and is_sse else None


def _has_only_padding(record: ValueType, parts: tuple[_Leaf, ...]) -> bool:
    """Whether alignment explains every gap.

    gcc takes an unnamed bit-field for an integer, clang for padding, and neither describes it.
    """
    end = 0
    for part in sorted(parts, key=lambda part: part.offset):
        reach = part.offset & -part.offset
        if part.offset > end and part.offset - end >= reach:
            return False
        end = max(end, part.end)
    return record.size - end < record.alignment


def _fill(kind: _Class, parts: list[_Leaf], offset: int, size: int) -> Iterator[Member]:
    """Scalars of one class for ``size`` bytes."""
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


def _twin_on_aarch64(record: ValueType, leaves: tuple[_Leaf, ...]) -> Twin:
    first = leaves[0].type
    places = {leaf.offset for leaf in leaves}
    is_alike = all((p.type.kind, p.size) == (first.kind, first.size) for p in leaves)
    is_full = len(places) * first.size == record.size and not any(p.is_misaligned for p in leaves)
    is_homogeneous = first.kind in ("float", "vector") and is_alike and is_full
    if is_homogeneous and len(places) <= _MOST_IN_AGGREGATE:
        return Twin(members=(_array(replace(first), 0, len(places)),))
    return _bytes(record)
