"""Run ninja, and read its progress from its output."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from kbuild import process
from kbuild.model import Command
from kbuild.project.jobserver import find_jobserver
from kbuild.project.tools import run_tool

# Starts ninja's status lines. No tool starts a line with this character.
_MARK: Final = "\x1e"
_STATUS: Final = re.compile(_MARK + r"(\d+)/(\d+) (\S+) (.*)")
# The first ninja version that predicts the remaining time.
_PREDICTING_VERSION: Final = (1, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """A finished edge, ``description``, and how many of the ``total`` edges are finished.

    ``seconds_left`` is the remaining time of the build, or None if ninja cannot predict it.
    """

    finished: int
    total: int
    seconds_left: float | None
    description: str


class BuildReporter(Protocol):
    """A receiver of a build's progress."""

    def report_step(self, step: BuildStep) -> None:
        """Report a finished edge."""

    def report_line(self, line: str) -> None:
        """Report a line of a tool's output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NinjaRun:
    """A call of ninja in ``directory``.

    Without ``targets``, ninja builds everything. All processes of the build inherit the file
    descriptor ``lock``.
    """

    ninja: Path
    directory: Path
    targets: tuple[str, ...] = ()
    jobs: int | None = None
    lock: int | None = None


def run_ninja(run: NinjaRun, reporter: BuildReporter) -> None:
    """Build. Errors are those of `run_tool`."""
    version_text = process.run_checked(Command(argv=(str(run.ninja), "--version"))).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", version_text)[:2])
    server = find_jobserver()
    jobs = run.jobs
    if server and not jobs and not server.serves(version_text, version):
        jobs = server.jobs
    parallel = ("-j", str(jobs)) if jobs else ()
    prediction = "%E" if version >= _PREDICTING_VERSION else "?"
    command = Command(
        argv=(str(run.ninja), *parallel, *run.targets),
        env=(("NINJA_STATUS", f"{_MARK}%f/%t {prediction} "),),
    )
    inherited = (*(() if run.lock is None else (run.lock,)), *(server.pipe if server else ()))
    run_tool(command, run.directory, _read_lines(reporter), inherited=inherited)


def _read_lines(reporter: BuildReporter) -> Callable[[str], None]:
    def read_line(line: str) -> None:
        found = _STATUS.fullmatch(line)
        if found:
            step = BuildStep(
                finished=int(found[1]),
                total=int(found[2]),
                seconds_left=None if found[3] == "?" else float(found[3]),
                description=found[4],
            )
            reporter.report_step(step)
        else:
            reporter.report_line(line)

    return read_line
