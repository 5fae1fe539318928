"""Show the progress of reading large artifacts on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kbuild.report.layout import format_size

# In seconds.
_DELAY: Final = 1.0
_INTERVAL: Final = 0.1
_CLEAR: Final = "\r\033[K"


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of bytes that were just read.

    After a second, a line on standard error shows the progress. It is removed at the end.

    Args:
        total: The number of bytes to read.
    """
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    done, is_drawn, next_draw = 0, False, time.monotonic() + _DELAY

    def advance(size: int) -> None:
        nonlocal done, is_drawn, next_draw
        done += size
        if is_terminal and time.monotonic() >= next_draw:
            text = f"reading: {format_size(min(done, total))} of {format_size(total)}"
            print(_CLEAR + text, end="", file=sys.stderr, flush=True)
            is_drawn, next_draw = True, time.monotonic() + _INTERVAL

    try:
        yield advance
    finally:
        if is_drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
