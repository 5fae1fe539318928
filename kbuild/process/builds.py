"""Run build tools, and tell a build what its commands found."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from kbuild.model import Command
from kbuild.process.commands import make_missing_error
from kbuild.process.environment import EVENTS_VARIABLE, extend_environment
from kbuild.values import dataclass, list_fields

_REUSED: Final = "reused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The failure of a kbuild command, for the build that runs it.

    ``setting`` and ``target`` are those of the `KbuildError`, if it has them.
    """

    exit_code: int
    message: str = ""
    setting: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildEnd:
    """The end of a build tool.

    Attributes:
        status: The exit status.
        failure: The first failure of a kbuild command that the build tool ran, or None.
        reused: How many kbuild commands found that their outputs need no change.
    """

    status: int
    failure: Failure | None = None
    reused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildCall:
    """A build tool to run in ``directory``.

    ``on_line`` receives each line of output. Without it, the output goes to this process's stderr.
    Every process of the build inherits the file descriptors ``inherited``.
    """

    command: Command
    directory: Path
    on_line: Callable[[str], None] | None = None
    inherited: tuple[int, ...] = ()


def stream_build(call: BuildCall) -> BuildEnd:
    """Run a build tool.

    Build tools have only one exit status for all failures of the commands that they run.
    Therefore, kbuild commands describe their failures with `leave_failure`.
    """
    path = call.directory / ".events"
    call.directory.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    variables = {**dict(call.command.env), EVENTS_VARIABLE: str(path)}
    try:
        process = subprocess.Popen(
            call.command.argv,
            cwd=call.directory,
            env=extend_environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if call.on_line else 2,
            stderr=subprocess.STDOUT if call.on_line else None,
            pass_fds=call.inherited,
        )
    except FileNotFoundError as error:
        raise make_missing_error(call.command) from error
    status = _follow(process, call.on_line or (lambda _: None))
    events = _read_events(path)
    path.unlink(missing_ok=True)
    failures = [Failure(**event) for event in events if isinstance(event, dict)]
    return BuildEnd(status=status, failure=next(iter(failures), None), reused=events.count(_REUSED))


def _follow(process: subprocess.Popen[bytes], on_line: Callable[[str], None]) -> int:
    """Pass on each line of output until the process ends, and return its exit status."""
    with process:
        try:
            for line in process.stdout or ():
                on_line(line.decode(errors="replace").rstrip("\n"))
        except BaseException:
            process.send_signal(signal.SIGINT)  # ninja then removes unfinished outputs
            process.communicate()
            raise
    return process.returncode


def leave_failure(failure: Failure) -> None:
    """Describe this command's failure to the build that runs it, if there is one."""
    _leave_event({field.name: getattr(failure, field.name) for field in list_fields(Failure)})


def leave_reuse() -> None:
    """Tell the build that runs this command, if there is one, that its outputs need no change."""
    _leave_event(_REUSED)


def _leave_event(event: object) -> None:
    path = os.environ.get(EVENTS_VARIABLE)
    if path:
        # A line is written at once, so that those of several commands do not mix.
        with contextlib.suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(event)}\n")


def _read_events(path: Path) -> list[Any]:
    events: list[Any] = []
    # ValueError: the disk is full, so a line is cut off. Those before it are whole.
    with contextlib.suppress(FileNotFoundError, ValueError):
        events.extend(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    return events
