"""Functions of two images, listed and compared in one process: listings are large, and stay."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.backends.interface.code import CodeReader, Listing
from kbuild.diff.alignment import compare_lines
from kbuild.diff.model import CodeChange, Hunk, Row
from kbuild.errors import InputError, ToolError
from kbuild.process import describe_failure, run

# A forged image may keep a tool busy for ever.
_SECONDS: Final = 300.0

# What differs, None where nothing does, or why nobody knows.
Outcome: TypeAlias = CodeChange | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFile:
    """An image in a file of its own; ``front`` is its first bytes.

    ``tool`` is None for text, and where there is none: then ``missing`` says so.
    """

    path: Path
    front: bytes
    tool: Path | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Which functions of two images to compare, by their names on both sides."""

    reader: CodeReader
    language: str
    old: ImageFile | None
    new: ImageFile | None
    names: tuple[tuple[str, str], ...]
    demands_tool: bool


class _NotListedError(Exception):
    """The functions of an image cannot be shown; the text says why."""


def compare_job(job: Job) -> tuple[Outcome, ...]:
    """How each function differs; ToolError where a tool is demanded and fails."""
    copyreg.pickle(Hunk, _reduce_hunk)
    try:
        old = _list_functions(job, job.old, frozenset(old for old, _ in job.names))
        new = _list_functions(job, job.new, frozenset(new for _, new in job.names))
    except _NotListedError as error:
        return (str(error),) * len(job.names)
    return tuple(_compare(job, old.get(before), new.get(after)) for before, after in job.names)


def _compare(job: Job, old: tuple[str, ...] | None, new: tuple[str, ...] | None) -> Outcome:
    if old is None or new is None:
        return "the disassembler does not show the function"
    return compare_lines(old, new, job.language)


def _list_functions(job: Job, image: ImageFile | None, names: frozenset[str]) -> Listing:
    if image is None:
        raise _NotListedError("the image can no longer be read")
    if image.missing:
        raise _NotListedError(image.missing)
    data = image.path.read_bytes()
    try:
        text = job.reader.read_text(data, names)
        if text is not None:
            return text
        if image.tool is None:
            raise _NotListedError("nothing shows code of this kind")
        return job.reader.read_disassembly(_disassemble(job, image, data, names), data, names)
    except InputError as error:
        raise _NotListedError(str(error)) from error


def _disassemble(job: Job, image: ImageFile, data: bytes, names: frozenset[str]) -> str:
    """What the tool prints; one that fails does so for one image, and others go on."""
    tool = image.tool or Path()
    command = job.reader.disassembly_command(tool, image.path, data, names)
    try:
        result = run(command, timeout=_SECONDS)
    except ToolError as error:
        if job.demands_tool:
            raise
        raise _NotListedError(f"{tool.name} ran longer than {_SECONDS:.0f} s") from error
    except OSError as error:
        if job.demands_tool:
            raise ToolError(f"{tool}: {error.strerror}") from error
        raise _NotListedError(f"{tool.name}: {error.strerror}") from error
    if result.returncode == 0:
        return result.stdout
    if job.demands_tool:
        raise ToolError(describe_failure(result))
    said = (result.stderr.strip() or result.stdout.strip()).splitlines()[-1:]
    # The name of a temporary file is another one each time.
    said = [line.replace(str(image.path), "the image") for line in said]
    status = result.returncode
    ending = f"was killed by signal {-status}" if status < 0 else f"failed with status {status}"
    raise _NotListedError(": ".join((f"{tool.name} {ending}", *said)))


def _reduce_hunk(
    hunk: Hunk,
) -> tuple[Callable[..., Hunk], tuple[int, int, list[tuple[str | None, str | None]]]]:
    """Rows as pairs: pickled as dataclasses they take longer than making them."""
    return _restore_hunk, (hunk.old_start, hunk.new_start, [(r.old, r.new) for r in hunk.rows])


def _restore_hunk(
    old_start: int, new_start: int, rows: list[tuple[str | None, str | None]]
) -> Hunk:
    return Hunk(
        old_start=old_start,
        new_start=new_start,
        rows=tuple(Row(old=old, new=new) for old, new in rows),
    )
