from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.archive import MAGIC, Member, read_members

LONG = "a_name_that_does_not_fit_in_sixteen_bytes.o"


def _header(name: str, size: int) -> bytes:
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()


def _bsd_archive() -> bytes:
    first, second = b"one", b"four"
    name = LONG.encode().ljust(44, b"\0")
    table = _header("__.SYMDEF", 4) + bytes(4)
    return (
        MAGIC
        + table
        + _header(f"#1/{len(name)}", len(name) + len(first))
        + name
        + first
        + b"\n"
        + _header("short.o", len(second))
        + second
    )


def test_members_of_bsd_archive_are_read() -> None:
    assert read_members(_bsd_archive()) == (
        Member(name=LONG, data=b"one"),
        Member(name="short.o", data=b"four"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an archive"),
        (MAGIC + b"x", "invalid member header at byte 8"),
        (MAGIC + _header("a/", 10), "ends at byte 78"),
        (MAGIC + _header("a/", 1).replace(b"1 ", b"-1"), "invalid number"),
        (MAGIC + _header("/7", 0), "not in its table"),
        (MAGIC + _header("/x", 0), "invalid number"),
        (MAGIC + _header("#1/9", 2) + b"ab", "longer than the member"),
    ],
)
def test_malformed_archive_is_rejected(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_members(content)


def test_empty_archive_has_no_members() -> None:
    assert read_members(MAGIC) == ()


@given(st.data())
def test_damaged_archive_raises_only_input_error(data: st.DataObject) -> None:
    content = bytearray(_bsd_archive())
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(content[: data.draw(st.integers(0, len(content)))])
    with contextlib.suppress(InputError):
        read_members(damaged)
