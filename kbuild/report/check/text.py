"""The report of a check for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.check.report import Access, CheckFinding, CheckReport, SuppressedFinding, Verdict
from kbuild.report.check.coverage import describe_coverage, list_missed_lines
from kbuild.report.layout import join_lines, plural
from kbuild.report.styles import Line, Span

_VERDICTS: Final[dict[Verdict, Span]] = {
    "ok": Span("ok", "ok"),
    "incomplete": Span("INCOMPLETE", "error"),
    "failed": Span("FAILED", "error"),
}


def render(report: CheckReport, *, is_verbose: bool = False, has_colors: bool = False) -> str:
    """Return the findings, and a summary.

    Args:
        report: The report.
        is_verbose: Whether to show the kernels that ran, and what the checks do not cover.
        has_colors: Whether to show colors.
    """
    lines = [*_describe_findings(report.findings), *_describe_suppressed(report.suppressed)]
    if is_verbose:
        lines += _describe_coverage(report)
    return join_lines([*lines, *_describe_verdict(report)], has_colors=has_colors)


def render_verdict(report: CheckReport) -> str:
    """Return only what was covered, and the result."""
    return join_lines(_describe_verdict(report))


def render_findings(findings: Iterable[CheckFinding]) -> str:
    """Return only the findings."""
    return join_lines(_describe_findings(findings))


def render_suppressed(suppressed: Iterable[SuppressedFinding]) -> str:
    """Return only the findings that do not count, with the reasons."""
    return join_lines(_describe_suppressed(suppressed))


def _describe_verdict(report: CheckReport) -> Iterator[Line]:
    yield f"coverage: {describe_coverage(report)}"
    yield (_VERDICTS[report.verdict], f": {summarize(report)}")


def _describe_suppressed(suppressed: Iterable[SuppressedFinding]) -> Iterator[Line]:
    for hidden in suppressed:
        suppression = hidden.suppression
        yield (
            f"suppressed until {suppression.expires.isoformat()}: {hidden.finding.rule} "
            f"{hidden.finding.slug} in {hidden.finding.kernel or 'the program'}: "
            f"{suppression.reason}"
        )


def _describe_findings(findings: Iterable[CheckFinding]) -> Iterator[Line]:
    explained: set[str] = set()
    for finding in findings:
        yield from _describe_finding(finding, has_fix=finding.rule not in explained)
        explained.add(finding.rule)


def summarize(report: CheckReport) -> str:
    """Return one line: what ran, and how many findings there are."""
    counts = Counter(finding.severity for finding in report.findings)
    found = ", ".join(plural(counts[s], s) for s in ("error", "warning") if counts[s])
    hidden = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    more = f", {report.omitted} more not listed" if report.omitted else ""
    checked = sum(kernel.checked > 0 for kernel in report.kernels)
    ran = f"{_count_launches(report.launches)} of {plural(checked, 'kernel')}"
    return (
        f"{report.program}: {found or 'no findings'}{hidden}{more}; {ran} checked for "
        f"{', '.join(report.checks)}"
    )


def _count_launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count} launches"


def _describe_finding(finding: CheckFinding, *, has_fix: bool) -> Iterator[Line]:
    rule = Span(f"{finding.rule} {finding.slug}", "heading")
    where = f" in kernel {finding.kernel}" if finding.kernel else ""
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    yield (
        Span(finding.severity, finding.severity),
        " ",
        rule,
        f"{where}: {finding.message}{times}",
    )
    for access in (finding.access, finding.other):
        if access is not None:
            yield f"  {describe_access(access)}"
    if finding.memory:
        yield f"  {finding.memory}"
    if has_fix:
        yield f"  fix: {finding.fix}"


def describe_access(access: Access) -> str:
    """Return what a thread did, where, and which thread."""
    text = access.action
    if access.file is not None:
        text += f" at {access.file}:{access.line}"
    if access.block is not None and access.thread is not None:
        text += f" by block {access.block}, thread {access.thread}"
    return text


def _describe_coverage(report: CheckReport) -> Iterator[Line]:
    yield Span("kernels", "heading")
    for kernel in report.kernels:
        launches = _count_launches(kernel.launches)
        others = (
            f"{count} {word}"
            for word, count in (
                ("not checked", kernel.launches - kernel.checked),
                ("refused", kernel.refused),
                ("not run", kernel.requested - kernel.refused - kernel.launches),
            )
            if count > 0
        )
        ran = f"{launches}, {plural(kernel.blocks, 'block')}, {plural(kernel.threads, 'thread')}"
        yield f"  {kernel.name}: {', '.join((ran, *others))}, as {kernel.model}"
    for title, items in (
        ("compared exactly", report.coverage.exact),
        ("differs from a GPU", report.coverage.differs),
        ("not covered", report.coverage.not_covered),
        ("lines with accesses that did not run", tuple(list_missed_lines(report))),
    ):
        yield Span(title, "heading")
        yield from (f"  {item}" for item in items)
