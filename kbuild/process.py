"""Run external programs. Only this module imports subprocess."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NoReturn

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command, CommandResult
from kbuild.values import dataclass

_TAIL_BYTES = 1 << 16
_GRACE_SECONDS = 2.0
_FORWARDED: Final = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH),
)
_PR_SET_PDEATHSIG: Final = 1  # prctl(2)
# Names the file to which kbuild commands append what the build that runs them has to know.
_EVENTS_VARIABLE: Final = "KBUILD_EVENTS_FILE"
_REUSED: Final = "reused"
# With this variable, CMake and its Makefiles show command lines, and so do kbuild's build edges.
VERBOSE_VARIABLE: Final = "VERBOSE"
# Names the directory to which the processes of a checked program write their findings; see
# native/cpu/checks/settings.hpp.
CHECK_VARIABLE: Final = "KBUILD_CHECK_REPORT"


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolatedResult:
    """The result of an isolated process.

    ``returncode`` is negative if a signal ended the process, and None if it exceeded the time
    limit. ``output`` holds the last part of stdout and stderr.
    """

    returncode: int | None
    output: str


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
        raise _missing(command) from error
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
            command.argv, cwd=cwd, env=_environment(dict(command.env)), stdout=2, check=False
        ).returncode
    except FileNotFoundError as error:
        raise _missing(command) from error


def run_in_foreground(argv: tuple[str, ...], environment: Mapping[str, str] | None = None) -> int:
    """Run a program that takes this process's place in the terminal, and return its exit status.

    The program inherits the terminal, open files, and the process group. A key such as Ctrl-C
    therefore reaches both processes, and only the program acts on it. Signals that are sent to this
    process alone are forwarded. If one of the two is stopped or killed, so is the other.

    Args:
        argv: The program and its arguments.
        environment: Variables to set, in addition to those of this process.

    Returns:
        The exit status, or the negative number of the signal that ended the program.

    Raises:
        ToolError: The program cannot be started.
    """
    import ctypes  # noqa: PLC0415 - build edges do not need it

    libc = ctypes.CDLL(None)
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # otherwise, there might be no status
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (*_FORWARDED, signal.SIGCHLD))

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    try:
        variables = _environment(environment or {})
        program = subprocess.Popen(argv, env=variables, close_fds=False, preexec_fn=prepare)  # noqa: PLW1509 - this process has one thread
    except OSError as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        raise ToolError(f"{argv[0]}: {error.strerror}") from error
    program.returncode = _wait_in_foreground(program.pid)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return program.returncode


def _wait_in_foreground(child: int) -> int:
    while True:
        found, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if found == 0:
            received = signal.sigwaitinfo((*_FORWARDED, signal.SIGCHLD))
            # A positive code is the terminal's, which sends the signal to both processes.
            if received.si_signo != signal.SIGCHLD and received.si_code <= 0:
                os.kill(child, received.si_signo)
        elif os.WIFSTOPPED(status):
            os.kill(os.getpid(), signal.SIGSTOP)
            os.kill(child, signal.SIGCONT)
        else:
            return os.waitstatus_to_exitcode(status)


def export_variables(variables: Mapping[str, str]) -> None:
    """Set environment variables of all programs that this process runs from now on."""
    os.environ.update(variables)


def end_by_signal(number: int) -> NoReturn:
    """End this process by a signal that has ended another one, without a core file."""
    import resource  # noqa: PLC0415 - only this function needs it

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    # Programs that receive core files ignore a limit of 0, but not of 1.
    resource.setrlimit(resource.RLIMIT_CORE, (min(1, hard) if hard >= 0 else 1, hard))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # a signal that is ignored in the first process of a container


def run_isolated(command: Command, *, timeout: float) -> IsolatedResult:
    """Run a command that can crash or hang, and kill every process that it leaves behind.

    After ``timeout`` seconds, the command receives SIGTERM and, if it does not exit soon, SIGKILL.
    """
    import tempfile  # noqa: PLC0415 - slow to import, and build edges do not need it

    # A pipe can stay open forever if the command leaves processes behind. A file cannot.
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


class Server:
    """A Python process that runs ``main`` of ``module`` and answers each line with one line."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            python_argv(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.close)

    def ask(self, line: bytes) -> bytes | None:
        """Return the answer without its newline, or None if the process ended."""
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
        """Kill the process."""
        atexit.unregister(self.close)
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.communicate()


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
    variables = {**dict(call.command.env), _EVENTS_VARIABLE: str(path)}
    try:
        process = subprocess.Popen(
            call.command.argv,
            cwd=call.directory,
            env=_environment(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if call.on_line else 2,
            stderr=subprocess.STDOUT if call.on_line else None,
            pass_fds=call.inherited,
        )
    except FileNotFoundError as error:
        raise _missing(call.command) from error
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
    _leave_event(asdict(failure))


def leave_reuse() -> None:
    """Tell the build that runs this command, if there is one, that its outputs need no change."""
    _leave_event(_REUSED)


def _leave_event(event: object) -> None:
    path = os.environ.get(_EVENTS_VARIABLE)
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


def select_environment(names: Iterable[str], prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the variables that are set and have one of these names or prefixes.

    The variable that kbuild sets for its own commands is not included.
    """
    selected = frozenset(names)
    return {
        name: value
        for name, value in os.environ.items()
        if (name in selected or name.startswith(prefixes)) and name != _EVENTS_VARIABLE
    }


def find_step_summary() -> Path | None:
    """Return the file for the Markdown summary of a GitHub Actions run, or None outside of one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    return Path(path) if path else None


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


def wants_commands() -> bool:
    """Return whether the user wants to see command lines, as CMake and make understand it."""
    return bool(os.environ.get(VERBOSE_VARIABLE))


def _missing(command: Command) -> ToolchainError:
    return ToolchainError(f"{command.argv[0]}: not found; install it, or check the path")


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **changes}
