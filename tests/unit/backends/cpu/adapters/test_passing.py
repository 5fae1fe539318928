"""Tests for types that the ABI passes like a record, by the classes of its eightbytes."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.adapters.passing import (
    AbiEquivalent,
    PassingError,
    find_obstacle,
    make_equivalent,
)
from kbuild.formats.dwarf import Member, TypeKind, ValueType


def scalar(kind: TypeKind, name: str, size: int) -> ValueType:
    return ValueType(kind=kind, name=name, size=size, alignment=size)


FLOAT = scalar("float", "float", 4)
DOUBLE = scalar("float", "double", 8)
INT = scalar("signed", "int", 4)
EMPTY = ValueType(kind="record", name="E", size=1, alignment=1)


def record(size: int, alignment: int, *members: tuple[int, ValueType]) -> ValueType:
    return ValueType(
        kind="record",
        name="R",
        size=size,
        alignment=alignment,
        members=tuple(Member(offset=offset, type=value) for offset, value in members),
    )


def shape(twin: AbiEquivalent) -> list[tuple[str, int | None]]:
    return [(member.type.name, member.count) for member in twin.members]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (record(16, 8, (0, FLOAT), (8, DOUBLE)), [("float", 2), ("float", 2)]),
        (record(16, 8, (0, INT), (4, FLOAT), (8, DOUBLE)), [("unsigned char", 8), ("float", 2)]),
        (record(12, 4, (0, FLOAT), (4, FLOAT), (8, FLOAT)), [("float", 2), ("float", 1)]),
        (record(8, 4, (0, EMPTY), (4, FLOAT)), [("float", 2)]),
        (record(4, 4, (0, EMPTY), (0, INT)), [("int", None)]),
        (record(16, 16, (0, FLOAT)), [("float", None)]),
        (record(24, 8, (0, DOUBLE), (8, DOUBLE), (16, DOUBLE)), [("unsigned char", 24)]),
        (record(1, 1), []),
        (record(2, 1, (0, EMPTY), (1, EMPTY)), [("(empty)", 2)]),
    ],
)
def test_eightbytes_keep_their_class(value: ValueType, expected: list[object]) -> None:
    assert shape(make_equivalent(value)) == expected


def test_misaligned_members_go_through_memory() -> None:
    packed = make_equivalent(record(5, 1, (0, EMPTY), (1, INT)))
    assert packed.is_packed
    assert shape(packed) == [
        ("unsigned char", None),
        ("unsigned short", None),
        ("unsigned char", 2),
    ]


@pytest.mark.parametrize(
    "value",
    [
        record(8, 4, (4, FLOAT)),
        record(16, 16, (0, scalar("float", "long double", 16)), (0, INT)),
        record(5, 1, (0, EMPTY), (1, ValueType(kind="signed", name="int", size=4, alignment=1))),
    ],
)
def test_types_on_which_compilers_disagree_are_rejected(value: ValueType) -> None:
    with pytest.raises(PassingError):
        make_equivalent(value)
    assert find_obstacle(value)


def test_aarch64_passes_homogeneous_aggregates_in_registers() -> None:
    four = record(32, 8, *((8 * i, DOUBLE) for i in range(4)))
    assert shape(make_equivalent(four, is_x86=False)) == [("double", 4)]
    mixed = record(8, 4, (0, INT), (4, FLOAT))
    assert shape(make_equivalent(mixed, is_x86=False)) == [("unsigned char", 8)]
