from __future__ import annotations

import importlib
import re
import struct

import lz4.block
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats import compression
from kbuild.formats.nvidia.fatbin.containers import MAGIC, read_containers, read_wrappers
from kbuild.formats.nvidia.fatbin.entry import Entry
from kbuild.formats.nvidia.fatbin.payload import read_image, read_images
from kbuild.model import Problem
from support.files.nvidia_builders import (
    ELF,
    LTOIR,
    LZ4,
    PTX,
    ZSTD,
    NewEntry,
    concatenated,
    container,
    entry,
)

TEXT = st.binary(max_size=20).map(lambda text: text.replace(b"\0", b"-"))
ENTRIES = st.lists(
    st.builds(
        NewEntry,
        # A magic number inside an image must not be mistaken for the next container.
        data=st.binary(min_size=1, max_size=200) | st.just(MAGIC * 8),
        kind=st.sampled_from((ELF, 0x40, 0x80, 0x20)),
        arch=st.integers(0, 500),
        flags=st.sampled_from((0x11, 0x13, 0x11 | LZ4, 0x11 | ZSTD, 0x100011, 0x200011)),
        identifier=TEXT,
        options=TEXT,
        extra=st.sampled_from((0, 8, 24)),
    ),
    max_size=4,
)


def _only(content: bytes) -> Entry:
    (found,), problems = read_containers(content)
    assert problems == ()
    (one,) = found.entries
    return one


def _damaged(message: str, content: bytes) -> None:
    _, problems = read_containers(content)
    assert re.search(message, problems[0].message), problems


@given(ENTRIES)
def test_written_containers_are_read_back(new: list[NewEntry]) -> None:
    content = container(*map(entry, new))
    (found,), problems = read_containers(content)
    assert problems == ()
    assert (found.offset, found.size) == (0, len(content))
    assert sum(e.span for e in found.entries) == len(content) - 16
    assert [e.arch_number for e in found.entries] == [n.arch for n in new]
    for one, (read, image), made in zip(
        found.entries, read_images(found.entries, content), new, strict=True
    ):
        assert read == one
        assert isinstance(image, bytes | memoryview)
        assert bytes(image)[: len(made.data)] == made.data
        assert one.identifier == made.identifier.decode("utf-8", "replace")
        assert one.options == made.options.decode("utf-8", "replace")


@given(ENTRIES, st.integers(0, 64))
def test_zeros_between_containers_are_skipped(new: list[NewEntry], zeros: int) -> None:
    content = container(*map(entry, new))
    found, problems = read_containers(bytes(zeros) + content + bytes(zeros) + content)
    assert problems == ()
    assert [c.offset for c in found] == [zeros, 2 * zeros + len(content)]


def _read_everything(content: bytes) -> None:
    found, problems = read_containers(content)
    assert all(problem.offset is not None for problem in problems)
    for one in found:
        assert 0 <= one.offset < one.offset + one.size <= len(content)
        for e, image in read_images(one.entries, content, limit=1 << 20):
            assert one.offset < e.offset < e.offset + e.span <= one.offset + one.size
            assert e.payload.offset + e.payload.stored_size <= len(content)
            assert isinstance(image, Problem) or len(image) <= 1 << 20


@given(ENTRIES, st.data())
def test_damage_is_reported_without_raising(new: list[NewEntry], data: st.DataObject) -> None:
    members = tuple(new)
    content = bytearray(container(*map(entry, new), *([concatenated(members)] if members else [])))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    _read_everything(bytes(content[: data.draw(st.integers(0, len(content)))]))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_do_not_raise(content: bytes) -> None:
    _read_everything(content)
    _read_everything(MAGIC + content)
    read_wrappers(content)


@pytest.mark.parametrize(
    ("kind", "flags", "arch"),
    [
        (ELF, 0x11, "sm_90"),
        (ELF, 0x100011, "sm_90a"),
        (ELF, 0x200011, "sm_90f"),
        (PTX, 0x100011, "compute_90a"),
        (LTOIR, 0x10011, "lto_90"),
    ],
)
def test_architecture_has_the_spelling_of_the_vendor(kind: int, flags: int, arch: str) -> None:
    assert _only(container(entry(NewEntry(data=b"x", kind=kind, flags=flags)))).arch == arch


def test_debug_and_host_are_read_from_flags() -> None:
    one = _only(container(entry(NewEntry(flags=0x13))))
    assert (one.is_debug, one.host) == (True, "linux")
    one = _only(container(entry(NewEntry(flags=0x41))))
    assert (one.is_debug, one.host) == (False, "windows")
    assert _only(container(entry(NewEntry(flags=1)))).host is None


def test_unknown_kind_is_listed() -> None:
    one = _only(container(entry(NewEntry(data=b"index", kind=0x20))))
    assert (one.kind, one.kind_code) == ("other", 0x20)


def test_options_of_a_cubin_end_before_the_copy_of_its_compat_section() -> None:
    assert _only(container(entry(NewEntry(options=b"-v\0\2\x09")))).options == "-v"


def test_padding_of_ptx_is_removed() -> None:
    for flags in (0x11, 0x11 | LZ4, 0x11 | ZSTD):
        content = container(entry(NewEntry(data=b".version\0", kind=PTX, flags=flags)))
        assert read_image(_only(content), content) == b".version"


def test_raw_image_is_not_copied() -> None:
    content = container(entry(NewEntry(data=b"8 bytes.")))
    image = read_image(_only(content), content)
    assert isinstance(image, memoryview)
    assert image.obj is content


def test_members_of_a_concatenated_entry_are_images(monkeypatch: pytest.MonkeyPatch) -> None:
    members = (
        NewEntry(data=b"first of them...", flags=0x100011, identifier=b"two.cu"),
        NewEntry(data=b"the second", arch=80, options=b"-O1 ", identifier=b"two.cu"),
        NewEntry(data=b"text\0", kind=PTX, version=(9, 0)),
    )
    content = container(entry(NewEntry(data=b"alone")), concatenated(members))
    (found,), problems = read_containers(content)
    assert problems == ()
    assert [e.arch for e in found.entries] == ["sm_90", "sm_90a", "sm_80", "compute_90"]
    assert [e.options for e in found.entries] == ["", "", "-O1 ", ""]
    assert [e.identifier for e in found.entries] == ["", "two.cu", "two.cu", ""]
    assert len({(e.offset, e.span) for e in found.entries}) == 2
    calls: list[int] = []
    decompress = compression._READERS["zstd"]

    def count(stored: memoryview, size: int) -> bytes:
        calls.append(size)
        return decompress(stored, size)

    monkeypatch.setitem(compression._READERS, "zstd", count)
    images = [bytes(image) for _, image in read_images(found.entries, content)]  # type: ignore[arg-type]
    assert images == [b"alone\0\0\0", b"first of them...", b"the second".ljust(16, b"\0"), b"text"]
    assert len(calls) == 1


def _change(content: bytes, offset: int, layout: str, *values: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(layout, changed, offset, *values)
    return bytes(changed)


MEMBERS = container(concatenated((NewEntry(data=b"a" * 16), NewEntry(data=b"b" * 16))))
INDEX = 16 + 64


@pytest.mark.parametrize(
    ("offset", "value", "message"),
    [
        (16 + 0x14, 0, "no index"),
        (INDEX, 9, "too small for 9 members"),
        (INDEX + 4, 10_000, "outside its header"),
        (INDEX + 8, 0x100, "itself concatenated"),
        (INDEX + 8 + 4, 1 << 31, "outside its payload"),
        (INDEX + 8 + 64 + 4, 8, "outside its payload"),
        (INDEX + 8 + 8, 33, "outside its payload"),
        (INDEX + 8 + 0x14, 1 << 30, "outside its payload"),
    ],
)
def test_entry_with_broken_index_is_listed_as_other(offset: int, value: int, message: str) -> None:
    content = _change(MEMBERS, offset, "<I", value)
    _damaged(message, content)
    (found,), _ = read_containers(content)
    assert [e.kind for e in found.entries] == ["other"]


SOUND = container(entry(NewEntry(data=b"image...", options=b"-O1", identifier=b"a.cu")))


@pytest.mark.parametrize(
    ("offset", "layout", "value", "message"),
    [
        (0, "<I", 0, "different magic number"),
        (4, "<H", 2, "unsupported container version 2"),
        (6, "<H", 8, "container header: 8 bytes"),
        (6, "<H", 0xFFFF, "container header: 65535 bytes"),
        (8, "<Q", 1 << 60, "but only 96 follow"),
        (16 + 4, "<I", 0x20, "header declares 32 bytes"),
        (16 + 4, "<I", 1 << 31, "past the end of its container"),
        (16 + 8, "<Q", 1 << 63, "but only 8 follow"),
        (16 + 0x10, "<I", 1 << 31, "compressed bytes, but only 8"),
        (16 + 0x14, "<I", 1 << 31, "outside its header"),
        (16 + 0x24, "<I", 1 << 31, "outside its header"),
        (16 + 0x28, "<Q", ZSTD, "zstd compression, but no size"),
    ],
)
def test_every_field_is_checked(offset: int, layout: str, value: int, message: str) -> None:
    content = _change(SOUND, offset, layout, value)
    _damaged(message, content if content[:4] != bytes(4) else b"\1" + content[1:])


def test_truncated_headers_are_problems() -> None:
    _damaged("cut off in its header", SOUND[:12])
    _damaged("but only 24 follow", SOUND[:40])
    _damaged("entry is cut off", container(b"\1" * 24))


def test_reading_continues_after_a_broken_container() -> None:
    found, problems = read_containers(_change(SOUND, 4, "<H", 9) + SOUND)
    assert [c.offset for c in found] == [len(SOUND)]
    assert [p.offset for p in problems] == [0]


def _rejected(message: str, content: bytes, **options: int) -> None:
    (found,), _ = read_containers(content)
    with pytest.raises(InputError, match=message):
        read_image(found.entries[0], content, **options)
    ((_, problem),) = read_images(found.entries, content, **options)
    assert isinstance(problem, Problem)
    assert problem.offset == 16


BIG = b"image" * 1000
SIZE = 16 + 0x38


@pytest.mark.parametrize("flag", [LZ4, ZSTD])
def test_forged_sizes_do_not_allocate_memory(flag: int) -> None:
    content = container(entry(NewEntry(data=BIG, flags=flag)))
    _rejected("the limit is", _change(content, SIZE, "<Q", 1 << 62))
    _rejected("can yield", _change(content, SIZE, "<Q", 1 << 62), limit=1 << 63)
    _rejected("its zstd frame|but yields|valid LZ4", _change(content, SIZE, "<Q", 4999))
    _rejected("its zstd frame|but yields", _change(content, SIZE, "<Q", 5001))
    _rejected("not a valid", _change(content, 16 + 64, "<Q", (1 << 64) - 1))


def test_frame_that_yields_less_than_declared_is_rejected() -> None:
    compressor = zstandard.ZstdCompressor(write_content_size=False)
    stored = compressor.compress(b"short")
    raw = entry(NewEntry(data=stored, flags=0x11))
    content = container(raw)
    content = _change(content, 16 + 0x10, "<I", len(stored))
    content = _change(content, 16 + 0x28, "<Q", ZSTD)
    _rejected("but yields 5", _change(content, SIZE, "<Q", 6))
    assert bytes(read_image(_only(_change(content, SIZE, "<Q", 5)), content)) == b"short"


def test_unknown_compression_and_ltoir_are_rejected() -> None:
    both = container(entry(NewEntry(data=BIG, flags=ZSTD)))
    _rejected("is unknown", _change(both, 16 + 0x28, "<Q", LZ4 | ZSTD))
    _rejected("scrambles", container(entry(NewEntry(data=BIG, kind=LTOIR, flags=ZSTD))))


@pytest.mark.parametrize(("flag", "package"), [(LZ4, "lz4"), (ZSTD, "zstandard")])
def test_missing_package_is_named(flag: int, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = container(entry(NewEntry(data=BIG, flags=flag)))

    def fail(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", fail)
    _rejected(f"install the Python package '{package}'", content)


def test_lz4_writes_a_raw_block() -> None:
    content = container(entry(NewEntry(data=BIG, flags=LZ4)))
    payload = _only(content).payload
    stored = content[payload.offset : payload.offset + payload.stored_size]
    assert lz4.block.decompress(stored, uncompressed_size=len(BIG)) == BIG


def _wrapper(version: int, magic: int = 0x466243B1) -> bytes:
    return struct.pack("<IIQQ", magic, version, 0, 0)


def test_wrappers_contain_the_offsets_of_their_pointers() -> None:
    wrappers, problems = read_wrappers(_wrapper(1) + _wrapper(2) + bytes(8) + _wrapper(1))
    assert problems == ()
    assert [(w.offset, w.version, w.container) for w in wrappers] == [
        (0, 1, 8),
        (24, 2, 32),
        (56, 1, 64),
    ]


def test_damaged_wrapper_is_a_problem() -> None:
    wrappers, problems = read_wrappers(_wrapper(1, magic=5) + _wrapper(1) + _wrapper(1)[:20])
    assert [w.offset for w in wrappers] == [24]
    assert [p.offset for p in problems] == [0, 48]
