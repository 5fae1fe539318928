"""Runs ninja, and reads how far it is from what it prints."""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from kbuild import process
from kbuild.errors import BuildError, ToolError
from kbuild.model import Command

# A character that no tool begins a line with.
_MARK: Final = "\x1e"
_STATUS: Final = re.compile(_MARK + r"(\d+)/(\d+) (.*)")
# The first ninja that takes jobs from a jobserver.
_JOBSERVER_VERSION: Final = (1, 13)
_FULL_DISK: Final = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


class BuildReporter(Protocol):
    """Who is told how a build goes."""

    def report_step(self, finished: int, total: int, what: str) -> None:
        """So many of so many edges are finished, the last of which is ``what``."""

    def report_line(self, line: str) -> None:
        """A tool printed something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NinjaRun:
    """A call of ninja; no ``targets`` means all, ``lock`` stays open as long as it runs."""

    ninja: Path
    folder: Path
    targets: tuple[str, ...] = ()
    jobs: int | None = None
    lock: int | None = None


def run_ninja(run: NinjaRun, reporter: BuildReporter) -> None:
    """Build.

    Raises BuildError when an edge fails, with what it ended with where that was a kbuild, and
    ToolError where there was no room for what it writes.
    """
    jobs = run.jobs or _read_make_jobs(run.ninja)
    parallel = ("-j", str(jobs)) if jobs else ()
    command = Command(
        argv=(str(run.ninja), *parallel, *run.targets), env=(("NINJA_STATUS", f"{_MARK}%f/%t "),)
    )
    run_tool(command, run.folder, _read_lines(reporter), lock=run.lock)


def run_tool(
    command: Command,
    folder: Path,
    on_line: Callable[[str], None] | None = None,
    *,
    lock: int | None = None,
) -> None:
    """Run a build tool in ``folder``; BuildError and ToolError as `run_ninja` raises them.

    Without ``on_line`` it prints to our stderr itself.
    """
    complaints: list[str] = []

    def read_line(line: str) -> None:
        complaints.extend(text for text in _FULL_DISK if text in line)
        if on_line:
            on_line(line)

    call = process.BuildCall(
        command=command,
        folder=folder,
        on_line=read_line if on_line else None,
        inherited=() if lock is None else (lock,),
    )
    status, code = process.stream_build(call)
    if status == 0:
        return
    if complaints:
        raise ToolError(
            f"{folder}: {complaints[0]}: free some space and build again; nothing that is half "
            "written will be taken for finished"
        )
    message = f"exit status {status}: {shlex.join(command.argv)}"
    raise BuildError(message, ToolError.exit_code if code is None else code)


def _read_lines(reporter: BuildReporter) -> Callable[[str], None]:
    def read_line(line: str) -> None:
        found = _STATUS.fullmatch(line)
        if found:
            reporter.report_step(int(found[1]), int(found[2]), found[3])
        else:
            reporter.report_line(line)

    return read_line


def _read_make_jobs(ninja: Path) -> int | None:
    """How many jobs a make with a jobserver has, for a ninja that cannot ask it.

    None without one: ninja decides.
    """
    words = process.select_environment(("MAKEFLAGS",)).get("MAKEFLAGS", "").split()
    numbers = [word[2:] for word in words if re.fullmatch(r"-j\d+", word)]
    if not numbers or not any(word.startswith("--jobserver-") for word in words):
        return None
    text = process.run_checked(Command(argv=(str(ninja), "--version"))).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", text)[:2])
    is_client = version >= _JOBSERVER_VERSION or "jobserver" in text
    return None if is_client else int(numbers[-1])
