"""Runs external tools: the only caller of subprocess."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command, CommandResult

_TAIL_LINES = 40


def run(command: Command, *, cwd: Path | None = None, timeout: float | None = None) -> CommandResult:
    """Run ``command`` to its end and return what it said, whatever its exit status.

    Raises ToolchainError when the program is not there, ToolError when it outlives
    ``timeout`` seconds.
    """
    try:
        done = subprocess.run(
            command.argv,
            cwd=cwd,
            env=_environment(dict(command.env)),
            capture_output=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError as error:
        raise ToolchainError(f"{command.argv[0]}: not found; is it installed?") from error
    except PermissionError as error:
        raise ToolchainError(f"{command.argv[0]}: may not be executed") from error
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{shlex.join(command.argv)}\nran longer than {timeout} s") from error
    return CommandResult(
        argv=command.argv,
        returncode=done.returncode,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )


def run_checked(command: Command, *, cwd: Path | None = None) -> CommandResult:
    """`run`, but a failing tool raises ToolError with its argv and the tail of its stderr."""
    result = run(command, cwd=cwd)
    if result.returncode != 0:
        raise ToolError(describe_failure(result))
    return result


def stream(command: Command, *, cwd: Path | None = None) -> int:
    """Run ``command`` with our own stderr for all its output; return its exit status."""
    try:
        return subprocess.run(
            command.argv, cwd=cwd, env=_environment(dict(command.env)), stdout=2, check=False
        ).returncode
    except FileNotFoundError as error:
        raise ToolchainError(f"{command.argv[0]}: not found; is it installed?") from error


def describe_failure(result: CommandResult) -> str:
    """The argv, the exit status and the last lines a failed tool printed."""
    lines = (result.stderr.strip() or result.stdout.strip()).splitlines()
    omitted = len(lines) - _TAIL_LINES
    tail = lines[-_TAIL_LINES:]
    if omitted > 0:
        tail.insert(0, f"[{omitted} lines before this one]")
    ending = (
        f"was killed by signal {-result.returncode}"
        if result.returncode < 0
        else f"failed with exit status {result.returncode}"
    )
    return "\n".join([f"{result.argv[0]} {ending}: {shlex.join(result.argv)}", *tail])


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **changes}
