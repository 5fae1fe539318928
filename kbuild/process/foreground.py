"""Run a program in place of this process, and end as another process ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Final, NoReturn

from kbuild.errors import ToolError
from kbuild.process.environment import extend_environment

_FORWARDED: Final = (
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH),
)
_PR_SET_PDEATHSIG: Final = 1  # prctl(2)


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
        variables = extend_environment(environment or {})
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
