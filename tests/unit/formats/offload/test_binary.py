from __future__ import annotations

import re
import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.offload import binary as offload_binary
from kbuild.formats.offload.binary_entry import Entry
from support.files.amd_builders import ZLIB, ZSTD, NewBinaryEntry
from support.files.amd_builders import offload_binary as build

STRINGS = (("triple", "x86_64-unknown-linux-gnu"), ("arch", "x86-64-v3"), ("sha256", "ab"))
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
ENTRIES = st.lists(
    st.tuples(
        st.integers(0, 0xFFFF),
        st.lists(st.tuples(TEXT, TEXT), max_size=4).map(tuple),
        # A magic number inside an image must not be mistaken for the next binary.
        st.binary(max_size=200) | st.just(offload_binary.MAGIC * 8),
    ),
    max_size=4,
)


def _image(content: bytes, entry: Entry) -> bytes:
    return content[entry.image_offset : entry.image_offset + entry.image_size]


@given(ENTRIES)
def test_written_containers_are_read_back(
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
def test_damage_is_reported_without_raising(
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
def test_arbitrary_bytes_do_not_raise(content: bytes) -> None:
    offload_binary.read(content)


def test_layout_matches_llvm() -> None:
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
        (4, b"\0\0\0\0", "unsupported offload binary version 0"),
        (4, b"\x02\0\0\0", "40 entries are outside"),
        (4, b"\x04\0\0\0", "unsupported offload binary version 4"),
        (8, b"\x08\0\0\0\0\0\0\0", "too few for its entry"),
        (8, b"\xff" * 8, "bytes, but only .* follow"),
        (16, b"\xff" * 8, "entry is outside"),
        (40, b"\xff" * 8, "strings of an image are outside"),
        (48, b"\xff" * 8, "strings of an image are outside"),
        (56, b"\xff" * 8, "an image ends at byte"),
        (64, b"\xff" * 8, "an image ends at byte"),
    ],
)
def test_every_field_is_checked(offset: int, value: bytes, message: str) -> None:
    content = _sound()
    content[offset : offset + len(value)] = value
    _, problems = offload_binary.read(bytes(content))
    assert re.search(message, problems[0].message)


def test_size_that_includes_the_next_binary_is_a_problem() -> None:
    content = _sound()
    struct.pack_into("<Q", content, 8, len(content))
    entries, (problem,) = offload_binary.read(bytes(content))
    assert len(entries) == 2
    assert "its parts end at byte" in problem.message


def test_truncated_image_keeps_its_strings() -> None:
    content = bytes(_sound())[:-8]
    entries, (problem,) = offload_binary.read(content)
    assert entries[1].string("arch") == "x86-64-v3"
    assert entries[1].string("absent") is None
    assert problem.offset == entries[1].offset


NEW_ENTRIES = st.lists(
    st.builds(
        NewBinaryEntry,
        data=st.binary(max_size=100) | st.just(offload_binary.MAGIC * 8),
        kind=st.integers(0, 9),
        offload_kind=st.integers(0, 9),
        flags=st.integers(0, 3),
        strings=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
    ),
    min_size=1,
    max_size=4,
)
FORMS = [(2, None), (3, None), (3, ZLIB), (3, ZSTD)]


@given(NEW_ENTRIES, st.sampled_from(FORMS))
def test_every_image_of_a_binary_is_read(
    new: list[NewBinaryEntry], form: tuple[int, int | None]
) -> None:
    content = build(new, version=form[0], method=form[1])
    twice = content + bytes(16) + content
    entries, problems = offload_binary.read(twice)
    assert problems == ()
    assert [e.offset for e in entries] == [0] * len(new) + [len(content) + 16] * len(new)
    for entry, one in zip(entries, (*new, *new), strict=True):
        assert entry.version == form[0]
        assert bytes(offload_binary.load(entry, twice)) == one.data
        assert (entry.image_kind, entry.offload_kind) == (one.kind, one.offload_kind)
        assert entry.strings == one.strings
        assert entry.is_metadata_only == bool(one.flags & 1)
        assert (entry.packed is not None) == (form[1] is not None)


@given(NEW_ENTRIES, st.sampled_from(FORMS), st.data())
def test_damage_to_later_versions_is_reported_without_raising(
    new: list[NewBinaryEntry], form: tuple[int, int | None], data: st.DataObject
) -> None:
    content = bytearray(build(new, version=form[0], method=form[1]))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    _read_everything(bytes(content[: data.draw(st.integers(0, len(content)))]))


@given(st.binary(max_size=200), st.sampled_from((2, 3)))
def test_arbitrary_bytes_of_later_versions_do_not_raise(tail: bytes, version: int) -> None:
    _read_everything(offload_binary.MAGIC + struct.pack("<I", version) + tail)
    front = struct.pack("<4sIQQ", offload_binary.MAGIC, version, 40 + len(tail), 40)
    _read_everything(front + tail)


def _read_everything(content: bytes) -> None:
    entries, _ = offload_binary.read(content)
    for entry in entries:
        assert 0 <= entry.offset < entry.offset + entry.span <= len(content)
        try:
            assert len(offload_binary.load(entry, content, limit=1 << 20)) <= 1 << 20
        except InputError:
            assert entry.packed


def test_kinds_have_names() -> None:
    kinds = [NewBinaryEntry(kind=kind, offload_kind=kind) for kind in range(10)]
    entries, _ = offload_binary.read(build(kinds))
    assert [e.image_kind_name for e in entries] == [
        *("none", "object", "bitcode", "cubin", "fatbinary", "ptx", "spirv"),
        *("other",) * 3,
    ]
    assert [e.offload_kind_name for e in entries] == [
        *("none", "openmp", "cuda", "hip", "hip", "other", "other", "other", "sycl", "other"),
    ]


PAIR = build([NewBinaryEntry(data=b"first", strings=STRINGS), NewBinaryEntry(data=b"other")])
PACKED = build([NewBinaryEntry(data=b"image" * 50, strings=STRINGS)], method=ZSTD)


@pytest.mark.parametrize(
    ("sound", "offset", "value", "message"),
    [
        (PAIR, 24, 0, "0 entries are outside"),
        (PAIR, 24, 1 << 60, "entries are outside"),
        (PAIR, 16, 8, "entries are outside"),
        (PAIR, 40 + 16, 1025, "strings of an image are outside"),
        (PAIR, 40 + 8, 1 << 60, "strings of an image are outside"),
        (PAIR, 40 + 24, 1 << 60, "an image ends at byte"),
        (PAIR, 120 + 16, 1 << 60, "strings of an image are outside"),
        (PACKED, 16, 8, "are outside"),
        (PACKED, 24, 1 << 40, "entries are outside|are too large"),
        (PACKED, 32, 41, "entry is outside"),
        (PACKED, 40, 0, "is damaged"),
        (PACKED, 44, 0, "is damaged"),
    ],
)
def test_every_field_of_later_versions_is_checked(
    sound: bytes, offset: int, value: int, message: str
) -> None:
    content = bytearray(sound)
    struct.pack_into("<Q", content, offset, value)
    _, problems = offload_binary.read(bytes(content))
    assert re.search(message, problems[0].message), problems


def test_forged_size_of_a_compressed_binary_does_not_allocate_memory() -> None:
    content = bytearray(PACKED)
    struct.pack_into("<Q", content, 32, 1 << 62)
    (entry,), _ = offload_binary.read(bytes(content))
    assert entry.strings == STRINGS
    with pytest.raises(InputError, match="the limit is"):
        offload_binary.load(entry, bytes(content))


def test_forged_entries_with_shared_strings_are_limited() -> None:
    text = b"k" * 4000 + b"\0"
    count = 2000
    start = 40 + 40 * count
    row = struct.pack("<HHIQQQQ", 1, 4, 0, start, 1000, 0, 0)
    body = row * count + struct.pack("<QQQ", start + 24_000, start + 24_000, 4000) * 1000 + text
    header = struct.pack("<4sIQQQQ", offload_binary.MAGIC, 3, 40 + len(body), 40, count, 0)
    started = time.monotonic()
    entries, problems = offload_binary.read(header + body)
    assert len(entries) == count
    assert any("strings" in problem.message for problem in problems)
    assert sum(len(entry.strings) for entry in entries) < 2000
    assert time.monotonic() - started < 10
