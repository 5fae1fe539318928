"""How far a build is: a bar with the time that is left on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kbuild.ninja import BuildReporter
from kbuild.process import select_environment


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

    def report_step(self, finished: int, total: int, what: str) -> None:
        self.report_line(f"[{finished}/{total}] {what}")

    def report_line(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class _Bar:
    """A line that stays at the bottom, below what tools have to say."""

    def __init__(self) -> None:
        self._progress: Any = None
        self._task: Any = None

    def report_step(self, finished: int, total: int, what: str) -> None:
        if self._progress is None:
            self._open(total)
        self._progress.update(self._task, completed=finished, total=total, what=what)

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
            TextColumn,
            TimeRemainingColumn,
        )

        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[what]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("build", total=total, what="")
        self._progress.start()
