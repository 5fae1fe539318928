"""Read the journals of checked processes, which native/cpu/checks/journal writes."""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from kbuild.errors import InputError
from kbuild.values import dataclass

Row: TypeAlias = Mapping[str, Any]

_SCHEMA: Final = "kbuild.check-process/2"
# The name of a journal is the number of the process, a hyphen, and a number.
_PATTERN: Final = "*.jsonl"
_PATIENCE_SECONDS: Final = 5.0
_PAUSE_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCount:
    """How often a process has launched a kernel, and what became of it.

    Attributes:
        name: The demangled name.
        queued: The launches that the runtime has accepted.
        refused: Those that it has not.
        started: The launches that began.
        ended: Those that ended, also with an error.
        failed: Those that ended with an error.
        unchecked: Those of code without instrumentation.
        blocks: The blocks of all launches that began.
        threads: Their threads.
        model: How the threads of a block run.
    """

    name: str
    queued: int
    refused: int
    started: int
    ended: int
    failed: int
    unchecked: int
    blocks: int
    threads: int
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessJournal:
    """What one process has said about itself.

    Attributes:
        process: The number of the process.
        program: The path of its program.
        is_running: Whether the process still exists.
        has_ended: Whether it has run the checks at its end.
        signal: The signal that ended it, as far as the process knows; 0 without one.
        images: The instrumented images that it has loaded.
        forks: The processes that it has forked.
        is_forked: Whether another checked process has forked it.
        memory: The allocations that it has not freed.
        omitted: Causes beyond the limit of a process.
        kernels: The kernels that it has launched.
        findings: Rows of findings.
        limits: What its checks did not cover.
        lines: Sources, their lines with accesses, and whether each has run. None if the process has
            not run to its end.
    """

    process: int
    program: str
    is_running: bool
    has_ended: bool
    signal: int
    images: int
    forks: int
    is_forked: bool
    memory: int
    omitted: int
    kernels: tuple[KernelCount, ...]
    findings: tuple[Row, ...]
    limits: tuple[str, ...]
    lines: tuple[tuple[str, int, bool], ...] | None


def read_journals(directory: Path, *, can_run: bool = False) -> tuple[ProcessJournal, ...]:
    """Return the journals in a directory and its subdirectories.

    Args:
        directory: Where the processes have written.
        can_run: Whether processes can still run. Otherwise, they have a few seconds to end.

    Raises:
        InputError: A file is damaged.
    """
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        journals = tuple(map(_read_journal, sorted(directory.rglob(_PATTERN))))
        is_awaited = not can_run and any(journal.is_running for journal in journals)
        if not (is_awaited or count_missing(journals) > 0) or time.monotonic() >= end:
            return journals
        time.sleep(_PAUSE_SECONDS)


def count_missing(journals: Iterable[ProcessJournal]) -> int:
    """Return the number of forked processes without a journal."""
    return sum(journal.forks - journal.is_forked for journal in journals)


def read_content(path: Path) -> bytes:
    """Return the lines of a journal. Its file ends with zeros."""
    with path.open("rb") as stream:
        return b"".join(iter(lambda: stream.read(1 << 16).partition(b"\0")[0], b""))


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a journal. A process that is killed can leave an empty file.

    Raises:
        InputError: The file is damaged.
    """
    for number, line in enumerate(read_content(path).decode(errors="replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number}: not a journal of checks: {error}") from error
        if not isinstance(row, dict) or (number == 1 and row.get("schema") != _SCHEMA):
            raise InputError(f"{path}:{number}: not a journal of checks with schema {_SCHEMA}")
        yield row


def _read_journal(path: Path) -> ProcessJournal:
    is_running = _is_locked(path)
    rows = tuple(read_rows(path))
    head: Row = rows[0] if rows else {}
    covered = [row for row in rows if "source" in row]
    return ProcessJournal(
        process=int(path.name.partition("-")[0]),
        program=head.get("program", ""),
        is_running=is_running,
        has_ended=head.get("ended", False),
        signal=head.get("signal", 0),
        images=head.get("images", 0),
        forks=head.get("forks", 0),
        is_forked=head.get("forked", False),
        memory=head.get("memory", 0),
        omitted=head.get("omitted", 0),
        kernels=tuple(_read_kernel(row) for row in rows if "queued" in row),
        findings=tuple(row for row in rows if "rule" in row),
        limits=tuple(row["limit"] for row in rows if "limit" in row),
        lines=tuple(_list_lines(covered)) if head.get("ended", False) else None,
    )


def _read_kernel(row: Row) -> KernelCount:
    return KernelCount(
        name=row["kernel"],
        queued=row["queued"],
        refused=row["refused"],
        started=row["started"],
        ended=row["ended"],
        failed=row["failed"],
        unchecked=row["unchecked"],
        blocks=row["blocks"],
        threads=row["threads"],
        model=row["model"],
    )


def _list_lines(rows: Iterable[Row]) -> Iterator[tuple[str, int, bool]]:
    for row in rows:
        for name, has_run in (("run", True), ("not_run", False)):
            yield from ((row["source"], line, has_run) for line in row[name])


def _is_locked(path: Path) -> bool:
    """Return whether the process that writes the file exists."""
    with path.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
