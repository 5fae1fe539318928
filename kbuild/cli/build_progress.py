"""How far a build is: a bar with the time that is left on a terminal, lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kbuild.process import select_environment
from kbuild.project.ninja import BuildReporter, BuildStep


@contextmanager
def show_build() -> Iterator[BuildReporter]:
    """Whom to tell; on a terminal the bar is gone at the end."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if not is_terminal or select_environment(("CI",)).get("CI"):
        yield _Lines()
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


class _Lines:
    """One line an edge, for logs that are read later."""

    def report_step(self, step: BuildStep) -> None:
        self.report_line(f"[{step.finished}/{step.total}] {step.what}")

    def report_line(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class _Bar:
    """A line that stays at the bottom, below what tools have to say."""

    def __init__(self) -> None:
        self._progress: Any = None
        self._task: Any = None

    def report_step(self, step: BuildStep) -> None:
        if self._progress is None:
            self._open(step.total)
        end = None if step.seconds_left is None else time.monotonic() + step.seconds_left
        self._progress.update(
            self._task, completed=step.finished, total=step.total, what=step.what, end=end
        )

    def report_line(self, line: str) -> None:
        if self._progress is None:
            print(line, file=sys.stderr, flush=True)
        else:
            self._progress.console.out(line, highlight=False)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _open(self, total: int) -> None:
        # Loads slowly, and a build that has nothing to do shows no bar.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            MofNCompleteColumn,
            Progress,
            Task,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text  # noqa: PLC0415

        class RemainingColumn(TimeRemainingColumn):
            """What ninja foretells by what each edge took before; else what is usual."""

            def render(self, task: Task) -> Text:
                end = task.fields["end"]
                if end is None:
                    return super().render(task)
                return Text(format_duration(end - time.monotonic()), style="progress.remaining")

        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            RemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[what]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("build", total=total, what="", end=None)
        self._progress.start()


def format_duration(seconds: float) -> str:
    """The whole seconds from now, at least 0, as ``h:mm:ss``."""
    minutes, left = divmod(max(0, math.ceil(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{left:02}"
