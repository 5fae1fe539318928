"""Run a program in the place of kbuild, and end as it ends."""

from __future__ import annotations

import shlex
import signal
import sys
from typing import Final, NoReturn

from kbuild import process

_SILENT: Final = (signal.SIGINT, signal.SIGPIPE)
_CRASHES: Final = {
    signal.SIGSEGV: "segmentation fault",
    signal.SIGBUS: "bus error",
    signal.SIGFPE: "arithmetic error",
    signal.SIGILL: "illegal instruction",
    signal.SIGABRT: "abort",
}


def run_to_end(argv: tuple[str, ...]) -> NoReturn:
    """Run a program, and end with its exit status or by the signal that ends it.

    Shells and build tools therefore see the same as without kbuild.
    """
    end_as(process.run_in_foreground(argv), argv)


def end_as(status: int, argv: tuple[str, ...]) -> NoReturn:
    """End with an exit status, or, if it is negative, by the signal that has ended a program."""
    if status >= 0:
        raise SystemExit(status)
    number = -status
    if number not in _SILENT:
        print(f"kbuild: {_describe_end(number, argv)}", file=sys.stderr, flush=True)
    process.end_by_signal(number)


def _describe_end(number: int, argv: tuple[str, ...]) -> str:
    """Name the signal, with one hint if there is a likely cause or a next step."""
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal
        name = f"signal {number}"
    ended = f"the program was ended by {name}"
    if number in _CRASHES:
        words = _CRASHES[signal.Signals(number)]
        return f"{ended} ({words}); to debug it, run gdb --args {shlex.join(argv)}"
    if number == signal.SIGKILL:
        return f"{ended}; Linux does this when there is no memory left"
    return ended
