"""Show the progress of a build: a bar on a terminal, and plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kbuild.cli.progress import CLEAR, show_activity
from kbuild.process import VERBOSE_VARIABLE, select_environment
from kbuild.project.build_output import BuildOutput, BuildReporter, BuildStep


@contextmanager
def show_build(*, is_verbose: bool = False, is_quiet: bool = False) -> Iterator[BuildOutput]:
    """Yield the receiver of a build's output. The bar is removed at the end.

    Args:
        is_verbose: Whether to show all output of CMake and ninja, and the commands that fail.
        is_quiet: Whether to show progress only on a terminal, and no summary. Verbose output is
            not quiet.
    """
    reporter: BuildReporter
    environment = select_environment(("CI", VERBOSE_VARIABLE))
    is_verbose = is_verbose or bool(environment.get(VERBOSE_VARIABLE))
    is_quiet = is_quiet and not is_verbose
    if sys.stderr is not None and sys.stderr.isatty() and not environment.get("CI"):
        reporter = bar = _Bar(is_quiet=is_quiet)
    else:
        reporter, bar = (_Messages() if is_quiet else _Lines()), None
    try:
        yield BuildOutput(reporter, is_verbose=is_verbose)
    finally:
        if bar is not None:
            bar.close()


class _Messages:
    """A reporter that prints only the messages of tools."""

    def report_phase(self, name: str) -> None:
        pass

    def report_step(self, step: BuildStep) -> None:
        pass

    def report_line(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def report_end(self, summary: str) -> None:
        pass


class _Lines(_Messages):
    """A reporter that prints one line per edge, for logs."""

    def report_step(self, step: BuildStep) -> None:
        self.report_line(f"[{step.finished}/{step.total}] {step.description}")

    def report_end(self, summary: str) -> None:
        self.report_line(f"kbuild: {summary}")


class _Bar:
    """A reporter that keeps a bar below the output of tools."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._progress: Any = None
        self._task: Any = None
        self._phase = ""
        self._activity = ExitStack()  # the line that takes the place of the bar

    def report_phase(self, name: str) -> None:
        if not self._phase:
            self._activity.enter_context(show_activity(lambda: self._phase))
        self._phase = name

    def report_step(self, step: BuildStep) -> None:
        if self._progress is None:
            self._open(step.total)
        end = None if step.seconds_left is None else time.monotonic() + step.seconds_left
        self._progress.update(
            self._task, completed=step.finished, total=step.total, what=step.description, end=end
        )

    def report_line(self, line: str) -> None:
        if self._progress is None:
            print(f"{CLEAR}{line}", file=sys.stderr, flush=True)
        else:
            self._progress.console.out(line, highlight=False)

    def report_end(self, summary: str) -> None:
        if not self._is_quiet:
            self.report_line(f"kbuild: {summary}")

    def close(self) -> None:
        self._activity.close()
        if self._progress is not None:
            self._progress.stop()

    def _open(self, total: int) -> None:
        self._activity.close()
        # Slow to import, and a build with nothing to do shows no bar.
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
            """The remaining time as ninja predicts it, or else as rich estimates it."""

            def render(self, task: Task) -> Text:
                end, seconds = task.fields["end"], task.time_remaining
                if end is not None:
                    seconds = end - time.monotonic()
                text = "" if seconds is None else f"{format_duration(seconds)} left"
                return Text(text, style="progress.remaining")

        self._progress = Progress(
            MofNCompleteColumn(),
            BarColumn(bar_width=20),
            RemainingColumn(),
            TextColumn("{task.fields[what]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("build", total=total, what="", end=None)
        self._progress.start()


def format_duration(seconds: float) -> str:
    """Format a duration as ``h:mm:ss``, rounded up and at least 0."""
    minutes, left = divmod(max(0, math.ceil(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{left:02}"
