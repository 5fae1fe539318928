"""Write a wheel again with other content for some of its files.

``RECORD`` has the digests of the new content. Signatures of the old ``RECORD`` are left out. Only
one file of the wheel is decompressed at a time, and large ones go to temporary files.

Sources: PEP 427, "Signed wheel files" and ".dist-info"; PEP 376, "RECORD"; binary distribution
format, "The .dist-info directory".
"""

from __future__ import annotations

import csv
import hashlib
import io
import mmap
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, Final, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, release
from kbuild.formats.dist_info import SIGNATURES, find_record, format_digest, read_record

# Receives the name and the content of a file, and returns the parts of the new content; None if
# it stays the same.
Change: TypeAlias = Callable[[str, Buffer], "Iterable[Buffer] | None"]

_CHUNK: Final = 1 << 20
# Files of at least this size go to a temporary file.
_SPOOLED: Final = 16 << 20
# Larger files need the 64-bit form of the zip format.
_LARGE: Final = 1 << 30
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


def rewrite_wheel(
    source: BinaryIO, target: BinaryIO, change: Change, added: dict[str, bytes] | None = None
) -> tuple[str, ...]:
    """Write a wheel again, with its files in the same order and with the same attributes.

    Args:
        source: The wheel.
        target: The file to write.
        change: A function that returns the new content of a file.
        added: New files of ``.dist-info``, by their names in it. They replace files of this name.

    Returns:
        The names of the signatures that were left out.

    Raises:
        InputError: The wheel is damaged, contains a name twice, or has no ``RECORD``.
    """
    try:
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
            return _copy(old, new, change, added or {})
    except _DAMAGED as error:
        raise InputError(f"not a valid wheel: {error}") from error


def _copy(
    old: zipfile.ZipFile, new: zipfile.ZipFile, change: Change, added: dict[str, bytes]
) -> tuple[str, ...]:
    infos = old.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise InputError("the wheel contains two files with the same name")
    record = find_record(names)
    directory = record[: -len("RECORD")]
    additions = {directory + name: content for name, content in added.items()}
    signatures = tuple(n for n in names if n in {directory + s for s in SIGNATURES})
    described: dict[str, tuple[str, str]] = {}
    for info in infos:
        if info.filename in (*signatures, *additions, record):
            continue
        with open_member(old, info) as content:
            parts = None if info.is_dir() else change(info.filename, content)
            written = _write(new, info, _iterate_chunks((content,) if parts is None else parts))
            if parts is not None:
                described[info.filename] = written
            release(content)
    template = old.getinfo(record)
    for name, content in additions.items():
        described[name] = _write(new, _imitate(template, name), (content,))
    rows = _correct(old.read(template), described, {*signatures}, {*additions})
    # Binary distribution format: archivers should put .dist-info at the end.
    _write(new, template, (rows,))
    return signatures


@contextmanager
def open_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Buffer]:
    """Yield the content of a file of a wheel."""
    if info.file_size < _SPOOLED:
        yield archive.read(info)
        return
    with tempfile.TemporaryFile() as file:
        with archive.open(info) as stream:
            while part := stream.read(_CHUNK):
                file.write(part)
        file.flush()
        yield memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))


def _iterate_chunks(parts: Iterable[Buffer]) -> Iterator[Buffer]:
    """Yield the bytes of some parts, and free the memory of mapped files on the way."""
    for part in parts:
        for start in range(0, len(part), _CHUNK):
            yield part[start : start + _CHUNK]
            if start % (_CHUNK << 4) == 0:
                release(part)


def _write(
    archive: zipfile.ZipFile, old: zipfile.ZipInfo, parts: Iterable[Buffer]
) -> tuple[str, str]:
    """Write a file, and return its digest and size for ``RECORD``."""
    digest, size = hashlib.sha256(), 0
    with _open_new(archive, _imitate(old, old.filename)) as stream:
        for part in parts:
            stream.write(part)
            digest.update(part)
            size += len(part)
    return f"sha256={format_digest(digest.digest())}", str(size)


def _open_new(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> IO[bytes]:
    return archive.open(info, "w", force_zip64=info.file_size >= _LARGE)


def _imitate(old: zipfile.ZipInfo, name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, old.date_time)
    info.compress_type = old.compress_type
    info.external_attr = old.external_attr
    info.create_system = old.create_system
    info.file_size = old.file_size
    return info


def _correct(
    record: bytes, described: dict[str, tuple[str, str]], removed: set[str], added: set[str]
) -> bytes:
    """Return ``RECORD`` with the digests and sizes of changed files, without removed files."""
    rows = read_record(record)
    missing = described.keys() - {row[0] for row in rows} - added
    if missing:
        raise InputError(f"RECORD does not list {min(missing)!r}")
    kept = [row for row in rows if row[0] not in removed]
    listed = {row[0] for row in kept}
    new = [[name, *described[name]] for name in described if name not in listed]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(
        [
            *new,
            *([row[0], *described[row[0]]] if row[0] in described else row for row in kept),
        ]
    )
    return text.getvalue().encode("utf-8")
