"""Wheels and other zip archives: the files in them, one at a time.

Large members are decompressed into a temporary file without a name; nothing else is ever
written, so that a member's name is only a name.  Source: PEP 427; APPNOTE.TXT, the zip
format, read by Python's own ``zipfile``.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.stream import open_stream

MAGIC: Final = b"PK\x03\x04"
# Of an archive without members.
EMPTY_MAGIC: Final = b"PK\x05\x06"
# What a look at a member takes.
FRONT_BYTES: Final = 4096
DEFAULT_LIMIT: Final = 4 << 30
# Deflate cannot do better than 1032 to 1; whoever says more does not tell the truth.
_MOST_RATIO: Final = 1100
_ENCRYPTED: Final = 1
# No installer is asked to read others, and of those zipfile does not bound what one read
# decompresses.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK: Final = 1 << 20
# Members from this size on go to a temporary file.
_SPOOLED: Final = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelMember:
    """One file in the archive, decompressed; ``problem`` says why there is no ``data``."""

    name: str
    data: Buffer = b""
    problem: str | None = None


@dataclass(slots=True, kw_only=True)
class Room:
    """How many more bytes may be decompressed, of an archive and of those in it."""

    left: int


def is_wheel(content: bytes) -> bool:
    """Whether ``content`` starts like a zip archive."""
    return content.startswith((MAGIC, EMPTY_MAGIC))


def iterate_members(
    content: Buffer,
    is_wanted: Callable[[bytes], bool],
    *,
    limit: int = DEFAULT_LIMIT,
    room: Room | None = None,
) -> Iterator[WheelMember]:
    """The members whose first bytes ``is_wanted`` accepts, in the archive's order.

    ``limit`` bounds what all of them together take up, ``room`` also what other archives do.
    Raises InputError where the archive's directory cannot be read; a damaged member is a
    problem of its own.
    """
    try:
        archive = zipfile.ZipFile(open_stream(content))
    except _DAMAGED as error:
        raise InputError(f"not a sound zip archive: {error}") from error
    room = room or Room(left=limit)
    with archive:
        for info in archive.infolist():
            # Not `is_dir`, which a member without a name makes raise IndexError.
            if info.filename.endswith("/"):
                continue
            try:
                data = _read_member(archive, info, is_wanted, room)
            except _DAMAGED as error:
                yield WheelMember(name=info.filename, problem=f"cannot be read: {error}")
                continue
            if data is not None:
                yield WheelMember(name=info.filename, data=data)


_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, LookupError),
    *(NotImplementedError, RuntimeError, OverflowError, struct.error, InputError),
)


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, is_wanted: Callable[[bytes], bool], room: Room
) -> Buffer | None:
    """The member's bytes, no more of them than it declares; None where it is no artifact."""
    if info.flag_bits & _ENCRYPTED:
        raise InputError("it is encrypted")
    if info.compress_type not in _METHODS:
        raise InputError(f"it is compressed by method {info.compress_type}, not by Deflate")
    with archive.open(info) as stream:
        front = stream.read(FRONT_BYTES)
        if not is_wanted(front):
            return None
        if info.file_size > room.left:
            raise InputError(f"{info.file_size} bytes decompressed, the limit leaves {room.left}")
        if info.file_size > info.compress_size * _MOST_RATIO:
            raise InputError(f"{info.compress_size} bytes cannot hold {info.file_size}")
        parts = _iterate_parts(stream, front, info.file_size, room)
        return b"".join(parts) if info.file_size < _SPOOLED else _spool(parts)


def _iterate_parts(stream: IO[bytes], front: bytes, declared: int, room: Room) -> Iterator[bytes]:
    size = 0
    part = front
    room.left -= len(front)
    while part:
        size += len(part)
        if size > declared:
            raise InputError(f"more than the {declared} bytes that it says")
        yield part
        # Counted before it is read: damage shows with the last bytes, and may be all there is.
        room.left -= min(_CHUNK, declared - size)
        part = stream.read(_CHUNK)


def _spool(parts: Iterator[bytes]) -> Buffer:
    with tempfile.TemporaryFile() as file:
        for part in parts:
            file.write(part)
        file.flush()
        return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
