from __future__ import annotations

import io
import mmap
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.formats import buffer
from kbuild.formats.buffer import open_stream, release, skip_zeros


@given(st.integers(0, 40), st.binary(max_size=20), st.integers(0, 60))
def test_zeros_are_skipped(zeros: int, rest: bytes, start: int) -> None:
    content = bytes(zeros) + rest
    expected = next((i for i in range(start, len(content)) if content[i]), len(content))
    assert skip_zeros(content, start) == expected
    assert skip_zeros(memoryview(content), start) == expected


def test_zeros_longer_than_a_chunk_are_skipped() -> None:
    content = bytes((2 << 20) + 5) + b"x" + bytes(10)
    assert skip_zeros(content, 0) == (2 << 20) + 5
    assert skip_zeros(content, (2 << 20) + 6) == len(content)


def test_released_pages_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 256)
    with path.open("rb") as file:
        view = memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
    before = bytes(view)
    release(view[100:200])
    assert bytes(view) == before
    release(before)


def test_stream_does_not_keep_what_it_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(40 << 20) + b"end")
    released: list[int] = []
    monkeypatch.setattr(buffer, "release", lambda view: released.append(len(view)))
    with path.open("rb") as file:
        stream = open_stream(memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)))
        while stream.read(1 << 20):
            pass

    assert released == [(40 << 20) + 3]


@pytest.mark.parametrize("copied", [0, 1 << 20])
@given(actions=st.lists(st.tuples(st.integers(-5, 300), st.integers(0, 2)), max_size=12))
def test_stream_behaves_like_a_file(copied: int, actions: list[tuple[int, int]]) -> None:
    content = bytes(range(200))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buffer, "_COPIED", copied)
        ours = open_stream(memoryview(content))
    with tempfile.TemporaryFile() as peer:
        peer.write(content)
        peer.seek(0)
        for amount, whence in actions:
            offset = amount if whence != io.SEEK_END else -min(abs(amount), len(content))
            if whence == io.SEEK_SET:
                offset = abs(offset)
            if whence == io.SEEK_CUR and peer.tell() + offset < 0:
                continue
            assert ours.seek(offset, whence) == peer.seek(offset, whence)
            assert ours.read(7) == peer.read(7)
            assert ours.tell() == peer.tell()
