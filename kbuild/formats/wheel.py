"""Wheels and other zip archives: the files in them, one at a time.

Large members are decompressed into temporary files that have no names. Nothing else is written,
so a malicious member name cannot do harm. Sources: PEP 427; APPNOTE.TXT, the zip format, which
Python's ``zipfile`` reads.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import IO, Final, TypeAlias

from kbuild import parallel
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, open_stream, release
from kbuild.values import dataclass

# Receives the name and the first bytes of a member.
IsWanted: TypeAlias = Callable[[str, bytes], bool]

SUFFIX: Final = ".whl"
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
    is_wanted: IsWanted,
    *,
    limit: int = DEFAULT_LIMIT,
    room: Room | None = None,
    jobs: int | None = 1,
) -> Iterator[WheelMember]:
    """Yield the requested members in the order of the archive's directory.

    A damaged member is yielded with its ``problem``.

    Args:
        content: The archive.
        is_wanted: A function that receives the name and the first bytes of a member, and returns
            whether the member is requested.
        limit: The limit in bytes for all decompressed members together.
        room: Replaces ``limit`` if several archives share one limit.
        jobs: The number of processes that decompress large members. None means one per core.

    Raises:
        InputError: The directory of the archive cannot be read.
    """
    try:
        archive = zipfile.ZipFile(open_stream(content))
    except _DAMAGED as error:
        raise InputError(f"not a valid zip archive: {error}") from error
    room = room or Room(left=limit)
    with archive:
        for batch in _divide(archive.infolist(), jobs or parallel.count_cores()):
            requested = _select(archive, batch, is_wanted, room)
            spooled = _spool(archive, [info for info, problem in requested if not problem], jobs)
            release(content)
            for info, problem in requested:
                yield spooled.get(id(info)) or _read_member(archive, info, problem)


_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, LookupError),
    *(NotImplementedError, RuntimeError, OverflowError, struct.error, InputError),
)


def _divide(infos: Iterable[zipfile.ZipInfo], jobs: int) -> Iterator[list[zipfile.ZipInfo]]:
    """Yield the files of an archive in batches with at most ``jobs`` large ones."""
    batch: list[zipfile.ZipInfo] = []
    large = 0
    for info in infos:
        # `is_dir` is not used, because it raises IndexError for a member without a name.
        if info.filename.endswith("/"):
            continue
        large += _is_large(info)
        if large > jobs:
            yield batch
            batch, large = [], 1
        batch.append(info)
    yield batch


def _is_large(info: zipfile.ZipInfo) -> bool:
    return info.file_size >= _SPOOLED


def _select(
    archive: zipfile.ZipFile,
    infos: Iterable[zipfile.ZipInfo],
    is_wanted: IsWanted,
    room: Room,
) -> list[tuple[zipfile.ZipInfo, str | None]]:
    """Return the requested files, each with the reason if it cannot be read."""
    found: list[tuple[zipfile.ZipInfo, str | None]] = []
    for info in infos:
        try:
            if _is_requested(archive, info, is_wanted):
                _take_room(info, room)
                found.append((info, None))
        except _DAMAGED as error:  # noqa: PERF203 - one damaged member does not affect others
            found.append((info, f"cannot be read: {error}"))
    return found


def _is_requested(archive: zipfile.ZipFile, info: zipfile.ZipInfo, is_wanted: IsWanted) -> bool:
    if info.flag_bits & _ENCRYPTED:
        raise InputError("the member is encrypted")
    if info.compress_type not in _METHODS:
        raise InputError(f"unsupported compression method {info.compress_type}; expected Deflate")
    with _open(archive, info) as stream:
        return is_wanted(info.filename, stream.read(FRONT_BYTES))


def _open(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    """Open a member.

    Python 3.13 warns if several entries refer to one member, where earlier versions raise
    BadZipFile. Such archives are not always forged, and ``room`` limits the others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return archive.open(info)


def _take_room(info: zipfile.ZipInfo, room: Room) -> None:
    if info.file_size > room.left:
        raise InputError(
            f"the member has {info.file_size} decompressed bytes; "
            f"the limit leaves {room.left} bytes"
        )
    if info.file_size > info.compress_size * _MOST_RATIO:
        raise InputError(
            f"{info.compress_size} compressed bytes cannot yield {info.file_size} bytes"
        )
    room.left -= info.file_size


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, problem: str | None
) -> WheelMember:
    if problem is None:
        try:
            data = b"".join(_iterate_parts(archive, info))
        except _DAMAGED as error:
            problem = f"cannot be read: {error}"
        else:
            return WheelMember(name=info.filename, data=data)
    return WheelMember(name=info.filename, problem=problem)


def _iterate_parts(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the bytes of a member, at most as many as it declares."""
    left = info.file_size
    with _open(archive, info) as stream:
        while part := stream.read(_CHUNK):
            left -= len(part)
            if left < 0:
                raise InputError(
                    f"the member is larger than the {info.file_size} bytes that it declares"
                )
            yield part


def _spool(
    archive: zipfile.ZipFile, infos: Iterable[zipfile.ZipInfo], jobs: int | None
) -> dict[int, WheelMember]:
    """Decompress the large members into temporary files, and map those into memory.

    Returns:
        The members by the address of their entry in the directory.
    """
    with ExitStack() as stack:
        files = [
            (info, stack.enter_context(tempfile.TemporaryFile()))
            for info in infos
            if _is_large(info)
        ]
        # The forked processes inherit the files.
        problems = parallel.map_in_order(lambda f: _write_parts(archive, *f), files, jobs=jobs)
        return {
            id(info): WheelMember(name=info.filename, problem=problem)
            if problem
            else WheelMember(name=info.filename, data=_map(file))
            for (info, file), problem in zip(files, problems, strict=True)
        }


def _write_parts(archive: zipfile.ZipFile, info: zipfile.ZipInfo, file: IO[bytes]) -> str | None:
    """Decompress a member into a file, and return the problem that prevents it, if any."""
    try:
        for part in _iterate_parts(archive, info):
            file.write(part)
        file.flush()
    except _DAMAGED as error:
        return f"cannot be read: {error}"
    return None


def _map(file: IO[bytes]) -> memoryview:
    return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
