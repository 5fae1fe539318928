from __future__ import annotations

import io
import sys

import pytest

from kbuild.cli import progress
from kbuild.cli.progress import show_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_line_appears_after_a_second_and_is_removed_at_the_end(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with show_progress(4 << 20) as advance:
        advance(1 << 20)
        assert terminal.getvalue() == ""
        clock.now = 1.5
        advance(1 << 20)
        assert terminal.getvalue().endswith("reading: 2.0 MiB of 4.0 MiB")
        advance(1 << 20)
        assert terminal.getvalue().count("reading") == 1
        clock.now = 2.0
        advance(5 << 20)
        assert terminal.getvalue().endswith("reading: 4.0 MiB of 4.0 MiB")
    assert terminal.getvalue().endswith("\r\033[K")


@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_nothing_is_drawn_without_a_terminal(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, stream: io.StringIO | None
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress(10) as advance:
        clock.now = 5.0
        advance(10)
    assert stream is None or stream.getvalue() == ""
