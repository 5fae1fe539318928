"""Reads object files that are made by hand, and damaged ones."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest

from kbuild.errors import InputError
from kbuild.formats.elf.reachability import Reach, Reachability
from support.files.hostile_files import RELA, STRTAB, SYMTAB, Part, make_elf

ALLOC, CODE = 2, 6
PC32, PLT32, ABSOLUTE = 2, 4, 1
FUNCTION, SECTION, TLS = 0x12, 3, 0x16
NAMES = frozenset(("wait", "thread"))
STRINGS = b"\0kernel\0helper\0await\0thread\0"
KERNEL, HELPER, WAIT, THREAD = 1, 8, 16, 21


def make_symbol(name: int, info: int, section: int, value: int = 0) -> bytes:
    return struct.pack("<IBBHQQ", name, info, 0, section, value, 0)


def make_row(offset: int, kind: int, symbol: int, addend: int = 0) -> bytes:
    return struct.pack("<QIIq", offset, kind, symbol, addend)


SYMBOLS = (
    bytes(24),
    make_symbol(KERNEL, FUNCTION, 1),
    make_symbol(HELPER, FUNCTION, 2, 16),
    make_symbol(0, SECTION, 2),
    make_symbol(WAIT, 0x10, 0),
    make_symbol(THREAD, TLS, 0),
    make_symbol(0, SECTION, 3),
)
# kernel: call 2f; ret. helper: call wait; mov thread. table: helper.
PARTS = (
    Part(name=".text.kernel", data=b"\xe8\0\0\0\0\xc3", flags=CODE),
    Part(name=".text.helper", data=b"\x90" * 15 + b"\xe8\0\0\0\0\x8b\x05\0\0\0\0", flags=CODE),
    Part(name=".data.table", data=bytes(8), flags=ALLOC),
    Part(name=".symtab", type=SYMTAB, data=b"".join(SYMBOLS), link=5, entry_size=24, flags=0),
    Part(name=".strtab", type=STRTAB, data=STRINGS, flags=0),
    Part(type=RELA, data=make_row(1, PLT32, 3, 11), link=4, info=1, flags=0),
    Part(
        type=RELA,
        data=make_row(16, PLT32, 4, -4) + make_row(22, 23, 5, -4),
        link=4,
        info=2,
        flags=0,
    ),
)


def add_table(*row: int) -> bytes:
    return make_elf([*PARTS, Part(type=RELA, data=make_row(*row), link=4, info=3, flags=0)])


def test_references_by_section_are_followed() -> None:
    found = Reachability(make_elf(PARTS), NAMES)
    assert found.find_reach("kernel") == Reach(symbols=NAMES, has_indirect_call=False)
    assert found.find_addressed() == frozenset()


def test_requested_name_in_a_reached_section_counts() -> None:
    assert Reachability(make_elf(PARTS), ["helper"]).find_reach("kernel").symbols == {"helper"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((0, ABSOLUTE, 2), NAMES),  # helper
        ((0, ABSOLUTE, 3, 16), NAMES),  # section + 16, where helper starts
        ((0, ABSOLUTE, 3, 20), frozenset()),  # a label in the section
        ((0, PC32, 3, 20), NAMES),  # a distance in a table that nothing refers to
        ((0, 77, 3, 20), NAMES),  # a relocation of unknown type
        ((0, ABSOLUTE, 4), {"wait"}),
        ((0, ABSOLUTE, 5), frozenset()),  # thread is not a function
        ((0, ABSOLUTE, 6), frozenset()),  # the table itself
    ],
)
def test_addresses_in_data(row: tuple[int, ...], expected: frozenset[str]) -> None:
    assert Reachability(add_table(*row), NAMES).find_addressed() == expected


@pytest.mark.parametrize("referrer", [1, 2])
def test_switch_table_belongs_to_the_only_function_that_refers_to_it(referrer: int) -> None:
    reference = Part(type=RELA, data=make_row(0, PC32, 6), link=4, info=referrer, flags=0)
    table = Part(type=RELA, data=make_row(0, PC32, 3, 20), link=4, info=3, flags=0)
    found = Reachability(make_elf([*PARTS, reference, table]), NAMES)
    assert found.find_addressed() == (NAMES if referrer == 1 else frozenset())


@pytest.mark.parametrize("name", [".init_array", ".eh_frame", "__patchable_function_entries"])
def test_lists_for_the_loader_and_the_unwinder_do_not_count(name: str) -> None:
    listed = [*PARTS[:2], replace(PARTS[2], name=name), *PARTS[3:]]
    row = Part(type=RELA, data=make_row(0, ABSOLUTE, 2), link=4, info=3, flags=0)
    assert Reachability(make_elf([*listed, row]), NAMES).find_addressed() == frozenset()


def test_thunks_count_as_indirect_calls() -> None:
    strings = replace(PARTS[4], data=STRINGS + b"__x86_indirect_thunk_rax\0")
    found = Reachability(make_elf([*PARTS[:4], strings, *PARTS[5:]]), NAMES)
    assert found.find_reach("kernel").has_indirect_call


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "cut off in its ELF header"),
        (b"\x7fELF" + bytes(200), "not a relocatable object file"),
        (make_elf(PARTS, kind=3), "an ELF file of type 3; expected a relocatable object file"),
        (make_elf(PARTS, machine=190), "machine 190"),
        (
            make_elf([*PARTS, Part(type=RELA, data=make_row(0, 1, 9), link=4, info=1)]),
            "a relocation of symbol 9, which does not exist",
        ),
        (
            make_elf([*PARTS, Part(type=RELA, data=make_row(0, 1, 1), link=4, info=99)]),
            "relocations of section 99, which does not exist",
        ),
        (
            make_elf([*PARTS, Part(type=RELA, data=bytes(25), link=4, info=1)]),
            "relocations of type 4 with 25 bytes",
        ),
        (
            make_elf([*PARTS, Part(type=9, data=bytes(16), link=4, info=1)]),
            "relocations of type 9 with 16 bytes; expected type 4",
        ),
        (
            make_elf([*PARTS, Part(type=0x40000014, data=b"\0", link=4, info=1)]),
            "relocations of type 1073741844",
        ),
    ],
)
def test_unusable_files_are_errors(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Reachability(data, NAMES)


def test_unknown_function_is_an_error() -> None:
    found = Reachability(make_elf(PARTS), NAMES)
    for name in ("wait", "unknown", ""):
        with pytest.raises(InputError, match=f"does not define the function '{name}'"):
            found.find_reach(name)


def test_damaged_files_are_read_or_rejected() -> None:
    data = add_table(0, ABSOLUTE, 2)
    choose = random.Random(7)  # noqa: S311
    for attempt in range(4000):
        damaged = bytearray(data)
        for _ in range(choose.randint(1, 4)):
            damaged[choose.randrange(len(data))] = choose.choice((0, 1, 4, 127, 255))
        if attempt % 4 == 0:
            del damaged[choose.randrange(len(data)) :]
        try:
            found = Reachability(bytes(damaged), NAMES)
            found.find_addressed()
            found.find_reach("kernel")
        except InputError:
            pass
