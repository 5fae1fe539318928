"""What readers take: bytes in memory, or views of files that are mapped page by page."""

from __future__ import annotations

import mmap
from typing import Final, TypeAlias

Buffer: TypeAlias = bytes | memoryview

_CHUNK: Final = 1 << 20
# Mostly there are few zeros or none, and a file may have a million places to look at.
_FIRST_CHUNK: Final = 64
_GROWTH: Final = 16
_ZEROS: Final = bytes(_CHUNK)
# Pages of a mapped file that were read count as the process's memory.
_KEPT: Final = 32 << 20


def skip_zeros(content: Buffer, position: int) -> int:
    """Where the first byte that is not zero is, from ``position`` on, or the end."""
    view = memoryview(content)
    released = position
    size = _FIRST_CHUNK
    while position < len(view):
        part = bytes(view[position : position + size])
        if part != _ZEROS[: len(part)]:
            return position + len(part) - len(part.lstrip(b"\0"))
        position += len(part)
        size = min(size * _GROWTH, _CHUNK)
        if position - released > _KEPT:
            release(view)
            released = position
    return len(view)


def release(content: Buffer) -> None:
    """Give back the memory that pages of a mapped file take up; they can be read again."""
    source = content.obj if isinstance(content, memoryview) else None
    if isinstance(source, mmap.mmap):
        source.madvise(mmap.MADV_DONTNEED)
