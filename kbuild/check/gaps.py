"""Find what a program launched, and what was not checked to its end.

The runtime reports what a process sees itself. This module reports what only others see: how it
ended.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence

from kbuild.check.journals import ProcessJournal, count_missing
from kbuild.check.report import CheckReport
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A rule, what was not checked, and the kernel, if it is about one."""

    rule: str
    message: str
    kernel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a check needs to be complete.

    Attributes:
        launches: The number of launches that run.
        coverage: The lines with accesses that run, in percent.
        can_run: Whether processes can still run.
    """

    launches: int = 1
    coverage: int = 0
    can_run: bool = False


def find_gaps(
    report: CheckReport, journals: Sequence[ProcessJournal], requirements: Requirements
) -> Iterator[Gap]:
    """Yield the gaps of a report."""
    crashed = {finding.kernel for finding in report.findings if finding.rule == "KC705"}
    if report.exit_status < 0 and not crashed:
        yield Gap(rule="KC706", message=f"{_name_signal(-report.exit_status)} ended the program")
    for journal in journals:
        has_failed = any(row["rule"] in ("KC703", "KC303") for row in journal.findings)
        yield from _find_unfinished_kernels(journal, crashed, has_failed=has_failed)
        if journal.is_running and requirements.can_run:
            continue
        if journal.is_running:
            yield Gap(rule="KC706", message=f"process {journal.process} still runs")
        elif journal.signal and report.exit_status >= 0 and not crashed:
            end = _name_signal(journal.signal)
            yield Gap(rule="KC706", message=f"{end} ended process {journal.process}")
        elif _misses_leaks(report, journal) and not has_failed:
            yield Gap(
                rule="KC706",
                message=f"process {journal.process} ended without its exit handlers, so the check "
                f"for leaks did not run; {journal.memory} allocations were in use",
            )
    missing = count_missing(journals)
    if missing > 0:
        yield Gap(rule="KC706", message=f"{missing} forked processes have not started their checks")
    for limit in report.coverage.limits:
        yield Gap(rule="KC709", message=limit)
    yield from _find_missing_launches(report, requirements.launches)
    yield from _find_missing_lines(report, requirements.coverage)


def _find_unfinished_kernels(
    journal: ProcessJournal, crashed: set[str], *, has_failed: bool
) -> Iterator[Gap]:
    for kernel in journal.kernels:
        unfinished = kernel.started - kernel.ended
        if unfinished and kernel.name not in crashed:
            state = "still runs" if journal.is_running else "had not ended when its process did"
            message = f"{_count_launches(unfinished)} of the kernel {state}"
            yield Gap(rule="KC706", kernel=kernel.name, message=message)
        waiting = kernel.queued - kernel.started
        if waiting > 0:
            reason = "a kernel failed" if has_failed else "the process ended before"
            message = f"{_count_launches(waiting)} did not run, because {reason}"
            yield Gap(rule="KC708", kernel=kernel.name, message=message)


def _misses_leaks(report: CheckReport, journal: ProcessJournal) -> bool:
    return (
        "leak" in report.checks
        and report.exit_status >= 0
        and not journal.has_ended
        and journal.memory > 0
    )


def _find_missing_launches(report: CheckReport, required: int) -> Iterator[Gap]:
    # Other gaps say why a launch that ran was not checked to its end.
    if sum(kernel.launches for kernel in report.kernels) >= required:
        return
    status = report.exit_status
    ended = f" before signal {-status} ended it" if status < 0 else ""
    message = (
        f"the program launched {report.launches} instrumented kernels{ended}, but the check "
        f"requires {required}"
    )
    yield Gap(rule="KC701", message=message)


def _find_missing_lines(report: CheckReport, required: int) -> Iterator[Gap]:
    coverage = report.coverage
    if not required:
        return
    if coverage.sources is None:
        yield Gap(rule="KC710", message="the lines that ran are unknown")
    elif 100 * coverage.lines_run < required * coverage.lines:
        message = (
            f"{coverage.lines_run} of {coverage.lines} lines with accesses ran, but the check "
            f"requires {required} %"
        )
        yield Gap(rule="KC710", message=message)


def _count_launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count} launches"


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
