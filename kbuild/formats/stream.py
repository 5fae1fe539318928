"""Bytes in memory as a file that libraries can read, without a copy of large ones."""

from __future__ import annotations

import io
from typing import BinaryIO, Final, cast

from kbuild.formats.buffer import Buffer

# Copying so much costs less than what a file object of our own costs each small read.
_COPIED: Final = 8 << 20


def open_stream(data: Buffer) -> BinaryIO:
    """A readable, seekable file of ``data``."""
    if len(data) <= _COPIED:
        return io.BytesIO(data)
    return cast("BinaryIO", io.BufferedReader(_ViewFile(memoryview(data)), 1 << 16))


class _ViewFile(io.RawIOBase):
    def __init__(self, view: memoryview) -> None:
        super().__init__()
        self._view = view
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        part = self._view[self._position : self._position + len(target)]
        target[: len(part)] = part
        self._position += len(part)
        return len(part)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: len(self._view)}
        self._position = max(start[whence] + offset, 0)
        return self._position

    def tell(self) -> int:
        return self._position
