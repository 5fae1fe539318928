"""Runs external tools: the only caller of subprocess."""

from __future__ import annotations

import atexit
import contextlib
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command, CommandResult

_TAIL_LINES = 40
_TAIL_BYTES = 1 << 16
_GRACE_SECONDS = 2.0
# Names the file in which an edge leaves its exit code for `stream_build`.
_EXIT_CODE_VARIABLE = "KBUILD_EXIT_CODE_FILE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an isolated process ended; ``output`` is the tail of all that it printed.

    ``returncode`` is negative for a signal, and None where the time limit ended it.
    """

    returncode: int | None
    output: str


def run(
    command: Command, *, cwd: Path | None = None, timeout: float | None = None
) -> CommandResult:
    """Run ``command`` to its end and return what it said, whatever its exit status.

    Raises ToolchainError when the program is not there, ToolError when it outlives
    ``timeout`` seconds.
    """
    for folder in command.directories:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            command.argv,
            cwd=cwd or command.cwd,
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


def run_checked(
    command: Command, *, cwd: Path | None = None, timeout: float | None = None
) -> CommandResult:
    """`run`, but a failing tool raises ToolError with its argv and the tail of its stderr."""
    result = run(command, cwd=cwd, timeout=timeout)
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


def run_isolated(command: Command, *, timeout: float) -> Ending:
    """Run what may crash or hang, and leave nothing of it behind, whatever it started.

    After ``timeout`` seconds it is asked to end, and soon afterwards killed.
    """
    import tempfile  # noqa: PLC0415 - slow to import, and build edges isolate nothing

    # A file, not a pipe: processes that it started may hold a pipe open for ever.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command.argv,
            env=_environment(dict(command.env)),
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
        return Ending(returncode=returncode, output=output.read().decode(errors="replace"))


def _wait(process: subprocess.Popen[bytes], timeout: float) -> int | None:
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        _signal_group(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_SECONDS)
    return None


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # The group is named after its first process, and lives as long as any process of it.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


class Server:
    """A process of our own, running ``main`` of ``module``, that answers lines with lines."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            python_argv(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.close)

    def ask(self, line: bytes) -> bytes | None:
        """Its answer without the newline; None where it ended instead, and it is closed."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            self.close()
            return None
        return answer[:-1]

    def close(self) -> None:
        """End it."""
        atexit.unregister(self.close)
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.communicate()


def python_argv(module: str) -> tuple[str, ...]:
    """The start of an argv that runs ``main(words)`` of ``module`` with our interpreter.

    ``-m`` would look in the current folder first, where another kbuild may be: a source
    tree beside the installed package.
    """
    code = (
        "import sys; sys.path[:1] == [''] and sys.path.pop(0); "
        f"from {module} import main; sys.exit(main(sys.argv[1:]))"
    )
    return (sys.executable, "-c", code)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildCall:
    """A build tool to run in ``folder``.

    ``on_line`` gets each line that it prints, which otherwise goes to our stderr; ``inherited``
    are descriptors that stay open for as long as any process of the build lives.
    """

    command: Command
    folder: Path
    on_line: Callable[[str], None] | None = None
    inherited: tuple[int, ...] = ()


def stream_build(call: BuildCall) -> tuple[int, int | None]:
    """The exit status of the build, and the exit code of the first kbuild below it that failed.

    Build tools have one status for whatever went wrong in an edge; ours say more.
    """
    path = call.folder / ".exit-code"
    call.folder.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    variables = {**dict(call.command.env), _EXIT_CODE_VARIABLE: str(path)}
    try:
        process = subprocess.Popen(
            call.command.argv,
            cwd=call.folder,
            env=_environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if call.on_line else 2,
            stderr=subprocess.STDOUT if call.on_line else None,
            pass_fds=call.inherited,
        )
    except FileNotFoundError as error:
        raise ToolchainError(f"{call.command.argv[0]}: not found; is it installed?") from error
    status = _follow(process, call.on_line or (lambda _: None))
    code = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    return status, int(code) if code else None


def _follow(process: subprocess.Popen[bytes], on_line: Callable[[str], None]) -> int:
    """Pass its lines on until it ends; the exit status."""
    with process:
        try:
            for line in process.stdout or ():
                on_line(line.decode(errors="replace").rstrip("\n"))
        except BaseException:
            process.send_signal(signal.SIGINT)  # it removes what is half done
            process.communicate()
            raise
    return process.returncode


def select_environment(names: Iterable[str], prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """The variables that are set, have one of ``names`` or begin with one of ``prefixes``."""
    wanted = frozenset(names)
    return {n: v for n, v in os.environ.items() if n in wanted or n.startswith(prefixes)}


def leave_exit_code(code: int) -> None:
    """Tell the build that we are an edge of, if there is one, how we are about to end."""
    path = os.environ.get(_EXIT_CODE_VARIABLE)
    if not path:
        return
    # The first to fail tells.
    with contextlib.suppress(OSError), Path(path).open("x") as file:
        file.write(str(code))


def find_step_summary() -> Path | None:
    """The file whose Markdown GitHub Actions shows on the page of the run, where we are in one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(path) if path else None


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
