"""Gaps behind the variables of an object."""

from __future__ import annotations

import struct

import pytest

from kbuild.errors import InputError
from kbuild.formats.elf.gaps import add_gaps

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
NAMES = b"\0.bss.a\0.data.b\0.data.rel.ro.c\0.tbss.d\0.shstrtab\0"
WRITE_ALLOC, TLS = 3, 0x400
CONTENT = b"12345678"


def make_row(name: bytes, kind: int, flags: int, offset: int, size: int) -> bytes:
    return SECTION.pack(NAMES.index(name), kind, flags, 0, offset, size, 0, 0, 4, 0)


def make_object() -> bytes:
    start = HEADER.size
    rows = (
        bytes(SECTION.size),
        make_row(b".bss.a", 8, WRITE_ALLOC, start, 4096),
        make_row(b".data.b", 1, WRITE_ALLOC, start, len(CONTENT)),
        make_row(b".data.rel.ro.c", 1, WRITE_ALLOC, start, len(CONTENT)),
        make_row(b".tbss.d", 8, WRITE_ALLOC | TLS, start, 64),
        make_row(b".shstrtab", 3, 0, start + len(CONTENT), len(NAMES)),
    )
    table = start + len(CONTENT) + len(NAMES)
    sizes = (HEADER.size, 0, 0, SECTION.size, len(rows), len(rows) - 1)
    header = HEADER.pack(b"\x7fELF\x02\x01\x01", 1, 62, 1, 0, 0, table, 0, *sizes)
    return header + CONTENT + NAMES + b"".join(rows)


def read_rows(data: bytes) -> list[tuple[int, ...]]:
    table, count = HEADER.unpack_from(data)[6], HEADER.unpack_from(data)[12]
    return [SECTION.unpack_from(data, table + SECTION.size * index) for index in range(count)]


def test_variables_grow_and_other_sections_do_not() -> None:
    before = read_rows(make_object())
    grown = add_gaps(make_object())
    after = read_rows(grown)
    assert after[1][5] == 4096 + 1024
    assert after[2][5] == len(CONTENT) + 256
    assert grown[after[2][4] :] == CONTENT + bytes(256)
    assert after[3:] == before[3:]


def test_gaps_have_a_limit() -> None:
    data = bytearray(make_object())
    table = HEADER.unpack_from(data)[6]
    struct.pack_into("<Q", data, table + SECTION.size + 32, 1 << 30)
    assert read_rows(add_gaps(bytes(data)))[1][5] == (1 << 30) + (1 << 20)


@pytest.mark.parametrize("data", [b"", b"\x7fELF\x01\x01", b"\x7fELF\x02\x02" + bytes(64)])
def test_other_files_are_rejected(data: bytes) -> None:
    with pytest.raises(InputError, match="not a little-endian ELF object"):
        add_gaps(data)
