"""Show on a terminal what a command is doing, until it prints its result.

An interval timer draws the line, so that it also appears while one long step runs. Threads would
not be safe here, because reading forks processes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kbuild.report.layout import format_size

# In seconds. People wait half a second without wondering.
_DELAY: Final = 0.3
_INTERVAL: Final = 0.2
_USUAL_WIDTH: Final = 80
CLEAR: Final = "\r\033[K"


@contextmanager
def show_activity(describe: Callable[[], str]) -> Iterator[None]:
    """Show a line on standard error while the body runs, if it is a terminal.

    The line appears after a moment, and is removed at the end.

    Args:
        describe: Returns what is running. The line also shows for how long.
    """
    if not _has_terminal():
        yield
        return
    stream, start, drawn = sys.stderr.fileno(), time.monotonic(), ""

    def draw(*_: object) -> None:
        nonlocal drawn
        text = f"kbuild: {describe()}, {int(time.monotonic() - start)} s"
        # A line that wraps cannot be removed.
        text = text[: (os.get_terminal_size(stream).columns or _USUAL_WIDTH) - 1]
        if text != drawn:
            drawn = text
            # The main program can be in the middle of a write to the stream.
            os.write(stream, f"{CLEAR}{text}".encode())

    previous = signal.signal(signal.SIGALRM, draw)
    signal.setitimer(signal.ITIMER_REAL, _DELAY, _INTERVAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        if drawn:
            os.write(stream, CLEAR.encode())


def _has_terminal() -> bool:
    if threading.current_thread() is not threading.main_thread():
        return False  # only the main thread handles signals
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def show_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of bytes that were just read.

    Args:
        what: What is done, such as ``reading libk.so``.
        total: The number of bytes to read.
    """
    done = 0

    def advance(size: int) -> None:
        nonlocal done
        done += size

    def describe() -> str:
        if done == 0:
            return f"{what} ({format_size(total)})"
        return f"{what}: {format_size(min(done, total))} of {format_size(total)}"

    with show_activity(describe):
        yield advance
