"""Findings with short names of kernels, for reports that people read."""

from __future__ import annotations

from collections.abc import Iterable

from kbuild.demangle.sentences import shorten_texts
from kbuild.values import replace
from kbuild.verify.report import Finding, Report


def shorten_messages(report: Report) -> Report:
    """Return the report with short forms of the C++ names in the messages of its findings."""
    kept, waived = report.findings, report.waived
    findings = _shorten([*kept, *(entry.finding for entry in waived)])
    hidden = zip(waived, findings[len(kept) :], strict=True)
    return replace(
        report,
        findings=tuple(findings[: len(kept)]),
        waived=tuple(replace(entry, finding=finding) for entry, finding in hidden),
    )


def _shorten(findings: Iterable[Finding]) -> list[Finding]:
    """Shorten the messages. The names in one file have different forms."""
    shortened = list(findings)
    files: dict[str, list[int]] = {}
    for number, finding in enumerate(shortened):
        files.setdefault(finding.path, []).append(number)
    for numbers in files.values():
        messages = shorten_texts(shortened[number].message for number in numbers)
        for number, message in zip(numbers, messages, strict=True):
            shortened[number] = replace(shortened[number], message=message)
    return shortened
