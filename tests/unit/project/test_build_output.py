"""What the user sees of the output of CMake and ninja."""

from __future__ import annotations

import pytest

from kbuild.project.build_output import STATUS_MARK, BuildOutput, BuildStep

ERROR = ("a.cu:4:3: error: unknown", "    4 | x", "kbuild: error: g++ failed")
CHATTER = (
    "-- Detecting CXX compiler ABI info",
    "[0/1] Re-running CMake...",
    "ninja: no work to do.",
    "FAILED: [code=4] a.json ",
    "cd /build && kbuild compile a.edge",
    "ninja: build stopped: subcommand failed.",
)


class Reporter:
    """Collects what it receives, in order. Steps are represented by their descriptions."""

    def __init__(self) -> None:
        self.received: list[str] = []

    def report_phase(self, name: str) -> None:
        self.received.append(name)

    def report_step(self, step: BuildStep) -> None:
        self.received.append(f"<{step.finished}/{step.total} {step.description}>")

    def report_line(self, line: str) -> None:
        self.received.append(line)

    def report_end(self, summary: str) -> None:
        self.received.append(summary)


def read(*lines: str, is_verbose: bool = False) -> tuple[list[str], BuildOutput]:
    reporter = Reporter()
    output = BuildOutput(reporter, is_verbose=is_verbose)
    for line in lines:
        output.read_line(line)
    output.finish_message()
    return reporter.received, output


def status(number: int, description: str) -> str:
    return f"{STATUS_MARK}{number}/3 ? {description}"


def test_message_of_several_architectures_is_shown_once() -> None:
    received, output = read(status(1, "A"), *ERROR, status(2, "B"), *ERROR)

    assert received == ["<1/3 A>", *ERROR, "<2/3 B>"]
    assert output.steps == 2


def test_error_that_several_tools_find_is_shown_once() -> None:
    second = (*ERROR[:2], "kbuild: error: cudafe++ failed")

    received, _ = read(status(1, "A"), *ERROR, status(2, "B"), *second, status(3, "C"), second[2])

    assert received == ["<1/3 A>", *ERROR, "<2/3 B>", "<3/3 C>", second[2]]


def test_what_is_new_in_a_message_of_another_step_is_shown() -> None:
    more = ("a.cu:9:1: error: other", "    9 | y", ERROR[2])

    received, _ = read(status(1, "A"), *ERROR, status(2, "B"), *ERROR[:2], *more)

    assert received == ["<1/3 A>", *ERROR, "<2/3 B>", *more[:2]]


def test_first_message_does_not_wait_for_the_end_of_its_step() -> None:
    reporter = Reporter()
    BuildOutput(reporter).read_line("warning")

    assert reporter.received == ["warning"]


def test_chatter_of_the_tools_is_left_out_unless_it_is_requested() -> None:
    note = "-- kbuild_add_kernels(t): kbuild: note: x"
    lines = (*CHATTER[:3], note, status(1, "A"), *CHATTER[3:5], *ERROR, CHATTER[5])

    received, output = read(*lines)
    assert received == [note, "<1/3 A>", *ERROR]
    assert output.failed == "A"

    received, _ = read(*lines, is_verbose=True)
    assert received == [*CHATTER[:3], note, "<1/3 A>", *CHATTER[3:5], *ERROR, CHATTER[5]]


@pytest.mark.parametrize(
    ("steps", "reused", "cached", "summary"),
    [
        (0, 0, 0, "nothing to do"),
        (1, 0, 0, "ran 1 step"),
        (2, 1, 0, "ran 2 steps, of which 1 reused an earlier result"),
        (2, 0, 1, "ran 2 steps; 1 compiler call came from ccache"),
        (
            3,
            1,
            2,
            "ran 3 steps, of which 1 reused an earlier result; 2 compiler calls came from ccache",
        ),
    ],
)
def test_summary_counts_steps(steps: int, reused: int, cached: int, summary: str) -> None:
    received, output = read(*(status(number + 1, "A") for number in range(steps)))

    output.finish_build(reused, cached)

    assert received[steps:] == [summary]
