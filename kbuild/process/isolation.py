"""Run commands that can crash or hang."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

from kbuild.model import Command
from kbuild.process.environment import extend_environment
from kbuild.values import dataclass

_TAIL_BYTES = 1 << 16
_GRACE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedResult:
    """The result of an isolated process.

    ``returncode`` is negative if a signal ended the process, and None if it exceeded the time
    limit. ``output`` holds the last part of stdout and stderr.
    """

    returncode: int | None
    output: str


def run_isolated(command: Command, *, timeout: float) -> IsolatedResult:
    """Run a command that can crash or hang, and kill every process that it leaves behind.

    After ``timeout`` seconds, the command receives SIGTERM and, if it does not exit soon, SIGKILL.
    """
    import tempfile  # noqa: PLC0415 - slow to import, and build edges do not need it

    # A pipe can stay open forever if the command leaves processes behind. A file cannot.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command.argv,
            env=extend_environment(dict(command.env)),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            returncode = _wait(process, timeout)
        finally:
            _signal_group(process, signal.SIGKILL)
            process.wait()
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - _TAIL_BYTES))
        return IsolatedResult(returncode=returncode, output=output.read().decode(errors="replace"))


def _wait(process: subprocess.Popen[bytes], timeout: float) -> int | None:
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    return None


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The process group has the id of its first process and exists until its last process ends.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
