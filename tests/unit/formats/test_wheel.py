"""Zip archives: requested members, limits, and damage to single members."""

from __future__ import annotations

import io
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.wheel import DEFAULT_LIMIT, WheelMember, is_wheel, iterate_members


def is_wanted(_name: str, front: bytes) -> bool:
    return front.startswith(b"\x7fELF")


def make(*members: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def read(content: bytes, limit: int = DEFAULT_LIMIT) -> list[WheelMember]:
    return list(iterate_members(content, is_wanted, limit=limit))


def test_requested_members_are_read_in_order() -> None:
    content = make(("b/x.so", b"\x7fELF b"), ("a.py", b"import x"), ("../a.so", b"\x7fELF a"))

    assert is_wheel(content)
    assert [(m.name, m.data) for m in read(content)] == [
        ("b/x.so", b"\x7fELF b"),
        ("../a.so", b"\x7fELF a"),
    ]


def test_member_without_a_name_is_read() -> None:
    content = make(("a.so", b"\x7fELF")).replace(b"a.so", b"\0.so")

    assert [(member.name, member.data) for member in read(content)] == [("", b"\x7fELF")]


def test_limit_applies_to_all_members_together() -> None:
    content = make(("a.so", b"\x7fELF" + bytes(500)), ("b.so", b"\x7fELF" + bytes(500)))

    first, second = read(content, limit=600)

    assert first.problem is None
    assert second.problem is not None
    assert "limit" in second.problem


def test_member_that_declares_an_impossible_size_is_a_problem() -> None:
    content = bytearray(make(("a.so", b"\x7fELF" + bytes(100))))
    entry = content.index(b"PK\x01\x02")
    struct.pack_into("<I", content, entry + 24, 1 << 30)

    (member,) = read(bytes(content))

    assert member.problem is not None
    assert "cannot yield" in member.problem


def test_damage_in_one_member_does_not_affect_others() -> None:
    content = bytearray(make(("a.so", b"\x7fELF aaaaaaaa"), ("b.so", b"\x7fELF b"), compression=0))
    content[content.index(b"aaaaaaaa")] = 0

    first, second = read(bytes(content))

    assert first.problem is not None
    assert second.data == b"\x7fELF b"


def test_other_files_are_rejected() -> None:
    with pytest.raises(InputError, match="not a valid zip archive"):
        read(b"PK\x03\x04 and nothing else")


@given(st.data())
def test_any_damage_is_a_problem_or_input_error(data: st.DataObject) -> None:
    content = bytearray(make(("a.so", b"\x7fELF" + bytes(range(200))), ("b.py", b"pass")))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    try:
        found = read(bytes(content[:cut]))
    except InputError:
        return
    assert all(member.problem or member.data for member in found)
