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
_STATUS: Final = re.compile(_MARK + r"(\d+)/(\d+) (\S+) (.*)")
# The first ninja that foretells, by what edges took before, when it ends.
_FORECAST_VERSION: Final = (1, 12)
# The first ninja that takes jobs from a jobserver.
_JOBSERVER_VERSION: Final = (1, 13)
_COMPLAINT: Final = "ninja: error: "
_LEAST_ROOM: Final = 64 << 10
_FULL_DISK: Final = tuple(os.strerror(code) for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """An edge, ``what``, that is finished as so many of so many.

    ``seconds_left`` is when the build ends, from now; None where ninja does not know.
    """

    finished: int
    total: int
    seconds_left: float | None
    what: str


class BuildReporter(Protocol):
    """Who is told how a build goes."""

    def report_step(self, step: BuildStep) -> None:
        """An edge is finished."""

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
    ToolError where there was no room for what it writes, or its own file is damaged.
    """
    damage: list[str] = []
    read_line = _read_lines(reporter)

    def read_damage(line: str) -> None:
        if line.startswith(_COMPLAINT) and "build.ninja" in line:
            damage.append(line.removeprefix(_COMPLAINT))
        read_line(line)

    server = _find_jobserver()
    text = process.run_checked(Command(argv=(str(run.ninja), "--version"))).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", text)[:2])
    is_client = _is_client(server, text, version) if server else False
    jobs = server.jobs if server and not run.jobs and not is_client else run.jobs
    parallel = ("-j", str(jobs)) if jobs else ()
    forecast = "%E" if version >= _FORECAST_VERSION else "?"
    command = Command(
        argv=(str(run.ninja), *parallel, *run.targets),
        env=(("NINJA_STATUS", f"{_MARK}%f/%t {forecast} "),),
    )
    inherited = (*(() if run.lock is None else (run.lock,)), *(server.pipe if server else ()))
    try:
        run_tool(command, run.folder, read_damage, inherited=inherited)
    except BuildError as error:
        if damage:
            mend = "kbuild clean removes what is damaged"
            raise ToolError(f"{run.folder}: {damage[0]}; {mend}") from error
        raise


def run_tool(
    command: Command,
    folder: Path,
    on_line: Callable[[str], None] | None = None,
    *,
    inherited: tuple[int, ...] = (),
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
        inherited=inherited,
    )
    status, code = process.stream_build(call)
    if status == 0:
        return
    if not complaints and _lacks_room(folder):
        complaints.append(os.strerror(errno.ENOSPC))  # CMake does not say it of its own files
    if complaints:
        raise ToolError(
            f"{folder}: {complaints[0]}: free some space and build again; nothing that is half "
            "written will be taken for finished"
        )
    message = f"exit status {status}: {shlex.join(command.argv)}"
    raise BuildError(message, ToolError.exit_code if code is None else code)


def _lacks_room(folder: Path) -> bool:
    """Whether next to nothing can be written there."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize < _LEAST_ROOM


def _read_lines(reporter: BuildReporter) -> Callable[[str], None]:
    def read_line(line: str) -> None:
        found = _STATUS.fullmatch(line)
        if found:
            step = BuildStep(
                finished=int(found[1]),
                total=int(found[2]),
                seconds_left=None if found[3] == "?" else float(found[3]),
                what=found[4],
            )
            reporter.report_step(step)
        else:
            reporter.report_line(line)

    return read_line


@dataclass(frozen=True, slots=True, kw_only=True)
class _Jobserver:
    """What the make that runs us says of its jobs: its ``-j``, and its pipe where it has one."""

    jobs: int | None
    pipe: tuple[int, ...]


def _find_jobserver() -> _Jobserver | None:
    words = process.select_environment(("MAKEFLAGS",)).get("MAKEFLAGS", "").split()
    places = [word.partition("=")[2] for word in words if word.startswith("--jobserver-")]
    if not places:
        return None
    jobs = [int(word[2:]) for word in words if re.fullmatch(r"-j\d+", word)]
    pipe = tuple(map(int, places[-1].split(","))) if re.fullmatch(r"\d+,\d+", places[-1]) else ()
    return _Jobserver(jobs=jobs[-1] if jobs else None, pipe=tuple(filter(_is_open, pipe)))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _is_client(server: _Jobserver, text: str, version: tuple[int, ...]) -> bool:
    """Whether the ninja of that version asks that jobserver."""
    # Kitware's speaks both protocols, upstream's only that with a named pipe.
    return "jobserver" in text or (version >= _JOBSERVER_VERSION and not server.pipe)
