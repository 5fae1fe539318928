"""Wheels and other zip archives: the files in them, one at a time.

Large members are decompressed into a temporary file that has no name. Nothing else is written,
so a malicious member name cannot do harm. Sources: PEP 427; APPNOTE.TXT, the zip format, which
Python's ``zipfile`` reads.
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
from kbuild.formats.buffer import Buffer, open_stream

MAGIC: Final = b"PK\x03\x04"
# The magic number of an archive without members.
EMPTY_MAGIC: Final = b"PK\x05\x06"
# The number of bytes that the caller sees to decide whether it needs a member.
FRONT_BYTES: Final = 4096
DEFAULT_LIMIT: Final = 4 << 30
# Deflate compresses at most 1032 to 1. A member that declares more is forged.
_MOST_RATIO: Final = 1100
_ENCRYPTED: Final = 1
# Installers are not required to read other methods, and zipfile does not limit how much one read
# decompresses with them.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_CHUNK: Final = 1 << 20
# Members of at least this size go to a temporary file.
_SPOOLED: Final = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelMember:
    """One file in the archive, decompressed. ``problem`` says why ``data`` is missing."""

    name: str
    data: Buffer = b""
    problem: str | None = None


@dataclass(slots=True, kw_only=True)
class Room:
    """The bytes that can still be decompressed, of an archive and of the archives in it."""

    left: int


def is_wheel(content: bytes) -> bool:
    """Return whether ``content`` starts like a zip archive."""
    return content.startswith((MAGIC, EMPTY_MAGIC))


def iterate_members(
    content: Buffer,
    is_wanted: Callable[[bytes], bool],
    *,
    limit: int = DEFAULT_LIMIT,
    room: Room | None = None,
) -> Iterator[WheelMember]:
    """Yield the requested members in the order of the archive's directory.

    A damaged member is yielded with its ``problem``.

    Args:
        content: The archive.
        is_wanted: A function that receives the first bytes of a member and returns whether the
            member is requested.
        limit: The limit in bytes for all decompressed members together.
        room: Replaces ``limit`` if several archives share one limit.

    Raises:
        InputError: The directory of the archive cannot be read.
    """
    try:
        archive = zipfile.ZipFile(open_stream(content))
    except _DAMAGED as error:
        raise InputError(f"not a valid zip archive: {error}") from error
    room = room or Room(left=limit)
    with archive:
        for info in archive.infolist():
            # `is_dir` is not used, because it raises IndexError for a member without a name.
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
    """Return the bytes of a member, at most as many as it declares; None if not requested."""
    if info.flag_bits & _ENCRYPTED:
        raise InputError("the member is encrypted")
    if info.compress_type not in _METHODS:
        raise InputError(f"unsupported compression method {info.compress_type}; expected Deflate")
    with archive.open(info) as stream:
        front = stream.read(FRONT_BYTES)
        if not is_wanted(front):
            return None
        if info.file_size > room.left:
            raise InputError(
                f"the member has {info.file_size} decompressed bytes; "
                f"the limit leaves {room.left} bytes"
            )
        if info.file_size > info.compress_size * _MOST_RATIO:
            raise InputError(
                f"{info.compress_size} compressed bytes cannot yield {info.file_size} bytes"
            )
        parts = _iterate_parts(stream, front, info.file_size, room)
        return b"".join(parts) if info.file_size < _SPOOLED else _spool(parts)


def _iterate_parts(stream: IO[bytes], front: bytes, declared: int, room: Room) -> Iterator[bytes]:
    size = 0
    part = front
    room.left -= len(front)
    while part:
        size += len(part)
        if size > declared:
            raise InputError(f"the member is larger than the {declared} bytes that it declares")
        yield part
        # Counted before reading, because a checksum error appears only with the last bytes.
        room.left -= min(_CHUNK, declared - size)
        part = stream.read(_CHUNK)


def _spool(parts: Iterator[bytes]) -> Buffer:
    with tempfile.TemporaryFile() as file:
        for part in parts:
            file.write(part)
        file.flush()
        return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
