"""List and compare functions of two images in one process, because listings are large."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.backends.interface.code import CodeReader, Listing
from kbuild.diff.alignment import compare_lines
from kbuild.diff.model import CodeChange
from kbuild.errors import InputError, ToolError
from kbuild.process import make_error, run

# A forged image could keep a tool busy forever.
_SECONDS: Final = 300.0

# The difference, None if the code is equal, or the reason why it is unknown.
Outcome: TypeAlias = CodeChange | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFile:
    """An image in a separate file. ``front`` has its first bytes.

    ``tool`` is the disassembler. It is None for text, and if no disassembler was found. In the
    latter case, ``missing`` says so.
    """

    path: Path
    front: bytes
    tool: Path | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Functions of two images to compare. ``names`` has the name on each side."""

    reader: CodeReader
    language: str
    old: ImageFile | None
    new: ImageFile | None
    names: tuple[tuple[str, str], ...]
    require_tool: bool


class _NotListedError(Exception):
    """The functions of an image cannot be listed; the text gives the reason."""


def compare_job(job: Job) -> tuple[Outcome, ...]:
    """Compare the functions of a job.

    Raises:
        ToolError: A disassembler is required and fails.
    """
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
            raise _NotListedError("no tool can list this kind of code")
        return job.reader.read_disassembly(_disassemble(job, image, data, names), data, names)
    except InputError as error:
        raise _NotListedError(str(error)) from error


def _disassemble(job: Job, image: ImageFile, data: bytes, names: frozenset[str]) -> str:
    """Return the output of the disassembler; a failure concerns only this image."""
    tool = image.tool or Path()
    command = job.reader.disassembly_command(tool, image.path, data, names)
    try:
        result = run(command, timeout=_SECONDS)
    except ToolError as error:
        if job.require_tool:
            raise
        raise _NotListedError(f"{tool.name} ran longer than {_SECONDS:.0f} s") from error
    except OSError as error:
        if job.require_tool:
            raise ToolError(f"{tool}: {error.strerror}") from error
        raise _NotListedError(f"{tool.name}: {error.strerror}") from error
    if result.returncode == 0:
        return result.stdout
    if job.require_tool:
        raise make_error(result)
    message = (result.stderr.strip() or result.stdout.strip()).splitlines()[-1:]
    # The name of the temporary file differs each time.
    message = [line.replace(str(image.path), "the image") for line in message]
    status = result.returncode
    ending = f"was killed by signal {-status}" if status < 0 else f"failed with status {status}"
    raise _NotListedError(": ".join((f"{tool.name} {ending}", *message)))
