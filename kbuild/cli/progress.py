"""How far a long reading is, on a terminal alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from kbuild.report.layout import format_size

_PATIENCE: Final = 1.0
_INTERVAL: Final = 0.1
_CLEAR: Final = "\r\033[K"


@contextmanager
def show_progress(total: int) -> Iterator[Callable[[int], None]]:
    """What to call with the number of bytes that were read since.

    Once it takes longer than a second, a line on standard error says how far it is; it is
    gone at the end.
    """
    is_on = sys.stderr is not None and sys.stderr.isatty()
    done, drawn, following = 0, False, time.monotonic() + _PATIENCE

    def advance(size: int) -> None:
        nonlocal done, drawn, following
        done += size
        if is_on and time.monotonic() >= following:
            text = f"reading: {format_size(min(done, total))} of {format_size(total)}"
            print(_CLEAR + text, end="", file=sys.stderr, flush=True)
            drawn, following = True, time.monotonic() + _INTERVAL

    try:
        yield advance
    finally:
        if drawn:
            print(_CLEAR, end="", file=sys.stderr, flush=True)
