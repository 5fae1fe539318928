"""Bytes in memory or views of mapped files, and what every reader needs to work on them."""

from __future__ import annotations

import io
import mmap
from typing import BinaryIO, Final, TypeAlias, cast

Buffer: TypeAlias = bytes | memoryview

_CHUNK: Final = 1 << 20
# Runs of zeros are usually short, and a file can contain a million of them.
_FIRST_CHUNK: Final = 64
_GROWTH: Final = 16
_ZEROS: Final = bytes(_CHUNK)
# Pages of a mapped file that have been read count as memory of the process.
KEPT: Final = 32 << 20
# Up to this size, copying costs less than the overhead of `_ViewFile` on each small read.
_COPIED: Final = 8 << 20


def align_up(size: int, alignment: int) -> int:
    """Return ``size``, rounded up to a multiple of ``alignment``."""
    return -size % alignment + size


def read_text(content: Buffer, offset: int, limit: int) -> str | None:
    """Return the NUL-terminated text at ``offset``.

    Returns:
        The text without its NUL, or None if no NUL follows within ``limit`` bytes.
    """
    if offset < 0:
        return None
    text, end, _ = bytes(content[offset : offset + limit]).partition(b"\0")
    return text.decode("utf-8", "replace") if end else None


def skip_zeros(content: Buffer, position: int) -> int:
    """Return the position of the first nonzero byte at or after ``position``.

    If only zeros follow, return the length of ``content``.
    """
    view = memoryview(content)
    released = position
    size = _FIRST_CHUNK
    while position < len(view):
        part = bytes(view[position : position + size])
        if part != _ZEROS[: len(part)]:
            return position + len(part) - len(part.lstrip(b"\0"))
        position += len(part)
        size = min(size * _GROWTH, _CHUNK)
        if position - released > KEPT:
            release(view)
            released = position
    return len(view)


def release(content: Buffer) -> None:
    """Free the memory that the pages of a mapped file occupy; they can be read again."""
    source = content.obj if isinstance(content, memoryview) else None
    if isinstance(source, mmap.mmap):
        source.madvise(mmap.MADV_DONTNEED)


def open_stream(data: Buffer) -> BinaryIO:
    """Return ``data`` as a readable, seekable file, without copying large data."""
    if len(data) <= _COPIED:
        return io.BytesIO(data)
    return cast("BinaryIO", io.BufferedReader(_ViewFile(memoryview(data)), 1 << 16))


class _ViewFile(io.RawIOBase):
    """A read-only file over a memory view. The pages that were read do not stay in memory."""

    def __init__(self, view: memoryview) -> None:
        super().__init__()
        self._view = view
        self._position = 0
        self._unreleased = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        part = self._view[self._position : self._position + len(target)]
        target[: len(part)] = part
        self._position += len(part)
        self._unreleased += len(part)
        if self._unreleased >= KEPT:
            release(self._view)
            self._unreleased = 0
        return len(part)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: len(self._view)}
        self._position = max(start[whence] + offset, 0)
        return self._position

    def tell(self) -> int:
        return self._position
