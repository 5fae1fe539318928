"""The cache for kernels that programs compile.

An entry of the kernel cache is a directory.  It has a list of the headers that the compiler read,
with their SHA-256: the entry is valid as long as none of them changes.  Together with the key,
which covers the source, the options, the compiler, and the architecture, the headers determine the
preprocessed source.  Entries appear and disappear by renaming, so that processes need no locks.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, TypeVar

from kbuild import process, records
from kbuild.errors import ConfigurationError, InputError
from kbuild.files import sha256
from kbuild.resources import find_cache
from kbuild.values import dataclass

T = TypeVar("T")

SCHEMA: Final = "kbuild.kernel-cache/1"
SWITCH: Final = "KBUILD_KERNEL_CACHE"
LIMIT: Final = "KBUILD_KERNEL_CACHE_BYTES"

_DEPENDENCIES: Final = "dependencies.json"
_DEFAULT_LIMIT: Final = 1 << 30
# After a removal, there is room for new entries.
_KEPT: Final = 0.9
# A process that was killed leaves a directory that no entry replaces.
_LONGEST_WRITE: Final = 3600  # seconds
# The resolution of the time in file systems.
_CLOCK: Final = 0.02  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A file that the compiler read."""

    path: Path
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The files that the compiler read for an entry, without the source."""

    files: tuple[Dependency, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheDiagnosis:
    """The state of the kernel cache.

    Attributes:
        size: The size of all entries, in bytes.
        limit: The largest size, in bytes.
        hits: How many compilations the cache has saved since it was created.
        misses: How many compilations it did not have.
    """

    path: str
    entries: int
    size: int
    limit: int
    hits: int
    misses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    path: Path
    used: float
    size: int


class KernelCache:
    """The kernel cache of the current user; processes share it."""

    def __init__(self) -> None:
        self.root: Final = find_cache("kernels")
        self.limit: Final = _read_limit()

    def find(self, key: str, load: Callable[[Path], T]) -> T | None:
        """Load a valid entry, or count a miss and return None.

        An entry for which ``load`` raises InputError is damaged, and is removed.
        """
        for entry in sorted((self.root / key).glob("*")):
            try:
                content = (entry / _DEPENDENCIES).read_bytes()
                read = records.load(SCHEMA, Dependencies, content, str(entry))
                if not all(_digest(file.path) == file.sha256 for file in read.files):
                    continue
                found = load(entry)
                os.utime(entry)
            except FileNotFoundError:  # another process removed the entry
                continue
            except (InputError, OSError):
                self._remove(entry)
                continue
            self._count("hits")
            return found
        self._count("misses")
        return None

    def store(
        self,
        key: str,
        dependencies: Iterable[Path],
        write: Callable[[Path], object],
        started: float,
    ) -> None:
        """Add an entry, and remove the oldest ones if the cache is too large.

        A cache that cannot be written, such as on a full disk, is not an error.

        Args:
            key: The key.
            dependencies: The headers that the compiler read.
            write: Writes the files of the entry into a directory.
            started: When the compiler started.  If a header has changed since then, nothing is
                stored, because nobody knows which content the compiler read.
        """
        read = tuple(_read_dependency(path, started) for path in sorted(set(dependencies)))
        known = tuple(dependency for dependency in read if dependency is not None)
        if len(known) < len(read):
            return
        content = records.dump(SCHEMA, Dependencies(files=known))
        temporary = self.root / f".new-{os.urandom(8).hex()}"
        with contextlib.suppress(OSError):
            try:
                temporary.mkdir(parents=True)
                write(temporary)
                (temporary / _DEPENDENCIES).write_bytes(content)
                entry = self.root / key / sha256(content)[:16]
                entry.parent.mkdir(exist_ok=True)
                temporary.rename(entry)  # fails if another process was faster
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
            self._shrink()

    def diagnose(self) -> CacheDiagnosis:
        """Return the size of the cache, and the number of hits and misses."""
        entries = list(self._list())
        return CacheDiagnosis(
            path=str(self.root),
            entries=len(entries),
            size=sum(entry.size for entry in entries),
            limit=self.limit,
            hits=_read_size(self.root / "hits"),
            misses=_read_size(self.root / "misses"),
        )

    def _count(self, what: Literal["hits", "misses"]) -> None:
        """Count an event: the size of a file, because appending one byte is atomic."""
        with contextlib.suppress(OSError):
            self.root.mkdir(parents=True, exist_ok=True)
            with (self.root / what).open("ab") as stream:
                stream.write(b".")

    def _list(self) -> Iterator[_Entry]:
        for path in self.root.glob("[!.]*/*"):
            with contextlib.suppress(OSError):  # another process removed it
                size = sum(file.stat().st_size for file in path.iterdir())
                yield _Entry(path=path, used=path.stat().st_mtime, size=size)

    def _shrink(self) -> None:
        """Remove the entries that were not used for the longest time."""
        entries = sorted(self._list(), key=lambda entry: entry.used)
        size = sum(entry.size for entry in entries)
        if size <= self.limit:
            return
        for entry in entries:
            if size <= self.limit * _KEPT:
                break
            self._remove(entry.path)
            size -= entry.size
        started = time.time() - _LONGEST_WRITE
        for path in self.root.glob(".*"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < started:
                    shutil.rmtree(path)

    def _remove(self, entry: Path) -> None:
        # A process that reads the entry keeps it whole, or does not find it.
        removed = self.root / f".old-{os.urandom(8).hex()}"
        with contextlib.suppress(OSError):
            entry.rename(removed)
            shutil.rmtree(removed, ignore_errors=True)
            entry.parent.rmdir()  # fails if it has other entries


def is_switched_on() -> bool:
    """Return whether the environment requests the kernel cache."""
    return process.select_environment((SWITCH,)).get(SWITCH, "") not in ("", "0")


def _read_limit() -> int:
    value = process.select_environment((LIMIT,)).get(LIMIT) or str(_DEFAULT_LIMIT)
    if not (value.isascii() and value.isdigit()):
        raise ConfigurationError(f"{LIMIT} is {value!r}; expected a number of bytes")
    return int(value)


def _read_dependency(path: Path, started: float) -> Dependency | None:
    digest = _digest(path)
    try:
        is_older = path.stat().st_mtime < started - _CLOCK
    except OSError:
        return None
    return Dependency(path=path, sha256=digest) if digest and is_older else None


def _digest(path: Path) -> str | None:
    try:
        return sha256(path.read_bytes())
    except OSError:
        return None


def _read_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
