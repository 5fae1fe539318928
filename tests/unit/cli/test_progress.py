"""The line about what a command is doing, on a pseudo-terminal."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kbuild.cli.progress import CLEAR, show_activity, show_progress


@contextmanager
def open_terminal() -> Iterator[int]:
    """Yield the descriptor from which the output on standard error can be read."""
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield master
    os.close(master)


def read(terminal: int) -> str:
    os.set_blocking(terminal, False)
    try:
        return os.read(terminal, 1 << 16).decode()
    except BlockingIOError:
        return ""


def wait(terminal: int, text: str) -> str:
    """Return the output, once it contains a text."""
    seen, end = "", time.monotonic() + 20
    while text not in seen and time.monotonic() < end:
        signal.sigtimedwait((), 0.05)
        seen += read(terminal)
    assert text in seen
    return seen


def test_line_names_what_runs() -> None:
    with open_terminal() as terminal:
        with show_activity(lambda: "checking 3 artifacts"):
            delay, _ = signal.getitimer(signal.ITIMER_REAL)
            assert 0 < delay < 0.5
            wait(terminal, "kbuild: checking 3 artifacts, ")
        assert read(terminal).endswith(CLEAR)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


def test_line_shows_the_bytes_that_were_read() -> None:
    with open_terminal() as terminal, show_progress("reading libk.so", 4 << 20) as advance:
        wait(terminal, "reading libk.so (4.0 MiB)")
        advance(1 << 20)
        wait(terminal, "reading libk.so: 1.0 MiB of 4.0 MiB")
        advance(5 << 20)
        wait(terminal, "4.0 MiB of 4.0 MiB")


def test_short_work_shows_nothing() -> None:
    with open_terminal() as terminal:
        with show_activity(lambda: "never"):
            pass
        assert read(terminal) == ""


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_drawn_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress("reading", 10) as advance:
        advance(10)
        time.sleep(0.4)
    assert stream is None or stream.getvalue() == ""
