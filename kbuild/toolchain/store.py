"""Results of tools in the user's cache, which processes share.

An entry is a file that its key names: the SHA-256 of the content, and the content. Whoever stores a
result puts everything that it depends on into the key. Files appear by renaming, so that processes
need no locks, and a file with another content than its digest says is removed. Each of the
directories, among which keys are distributed, is limited, so that a new entry looks at one only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.files import sha256, write_parts
from kbuild.process import select_environment
from kbuild.resources import find_cache

SWITCH: Final = "KBUILD_CACHE"
LIMIT: Final = "KBUILD_CACHE_BYTES"

_VALUES: Final = {"": True, "on": True, "off": False}
_DEFAULT_LIMIT: Final = 2 << 30
_DIRECTORIES: Final = 16  # one per hexadecimal digit
# After a removal, there is room for new entries.
_KEPT: Final = 0.9
_LONGEST_WRITE: Final = 3600  # seconds
# How exact the time of the last use is. Writing it for each use would cost more than reading.
_USE: Final = 3600  # seconds
_DIGEST_LENGTH: Final = 64


def make_key(*parts: str | bytes) -> str:
    """Return a key that identifies the parts."""
    encoded = (p.encode(errors="surrogateescape") if isinstance(p, str) else p for p in parts)
    return sha256(b"".join(b"%d:%s" % (len(part), part) for part in encoded))


@cache
def identify_modules(*modules: ModuleType) -> str:
    """Return what changes if the code of modules does."""
    return sha256(b"".join(Path(module.__file__ or "").read_bytes() for module in modules))


def find(key: str) -> bytes | None:
    """Return the content of an entry; None if it does not exist, or the cache is off."""
    path = _locate(key)
    if path is None:
        return None
    try:
        stored = path.read_bytes()
        content = stored[_DIGEST_LENGTH:]
        if stored[:_DIGEST_LENGTH] != sha256(content).encode():
            path.unlink(missing_ok=True)
            return None
        if path.stat().st_mtime < time.time() - _USE:
            os.utime(path)
    except OSError:
        return None
    return content


def add(key: str, content: bytes) -> None:
    """Add or replace an entry, and remove the oldest ones if the cache is too large.

    A cache that cannot be written, such as on a full disk, is not an error. An entry that would
    displace most others is not kept.
    """
    path = _locate(key)
    limit = _read_limit() // _DIRECTORIES
    if path is None or len(content) > limit * _KEPT:
        return
    with contextlib.suppress(OSError):
        write_parts(path, (sha256(content).encode(), content))
        _shrink(path.parent, limit)


def _shrink(directory: Path, limit: int) -> None:
    """Remove the entries that were not used for the longest time."""
    with os.scandir(directory) as entries:
        found = [(entry.stat(), entry) for entry in _list_existing(entries)]
    interrupted = time.time() - _LONGEST_WRITE
    for status, entry in found:
        if entry.name.startswith(".") and status.st_mtime < interrupted:
            Path(entry).unlink(missing_ok=True)
    size = sum(status.st_size for status, _ in found)
    if size <= limit:
        return
    for status, entry in sorted(found, key=lambda each: each[0].st_mtime):
        if size <= limit * _KEPT:
            break
        if not entry.name.startswith("."):
            Path(entry).unlink(missing_ok=True)
            size -= status.st_size


def _list_existing(entries: Iterable[os.DirEntry[str]]) -> Iterable[os.DirEntry[str]]:
    """Yield the entries that no other process has removed meanwhile."""
    for entry in entries:
        with contextlib.suppress(FileNotFoundError):
            entry.stat()
            yield entry


def _locate(key: str) -> Path | None:
    """Return the file of an entry; None if the cache is off, or the user has none."""
    value = select_environment((SWITCH,)).get(SWITCH, "")
    if value not in _VALUES:
        raise ConfigurationError(f"{SWITCH} is {value!r}; expected on or off")
    if not _VALUES[value]:
        return None
    try:
        return find_cache("results") / key[0] / key
    except ConfigurationError:
        return None


def _read_limit() -> int:
    value = select_environment((LIMIT,)).get(LIMIT) or str(_DEFAULT_LIMIT)
    if not (value.isascii() and value.isdigit()):
        raise ConfigurationError(f"{LIMIT} is {value!r}; expected a number of bytes")
    return int(value)
