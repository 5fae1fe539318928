"""Write a wheel again with other content for some of its files.

``RECORD`` has the digests of the new content. Signatures of the old ``RECORD`` are left out.

Sources: PEP 427, "Signed wheel files" and ".dist-info"; PEP 376, "RECORD"; binary distribution
format, "The .dist-info directory".
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import zipfile
from collections.abc import Callable
from typing import BinaryIO, Final

from kbuild.errors import InputError

_SIGNATURES: Final = ("RECORD.jws", "RECORD.p7s")
_DIST_INFO: Final = ".dist-info/"


def rewrite_wheel(
    source: BinaryIO, target: BinaryIO, change: Callable[[str, bytes], bytes | None]
) -> tuple[str, ...]:
    """Write a wheel again, with its files in the same order and with the same attributes.

    Args:
        source: The wheel.
        target: The file to write.
        change: A function that receives the name and the content of a file, and returns the new
            content; None if it stays the same.

    Returns:
        The names of the signatures that were left out.

    Raises:
        InputError: The wheel is damaged, contains a name twice, or has no ``RECORD``.
    """
    try:
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
            return _copy(old, new, change)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(f"not a valid wheel: {error}") from error


def _copy(
    old: zipfile.ZipFile, new: zipfile.ZipFile, change: Callable[[str, bytes], bytes | None]
) -> tuple[str, ...]:
    infos = old.infolist()
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise InputError("the wheel contains two files with the same name")
    record = _find_record(names)
    signatures = tuple(n for n in names if n in {record[: -len("RECORD")] + s for s in _SIGNATURES})
    changed: dict[str, tuple[str, str]] = {}
    for info in infos:
        if info.filename in signatures or info.filename == record:
            continue
        content = old.read(info)
        replacement = change(info.filename, content)
        if replacement is not None:
            changed[info.filename] = _describe(replacement)
        _write(new, info, content if replacement is None else replacement)
    # Binary distribution format: archivers should put .dist-info at the end.
    _write(new, old.getinfo(record), _correct(old.read(record), changed, {*signatures}))
    return signatures


def _find_record(names: list[str]) -> str:
    found = [n for n in names if n.count("/") == 1 and n.endswith(f"{_DIST_INFO}RECORD")]
    if len(found) != 1:
        raise InputError(f"expected one .dist-info/RECORD in the wheel, found {len(found)}")
    return found[0]


def _describe(content: bytes) -> tuple[str, str]:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}", str(len(content))


def _correct(record: bytes, changed: dict[str, tuple[str, str]], removed: set[str]) -> bytes:
    """Return ``RECORD`` with the digests and sizes of changed files, without removed files."""
    rows = list(csv.reader(io.StringIO(record.decode("utf-8"), newline="")))
    missing = changed.keys() - {row[0] for row in rows if row}
    if missing:
        raise InputError(f"RECORD does not list {min(missing)!r}")
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(
        [row[0], *changed[row[0]]] if row[0] in changed else row
        for row in rows
        if row and row[0] not in removed
    )
    return text.getvalue().encode("utf-8")


def _write(new: zipfile.ZipFile, old: zipfile.ZipInfo, content: bytes) -> None:
    info = zipfile.ZipInfo(old.filename, old.date_time)
    info.compress_type = old.compress_type
    info.external_attr = old.external_attr
    info.create_system = old.create_system
    new.writestr(info, content)
