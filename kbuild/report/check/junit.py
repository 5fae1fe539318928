"""The report of a check as JUnit XML: one suite per run, one case per kernel and rule."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.check.report import CheckFinding, CheckReport
from kbuild.check.rules import RULES
from kbuild.report.check.text import describe_access
from kbuild.report.layout import make_printable


def render(report: CheckReport) -> str:
    """Return one XML document. A rule that was not selected has no case."""
    kernels = [kernel.name for kernel in report.kernels]
    cases: dict[tuple[str, str], list[CheckFinding]] = {}
    for kernel in kernels:
        for rule in RULES:
            if rule.check in report.checks and rule.check != "leak":
                cases[kernel, rule.id] = []
    for finding in report.findings:
        cases.setdefault((finding.kernel or report.program, finding.rule), []).append(finding)
    failed = sum(any(f.severity == "error" for f in found) for found in cases.values())
    count = f'tests="{len(cases)}" failures="{failed}" errors="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="kbuild check" {count}>',
        f'  <testsuite name={_attribute(report.program)} {count} skipped="0">',
    ]
    for (kernel, rule_id), found in cases.items():
        lines += _case(kernel, rule_id, found)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _case(kernel: str, rule_id: str, findings: list[CheckFinding]) -> Iterator[str]:
    slug = next(rule.slug for rule in RULES if rule.id == rule_id)
    start = f"    <testcase name={_attribute(f'{rule_id} {slug}')} classname={_attribute(kernel)}"
    if not findings:
        yield f"{start}/>"
        return
    from xml.sax.saxutils import escape  # noqa: PLC0415 - slow to import

    body = escape(make_printable("\n".join(line for f in findings for line in _describe(f))))
    yield f"{start}>"
    if any(finding.severity == "error" for finding in findings):
        message = _attribute(findings[0].message)
        yield f"      <failure message={message} type={_attribute(slug)}>{body}</failure>"
    else:
        yield f"      <system-out>{body}</system-out>"
    yield "    </testcase>"


def _describe(finding: CheckFinding) -> Iterator[str]:
    yield f"{finding.severity}: {finding.message}"
    for access in (finding.access, finding.other):
        if access is not None:
            yield f"  {describe_access(access)}"
    if finding.memory:
        yield f"  {finding.memory}"
    yield f"fix: {finding.fix}"


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr  # noqa: PLC0415 - slow to import

    return quoteattr(make_printable(text))
