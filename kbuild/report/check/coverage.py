"""What a check has covered, for all formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from kbuild.check.report import CheckReport


def count_launches(report: CheckReport) -> Mapping[str, int]:
    """Return how many launches were requested, ran, were checked to their end, and were refused."""
    return {
        "requested": sum(kernel.requested for kernel in report.kernels),
        "ran": sum(kernel.launches for kernel in report.kernels),
        "checked": report.launches,
        "refused": sum(kernel.refused for kernel in report.kernels),
    }


def describe_coverage(report: CheckReport) -> str:
    """Return one line about launches, lines, checks, and limits."""
    counts = count_launches(report)
    parts = [
        "launches: " + ", ".join(f"{number} {word}" for word, number in counts.items()),
        describe_lines(report),
    ]
    if report.coverage.off:
        parts.append(f"checks off: {', '.join(report.coverage.off)}")
    if report.coverage.limits:
        parts.append(f"limits reached: {len(report.coverage.limits)}")
    return "; ".join(parts)


def describe_lines(report: CheckReport) -> str:
    """Return how many lines with instrumented accesses ran."""
    coverage = report.coverage
    if coverage.sources is None:
        return "lines with accesses that ran: unknown"
    return f"{coverage.lines_run} of {coverage.lines} lines with accesses ran"


def list_missed_lines(report: CheckReport) -> Iterator[str]:
    """Yield, for each source, the lines with accesses that did not run, such as ``a.cu:3-5, 9``."""
    for source in report.coverage.sources or ():
        if source.not_run:
            yield f"{source.source}:{', '.join(_join_ranges(source.not_run))}"


def describe_properties(report: CheckReport) -> Mapping[str, Any]:
    """Return the coverage for formats with a table of properties."""
    coverage = report.coverage
    return {
        "verdict": report.verdict,
        **{f"launches.{word}": number for word, number in count_launches(report).items()},
        "lines": coverage.lines if coverage.sources is not None else "unknown",
        "lines.ran": coverage.lines_run if coverage.sources is not None else "unknown",
        "lines.missed": "; ".join(list_missed_lines(report)),
        "checks": ", ".join(report.checks),
        "checks.off": ", ".join(coverage.off),
        "limits": "; ".join(coverage.limits),
    }


def _join_ranges(lines: tuple[int, ...]) -> Iterator[str]:
    for _, group in groupby(enumerate(lines), lambda pair: pair[1] - pair[0]):
        numbers = [line for _, line in group]
        yield str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
