from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.formats import offload_binary
from kbuild.formats.offload_entry import Entry

STRINGS = (("triple", "x86_64-unknown-linux-gnu"), ("arch", "x86-64-v3"), ("sha256", "ab"))
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
ENTRIES = st.lists(
    st.tuples(
        st.integers(0, 0xFFFF),
        st.lists(st.tuples(TEXT, TEXT), max_size=4).map(tuple),
        # A magic number inside an image must not be taken for the next binary.
        st.binary(max_size=200) | st.just(offload_binary.MAGIC * 8),
    ),
    max_size=4,
)


def _image(content: bytes, entry: Entry) -> bytes:
    return content[entry.image_offset : entry.image_offset + entry.image_size]


@given(ENTRIES)
def test_what_was_written_is_read_back(
    new: list[tuple[int, tuple[tuple[str, str], ...], bytes]],
) -> None:
    content = offload_binary.write(new)
    entries, problems = offload_binary.read(content)
    assert problems == ()
    assert [(e.image_kind, e.strings, _image(content, e)) for e in entries] == new
    assert sum(entry.span for entry in entries) == len(content)
    assert all(entry.offset % 8 == 0 for entry in entries)


@given(ENTRIES, st.integers(0, 64))
def test_padding_between_containers_is_skipped(
    new: list[tuple[int, tuple[tuple[str, str], ...], bytes]], zeros: int
) -> None:
    content = offload_binary.write(new)
    entries, problems = offload_binary.read(content + bytes(zeros) + content)
    assert problems == ()
    assert len(entries) == 2 * len(new)


@given(ENTRIES, st.data())
def test_damage_is_reported_not_raised(
    new: list[tuple[int, tuple[tuple[str, str], ...], bytes]], data: st.DataObject
) -> None:
    content = bytearray(offload_binary.write(new))
    for _ in range(data.draw(st.integers(0, 4))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(content[: data.draw(st.integers(0, len(content)))])
    entries, _ = offload_binary.read(damaged)
    for entry in entries:
        assert 0 <= entry.offset <= entry.offset + entry.span <= len(damaged)
        assert entry.span > 0
        assert entry.image_offset + entry.image_size <= len(damaged)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_raising(content: bytes) -> None:
    offload_binary.read(content)


def test_layout_is_llvms() -> None:
    content = offload_binary.write([(1, (("arch", "v3"),), b"image")])
    assert content[:8] == b"\x10\xff\x10\xad\x01\0\0\0"
    size, entry_offset, entry_size = struct.unpack_from("<QQQ", content, 8)
    assert (size, entry_offset, entry_size) == (len(content), 32, 40)
    kind, offload_kind, flags = struct.unpack_from("<HHI", content, 32)
    assert (kind, offload_kind, flags) == (1, 0, 0)
    strings, count, image, length = struct.unpack_from("<QQQQ", content, 40)
    assert (strings, count, length) == (72, 1, 5)
    assert image % 8 == 0
    assert content[image : image + 5] == b"image"
    key, value = struct.unpack_from("<QQ", content, strings)
    assert content[key : key + 5] == b"arch\0"
    assert content[value : value + 3] == b"v3\0"


def test_llvm_reads_what_is_written(tmp_path: Path) -> None:
    tool = next(
        filter(None, map(shutil.which, ("llvm-offload-binary", "clang-offload-packager-19"))), None
    )
    if tool is None:
        pytest.skip("LLVM's offload packager is not installed")
    container = tmp_path / "container.bin"
    container.write_bytes(
        offload_binary.write([(1, STRINGS, b"first"), (1, (*STRINGS[:1], ("arch", "b")), b"2nd")])
    )
    for arch, image in (("x86-64-v3", b"first"), ("b", b"2nd")):
        output = tmp_path / arch
        option = f"--image=file={output},triple={STRINGS[0][1]},arch={arch}"
        subprocess.run([tool, str(container), option], check=True)
        assert output.read_bytes() == image


def _sound() -> bytearray:
    return bytearray(offload_binary.write([(1, STRINGS, b"image"), (1, STRINGS, b"other")]))


def test_bad_magic_is_a_problem_and_the_next_binary_is_found() -> None:
    content = _sound()
    content[0] = 0x11
    entries, (problem,) = offload_binary.read(bytes(content))
    assert [_image(bytes(content), entry) for entry in entries] == [b"other"]
    assert (problem.where, problem.offset) == ("byte 0x0", 0)
    assert "magic" in problem.message


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (4, b"\0\0\0\0", "version 0 is not supported"),
        (4, b"\x02\0\0\0", "40 entries lie outside"),
        (4, b"\x04\0\0\0", "version 4 is not supported"),
        (8, b"\x08\0\0\0\0\0\0\0", "no room for its entry"),
        (8, b"\xff" * 8, "bytes, .* are there"),
        (16, b"\xff" * 8, "lies outside"),
        (40, b"\xff" * 8, "strings lie outside"),
        (48, b"\xff" * 8, "strings lie outside"),
        (56, b"\xff" * 8, "its image ends at byte"),
        (64, b"\xff" * 8, "its image ends at byte"),
    ],
)
def test_every_field_is_checked(offset: int, value: bytes, message: str) -> None:
    content = _sound()
    content[offset : offset + len(value)] = value
    _, problems = offload_binary.read(bytes(content))
    assert re.search(message, problems[0].message)


def test_size_that_swallows_the_next_binary_is_a_problem() -> None:
    content = _sound()
    struct.pack_into("<Q", content, 8, len(content))
    entries, (problem,) = offload_binary.read(bytes(content))
    assert len(entries) == 2
    assert "its parts end at byte" in problem.message


def test_cut_image_keeps_its_strings() -> None:
    content = bytes(_sound())[:-8]
    entries, (problem,) = offload_binary.read(content)
    assert entries[1].string("arch") == "x86-64-v3"
    assert entries[1].string("absent") is None
    assert problem.offset == entries[1].offset
