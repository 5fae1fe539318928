"""The metadata of a wheel: its ``.dist-info`` directory.

Sources: binary distribution format, "The .dist-info directory" and "Signed wheel files"; core
metadata; PEP 770.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Final

from kbuild.errors import InputError
from kbuild.model import Problem

# Signatures of RECORD, which it does not describe.
SIGNATURES: Final = ("RECORD.jws", "RECORD.p7s")
NO_DIGEST: Final = "RECORD has no digest"
_RECORD: Final = "RECORD"
_DIST_INFO: Final = ".dist-info/"
_BILLS: Final = "sboms/"
_CHUNK: Final = 1 << 20
# Binary distribution format: "sha256 or better".
_DIGESTS: Final = ("sha256", "sha384", "sha512")


def find_record(names: Iterable[str]) -> str:
    """Return the name of the ``RECORD`` among the files of a wheel.

    Raises:
        InputError: The wheel does not contain one, or contains more than one.
    """
    found = [n for n in names if n.count("/") == 1 and n.endswith(f"{_DIST_INFO}{_RECORD}")]
    if len(found) != 1:
        raise InputError(f"expected one .dist-info/RECORD in the wheel, found {len(found)}")
    return found[0]


def read_headers(archive: zipfile.ZipFile) -> Message:
    """Return the fields of ``METADATA``.

    Raises:
        InputError: The wheel has no ``RECORD``.
        KeyError: The wheel has no ``METADATA``.
    """
    directory = find_record(archive.namelist()).removesuffix(_RECORD)
    return BytesHeaderParser().parsebytes(archive.read(f"{directory}METADATA"))


def list_bills(archive: zipfile.ZipFile) -> tuple[str, ...]:
    """Return the names of the bills of materials."""
    names = archive.namelist()
    start = find_record(names).removesuffix(_RECORD) + _BILLS
    return tuple(name for name in names if name.startswith(start) and not name.endswith("/"))


def read_record(content: bytes) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a ``RECORD``: path, digest, and size.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
    """
    rows = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    return tuple(tuple(row) for row in rows if row)


def format_digest(digest: bytes) -> str:
    """Return a digest as ``RECORD`` has it."""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def find_record_problems(archive: zipfile.ZipFile) -> Iterator[Problem]:
    """Yield where ``RECORD`` and the files of a wheel differ.

    Raises:
        InputError: The wheel has no ``RECORD``.
    """
    infos = [info for info in archive.infolist() if not info.is_dir()]
    record = find_record(info.filename for info in infos)
    directory = record.removesuffix(_RECORD)
    rows = {row[0]: row for row in read_record(archive.read(record))}
    names = {info.filename for info in infos}
    if len(names) < len(infos):
        twice = {name for name, count in Counter(i.filename for i in infos).items() if count > 1}
        yield from (Problem(where=n, message="in the wheel twice") for n in sorted(twice))
    for name in sorted(rows.keys() - names):
        yield Problem(where=name, message="in RECORD, but not in the wheel")
    for info in infos:
        if info.filename in {record, *(directory + name for name in SIGNATURES)}:
            continue
        row = rows.get(info.filename)
        if row is None:
            yield Problem(where=info.filename, message="not in RECORD")
        elif problem := _compare(archive, info, row):
            yield Problem(where=info.filename, message=problem)


def _compare(archive: zipfile.ZipFile, info: zipfile.ZipInfo, row: tuple[str, ...]) -> str | None:
    algorithm, _, expected = (row[1] if len(row) > 1 else "").partition("=")
    if algorithm not in _DIGESTS:
        return f"RECORD has no SHA-256, but {algorithm}" if algorithm else NO_DIGEST
    digest = hashlib.new(algorithm)
    with archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    if format_digest(digest.digest()) != expected:
        return "the digest differs from that in RECORD"
    return None
