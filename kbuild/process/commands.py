"""Find programs, run them to their end, and describe their failures."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command, CommandResult
from kbuild.process.environment import extend_environment


def find_program(name: str) -> Path | None:
    """Return ``name`` as a path, or as found on PATH; None if it is not an executable."""
    import shutil  # noqa: PLC0415 - slow to import, and most build edges look for nothing

    found = shutil.which(name)
    return Path(found).absolute() if found else None


def find_build_program(name: str) -> Path | None:
    """Find ``name`` on PATH, or beside this interpreter, where wheels install programs."""
    import sysconfig  # noqa: PLC0415 - slow to import, and rarely needed

    return find_program(name) or find_program(str(Path(sysconfig.get_path("scripts")) / name))


def run(
    command: Command, *, cwd: Path | None = None, timeout: float | None = None
) -> CommandResult:
    """Run ``command`` and return its output and exit status, which can be nonzero.

    Args:
        command: The program and its arguments.
        cwd: The working directory. The default is the one of ``command``.
        timeout: The time limit, in seconds.

    Raises:
        ToolchainError: The program does not exist or is not executable.
        ToolError: The program exceeds the time limit.
    """
    for directory in command.directories:
        directory.mkdir(parents=True, exist_ok=True)
    try:
        with _open_environment(command) as variables:
            done = subprocess.run(
                command.argv,
                cwd=cwd or command.cwd,
                env=variables,
                capture_output=True,
                timeout=timeout,
                stdin=subprocess.DEVNULL,
                check=False,
            )
    except FileNotFoundError as error:
        raise make_missing_error(command) from error
    except PermissionError as error:
        raise ToolchainError(
            f"{command.argv[0]}: permission denied; make the file executable"
        ) from error
    except subprocess.TimeoutExpired as error:
        message = f"{command.argv[0]} ran longer than {timeout} s"
        raise ToolError(message, command=command.argv) from error
    return CommandResult(
        argv=command.argv,
        returncode=done.returncode,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )


@contextlib.contextmanager
def _open_environment(command: Command) -> Iterator[dict[str, str]]:
    """Provide the variables of a command, and its directory for temporary files if it needs one."""
    if not command.leaves_files:
        yield extend_environment(dict(command.env))
        return
    import tempfile  # noqa: PLC0415 - slow to import, and few tools leave files

    with tempfile.TemporaryDirectory(prefix="kbuild-") as directory:
        yield extend_environment({"TMPDIR": directory, **dict(command.env)})


def run_checked(
    command: Command, *, cwd: Path | None = None, timeout: float | None = None
) -> CommandResult:
    """Do the same as `run`, but raise an error if the command fails.

    Raises:
        ToolchainError: The program does not exist or is not executable.
        ToolError: The command fails or exceeds the time limit.
    """
    result = run(command, cwd=cwd, timeout=timeout)
    if result.returncode != 0:
        raise make_error(result)
    return result


def stream(command: Command, *, cwd: Path | None = None) -> int:
    """Run ``command``, send all its output to this process's stderr, and return its exit status."""
    try:
        return subprocess.run(
            command.argv, cwd=cwd, env=extend_environment(dict(command.env)), stdout=2, check=False
        ).returncode
    except FileNotFoundError as error:
        raise make_missing_error(command) from error


def make_error(
    result: CommandResult, *, context: str = "", log: str | None = None, fix: str = ""
) -> ToolError:
    """Return the error of a failed tool.

    Args:
        result: The tool's command line, output, and exit status.
        context: What the message begins with.
        log: The part of the output to show. By default, it is the standard error, or the standard
            output if nothing is on standard error.
        fix: How to fix the problem, or an empty string.
    """
    ending = (
        f"was killed by signal {-result.returncode}"
        if result.returncode < 0
        else f"failed with exit status {result.returncode}"
    )
    if log is None:
        log = result.stderr.strip() or result.stdout.strip()
    message = f"{context}{result.argv[0]} {ending}{'; ' if fix else ''}{fix}"
    return ToolError(message, log=log.strip("\n"), command=result.argv)


def make_missing_error(command: Command) -> ToolchainError:
    """Return the error of a program that does not exist."""
    return ToolchainError(f"{command.argv[0]}: not found; install it, or check the path")


def python_argv(module: str) -> tuple[str, ...]:
    """Return the first words of a command that calls ``main(words)`` of ``module``.

    The command runs this process's Python interpreter. Python's option ``-m`` searches the
    working directory first, which might be the source tree of another kbuild.
    """
    code = (
        "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
        f"from {module} import main; sys.exit(main(sys.argv[1:]))"
    )
    return (sys.executable, "-c", code)
