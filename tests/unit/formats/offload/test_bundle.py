from __future__ import annotations

import os
import re
import struct
import time
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats import partial_decompression
from kbuild.formats.offload.bundle import (
    MAGIC,
    Bundle,
    BundleEntry,
    load,
    parse_id,
    read_bundles,
)
from kbuild.formats.offload.bundle_header import COMPRESSED_MAGIC
from support.files.amd_builders import (
    BUNDLE_MAGIC,
    GFX90A,
    HOST,
    ZLIB,
    ZSTD,
    NewImage,
    bundle,
    compressed_bundle,
)

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
IMAGES = st.lists(
    st.tuples(
        IDS | st.sampled_from((HOST, GFX90A)),
        # A magic number inside an image must not be mistaken for the next bundle.
        st.binary(max_size=200) | st.just(MAGIC * 3) | st.just(b"CCOB\2\0\1\0" * 9),
    ),
    max_size=4,
)
FORMS = [(version, method) for version in (1, 2, 3) for method in (ZLIB, ZSTD)]


def _store(images: list[NewImage], form: tuple[int, int] | None) -> bytes:
    plain = bundle(images)
    return compressed_bundle(plain, version=form[0], method=form[1]) if form else plain


def _images(found: Bundle, content: bytes) -> list[NewImage]:
    data = load(found, content)
    return [(e.id, bytes(data[e.offset : e.offset + e.size])) for e in found.entries]


def _only(content: bytes) -> Bundle:
    (found,), problems = read_bundles(content)
    assert problems == ()
    return found


def _damaged(message: str, content: bytes) -> tuple[Bundle, ...]:
    found, problems = read_bundles(content)
    assert any(re.search(message, p.message) for p in problems), problems
    return found


@given(IMAGES, st.sampled_from([None, *FORMS]))
def test_written_containers_are_read_back(
    images: list[NewImage], form: tuple[int, int] | None
) -> None:
    content = _store(images, form)
    found = _only(content)
    assert (found.offset, found.size <= len(content)) == (0, True)
    assert _images(found, content) == images
    assert found.compression == ((None, "zlib", "zstd")[form[1] + 1] if form else "none")
    assert found.version == (form[0] if form else None)


@given(st.lists(st.tuples(IMAGES, st.sampled_from([None, *FORMS]), st.integers(0, 70)), max_size=4))
def test_every_bundle_is_found_at_its_offset(
    new: list[tuple[list[NewImage], tuple[int, int] | None, int]],
) -> None:
    content, places = b"", []
    for images, form, zeros in new:
        content += bytes(zeros)
        places.append(len(content))
        content += _store(images, form)
    found, problems = read_bundles(content)
    assert problems == ()
    assert [b.offset for b in found] == places
    for one, (images, _, _) in zip(found, new, strict=True):
        assert _images(one, content) == images


def _read_everything(content: bytes) -> None:
    found, problems = read_bundles(content)
    assert all(problem.offset is not None for problem in problems)
    end = 0
    for one in found:
        assert end <= one.offset < one.offset + one.size <= len(content)
        end = one.offset + one.size
        for entry in one.entries:
            assert not entry.size or entry.offset + entry.size <= one.uncompressed_size
        try:
            assert len(load(one, content, limit=1 << 20)) == one.uncompressed_size <= 1 << 20
        except InputError:
            assert one.compression != "none"


@given(IMAGES, st.sampled_from([None, *FORMS]), st.data())
def test_damage_is_reported_without_raising(
    images: list[NewImage], form: tuple[int, int] | None, data: st.DataObject
) -> None:
    content = bytearray(_store(images, form) + bytes(5) + _store(images, None))
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    _read_everything(bytes(content[: data.draw(st.integers(0, len(content)))]))


@given(st.binary(max_size=300))
def test_arbitrary_bytes_do_not_raise(content: bytes) -> None:
    _read_everything(content)
    _read_everything(MAGIC + content)
    for form in FORMS:
        _read_everything(struct.pack("<4sHH", COMPRESSED_MAGIC, *form) + content)
        _read_everything(compressed_bundle(MAGIC + content, version=form[0], method=form[1]))


def test_all_fields_of_an_entry_are_read() -> None:
    found = _only(bundle([(HOST, b""), (GFX90A, b"code")], alignment=4096))
    assert found.entries[1] == BundleEntry(
        id=GFX90A,
        offload_kind="hipv4",
        triple="amdgcn-amd-amdhsa",
        arch="gfx90a:sramecc+:xnack-",
        offset=4096,
        size=4,
    )
    assert found.size == found.uncompressed_size == 4100
    assert (found.entries[0].arch, found.entries[0].size) == ("", 0)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (HOST, ("host", "x86_64-unknown-linux", "")),
        ("host-x86_64-pc-linux-gnu-", ("host", "x86_64-pc-linux-gnu", "")),
        (HOST + HOST, ("host", "x86_64-unknown-linux", "")),
        ("host-x86_64-unknown-linux", ("host", "x86_64-unknown-linux", "")),
        ("hip-amdgcn-amd-amdhsa-gfx900", ("hip", "amdgcn-amd-amdhsa", "gfx900")),
        ("hip-amdgcn-amd-amdhsa-gfx906:xnack-", ("hip", "amdgcn-amd-amdhsa", "gfx906:xnack-")),
        (
            "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx9-4-generic:xnack+",
            ("hip", "amdgcn-amd-amdhsa", "gfx9-4-generic:xnack+"),
        ),
        ("openmp-nvptx64-nvidia-cuda--sm_70", ("openmp", "nvptx64-nvidia-cuda", "sm_70")),
        ("openmp-nvptx64-nvidia-cuda-sm_70", ("openmp", "nvptx64-nvidia-cuda", "sm_70")),
        (
            "hip-spirv64-amd-amdhsa-unknown-amdgcnspirv",
            ("hip", "spirv64-amd-amdhsa-unknown", "amdgcnspirv"),
        ),
        ("", ("", "", "")),
        ("nonsense", ("nonsense", "", "")),
        ("a-b", ("a", "b", "")),
    ],
)
def test_id_is_split_into_its_parts(text: str, parts: tuple[str, str, str]) -> None:
    assert parse_id(text) == parts


def test_plain_bundle_is_not_copied() -> None:
    content = bundle([(GFX90A, b"code")])
    data = load(_only(content), content)
    assert isinstance(data, memoryview)
    assert data.obj is content


def test_magic_in_compressed_bytes_is_ignored() -> None:
    # Data that does not compress is stored unchanged.
    noise = os.urandom(1000) + compressed_bundle(bundle([])) + MAGIC
    for form in FORMS:
        content = _store([(GFX90A, noise)], form)
        assert form[1] == ZLIB or b"CCOB" in content[4:]
        found, problems = read_bundles(content + bytes(100) + content)
        assert problems == ()
        assert [b.offset for b in found] == [0, len(content) + 100]


def _change(content: bytes, offset: int, layout: str, *values: int) -> bytes:
    changed = bytearray(content)
    struct.pack_into(layout, changed, offset, *values)
    return bytes(changed)


PLAIN = bundle([(HOST, b""), (GFX90A, b"code")])
ENTRY = 32 + 24 + len(HOST)


@pytest.mark.parametrize(
    ("offset", "value", "message", "entries"),
    [
        (24, 1 << 60, "has an id of", 2),
        (24, 3, "has an id of", 2),
        (ENTRY, 1 << 63, "ends at byte", 1),
        (ENTRY + 8, 1 << 63, "ends at byte", 1),
        (ENTRY + 16, 0, "entry 1 has an id of 0 bytes", 1),
        (ENTRY + 16, 4097, "entry 1 has an id of 4097 bytes", 1),
        (ENTRY + 16, 4096, "cut off in entry 1", 1),
    ],
)
def test_every_field_of_the_table_is_checked(
    offset: int, value: int, message: str, entries: int
) -> None:
    content = _change(PLAIN, offset, "<Q", value)
    (found,) = _damaged(message, content)
    assert len(found.entries) == entries
    stored = compressed_bundle(content)
    (found,) = _damaged(message, stored)
    assert len(found.entries) == entries
    assert bytes(load(found, stored)) == content


STORED = compressed_bundle(PLAIN)


def test_headers_are_checked() -> None:
    _damaged("different magic number", b"\1" + PLAIN)
    _damaged("cut off in its header", PLAIN[:30])
    _damaged("cut off in its header", STORED[:7])
    _damaged("cut off in its header", STORED[:31])
    _damaged("unsupported compressed bundle version 4", _change(STORED, 4, "<H", 4))
    _damaged("too few for its header", _change(STORED, 8, "<Q", 31))
    _damaged("but only .* follow", _change(STORED, 8, "<Q", 1 << 60))
    _damaged("too small for 2 entries", PLAIN[: ENTRY + 8])
    _damaged("the bundle is cut off", compressed_bundle(MAGIC))
    _damaged("the compressed data is not an offload bundle", compressed_bundle(b"something else"))
    _damaged("the zstd data is damaged", _change(STORED, 40, "<Q", 0))
    _damaged("zlib data is damaged", _change(STORED, 6, "<H", 0))


def test_unknown_compression_method_is_a_problem() -> None:
    (found,) = _damaged("compression method of the bundle is unknown", _change(STORED, 6, "<H", 2))
    assert (found.compression, found.size) == (None, len(STORED))
    with pytest.raises(InputError, match="is unknown"):
        load(found, STORED)
    first = compressed_bundle(PLAIN, version=1)
    _damaged("the size of the compressed bundle is unknown", _change(first, 6, "<H", 2))


def test_hash_is_checked() -> None:
    content = compressed_bundle(PLAIN, digest=1)
    with pytest.raises(InputError, match="does not match its hash"):
        load(_only(content), content)


def test_forged_sizes_do_not_allocate_memory() -> None:
    content = _change(STORED, 16, "<Q", 1 << 62)
    with pytest.raises(InputError, match="the limit is"):
        load(_only(content), content)
    with pytest.raises(InputError, match="can yield"):
        load(_only(content), content, limit=1 << 63)


def test_long_table_is_read_completely() -> None:
    images = [(f"hipv4-amdgcn-amd-amdhsa--gfx{number}", b"x") for number in range(3000)]
    for form in FORMS:
        content = _store(images, form)
        assert len(_only(content).entries) == 3000


def test_reading_continues_after_a_broken_bundle() -> None:
    broken = _change(compressed_bundle(b"something"), 4, "<H", 9)
    found, problems = read_bundles(broken + PLAIN + b"\1" + STORED)
    assert [b.offset for b in found] == [len(broken), len(broken) + len(PLAIN) + 1]
    assert [p.offset for p in problems] == [0, len(broken) + len(PLAIN)]


@pytest.mark.parametrize("method", [ZLIB, ZSTD])
def test_bundle_of_version_1_ends_with_its_stream(method: int) -> None:
    content = compressed_bundle(PLAIN, version=1, method=method)
    assert _only(content + bytes(64)).size == len(content)
    (found,) = _damaged("cut off|where it should", content[:-12])
    assert found.size == len(content) - 12
    _damaged("damaged", _change(content, 20, "<Q", 0))
    if method == ZLIB:
        _damaged("does not end where it should", _change(content, 8, "<I", 5))
    else:
        block = 20 + zstandard.frame_header_size(content[20:])
        _damaged("unknown type", _change(content, block, "<B", 7))


def test_end_of_frame_with_repeated_bytes_is_found() -> None:
    stored = zstandard.ZstdCompressor(write_checksum=True).compress(PLAIN + bytes(1 << 20))
    content = struct.pack("<4sHHIQ", b"CCOB", 1, 1, len(PLAIN) + (1 << 20), 0) + stored
    found, _ = read_bundles(content + PLAIN)
    assert [b.offset for b in found] == [0, len(content)]


def test_decompression_bombs_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    row = struct.pack("<QQQ", 0, 0, 1) + b"a"
    table = BUNDLE_MAGIC + struct.pack("<Q", 1 << 40) + row * (1 << 20)
    bomb = compressed_bundle(table)
    assert len(bomb) < 1 << 16
    _damaged("are too large", bomb * 20)
    monkeypatch.setattr(partial_decompression, "_MOST_SKIPPED", 1 << 24)
    stored = zlib.compress(bytes(1 << 25), 9)
    endless = struct.pack("<4sHHIQ", b"CCOB", 1, 0, 1 << 31, 0) + stored
    _damaged("does not end", endless)
    assert time.monotonic() - started < 30
