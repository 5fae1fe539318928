"""Select what the user sees of the output of CMake and ninja."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol

from kbuild.process.diagnostics import Diagnostics

# Starts ninja's status lines. No tool starts a line with this character.
STATUS_MARK: Final = "\x1e"
_STATUS: Final = re.compile(STATUS_MARK + r"(\d+)/(\d+) (\S+) (.*)")
_FAILED: Final = "FAILED: "
# Begins the last line of an edge of kbuild that failed, after what its tool printed.
_ERROR: Final = "kbuild: error: "
# What CMake and ninja say about themselves. A line of CMake that begins with "-- kbuild" is a note.
_CHATTER: Final = re.compile(
    r"-- (?!kbuild).*|ninja: (build stopped: .*|no work to do\.)|\[0/1\] Re-running CMake\.\.\."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildStep:
    """A finished edge, ``description``, and how many of the ``total`` edges are finished.

    ``seconds_left`` is the remaining time of the build, or None if ninja cannot predict it.
    """

    finished: int
    total: int
    seconds_left: float | None
    description: str


class BuildReporter(Protocol):
    """A receiver of a build's progress."""

    def report_phase(self, name: str) -> None:
        """Report what the build does from now on."""

    def report_step(self, step: BuildStep) -> None:
        """Report a finished edge."""

    def report_line(self, line: str) -> None:
        """Report a line of a tool's output."""

    def report_end(self, summary: str) -> None:
        """Report what a successful build did."""


class BuildOutput:
    """Passes on each diagnostic of a build once, without the tools' own chatter.

    The edges of a source often print the same diagnostics: for several architectures, and for the
    passes of a mixed source.

    Attributes:
        steps: How many edges finished.
        is_verbose: Whether nothing is left out.
        failed: The description of the first edge that failed, or an empty string.
    """

    def __init__(self, reporter: BuildReporter, *, is_verbose: bool = False) -> None:
        self.steps = 0
        self.failed = ""
        self.is_verbose = is_verbose
        self._reporter = reporter
        self._description = ""
        self._is_command_next = False
        self._diagnostics = Diagnostics()

    def read_line(self, line: str) -> None:
        """Read a line of CMake or ninja."""
        is_command, self._is_command_next = self._is_command_next, line.startswith(_FAILED)
        if status := _STATUS.fullmatch(line):
            self.finish_message()
            self._report_step(status)
        elif self._is_command_next or is_command:
            self.failed = self.failed or self._description
            if self.is_verbose:
                self._reporter.report_line(line)
        elif self.is_verbose:
            self._reporter.report_line(line)
        elif line.startswith(_ERROR):
            # Several tools can find the same error, such as the preprocessor and the compiler.
            diagnostics = self._diagnostics
            is_repeated = not (diagnostics.has_new or diagnostics.is_empty)
            self.finish_message()
            if not is_repeated:
                self._pass_on(diagnostics.read_line(line))
        elif not _CHATTER.fullmatch(line):
            self._pass_on(self._diagnostics.read_line(line))

    def finish_message(self) -> None:
        """Finish the messages of an edge."""
        self._pass_on(self._diagnostics.finish_log())

    def begin_phase(self, name: str) -> None:
        """Report what the build does from now on."""
        self._reporter.report_phase(name)

    def finish_build(self, reused: int, cached: int = 0) -> None:
        """Report what a build did.

        Args:
            reused: How many edges had nothing to change.
            cached: How many results of compilers were those of ccache.
        """
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        kept = f", of which {reused} reused an earlier result" if reused else ""
        hits = (
            f"; {cached} compiler {'call' if cached == 1 else 'calls'} came from ccache"
            if cached
            else ""
        )
        self._reporter.report_end(f"ran {steps}{kept}{hits}" if self.steps else "nothing to do")

    def _pass_on(self, lines: list[str]) -> None:
        for line in lines:
            self._reporter.report_line(line)

    def _report_step(self, status: re.Match[str]) -> None:
        step = BuildStep(
            finished=int(status[1]),
            total=int(status[2]),
            seconds_left=None if status[3] == "?" else float(status[3]),
            description=status[4],
        )
        self.steps, self._description = step.finished, step.description
        self._reporter.report_step(step)
