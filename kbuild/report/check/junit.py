"""The report of a check as JUnit XML: one suite per run, one case per kernel and rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from kbuild.check.report import CheckFinding, CheckReport
from kbuild.check.rules import RULES, find_rule
from kbuild.report.check.coverage import describe_properties
from kbuild.report.check.text import describe_access
from kbuild.report.layout import make_printable


def render(report: CheckReport) -> str:
    """Return one XML document. A rule that was not selected has no case."""
    kernels = [kernel.name for kernel in report.kernels if kernel.checked]
    cases: dict[tuple[str, str], list[CheckFinding]] = {}
    for kernel in kernels:
        for rule in RULES:
            if rule.check in report.checks and rule.check != "leak":
                cases[kernel, rule.id] = []
    for finding in report.findings:
        cases.setdefault((finding.kernel or report.program, finding.rule), []).append(finding)
    outcomes = Counter(_find_outcome(found) for found in cases.values())
    count = f'tests="{len(cases)}" failures="{outcomes["failure"]}" errors="{outcomes["error"]}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="kbuild check" {count}>',
        f'  <testsuite name={_attribute(report.program)} {count} skipped="0">',
        "    <properties>",
        *(
            f"      <property name={_attribute(name)} value={_attribute(str(value))}/>"
            for name, value in describe_properties(report).items()
        ),
        "    </properties>",
    ]
    for (kernel, rule_id), found in cases.items():
        lines += _case(kernel, rule_id, found)
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _find_outcome(findings: list[CheckFinding]) -> Literal["failure", "error"] | None:
    """Return what the findings of a case are: mistakes, gaps in what was checked, or neither."""
    errors = [finding for finding in findings if finding.severity == "error"]
    if not errors:
        return None
    return "error" if all(find_rule(finding.rule).is_gap for finding in errors) else "failure"


def _case(kernel: str, rule_id: str, findings: list[CheckFinding]) -> Iterator[str]:
    slug = next(rule.slug for rule in RULES if rule.id == rule_id)
    start = f"    <testcase name={_attribute(f'{rule_id} {slug}')} classname={_attribute(kernel)}"
    if not findings:
        yield f"{start}/>"
        return
    from xml.sax.saxutils import escape  # noqa: PLC0415 - slow to import

    body = escape(make_printable("\n".join(line for f in findings for line in _describe(f))))
    yield f"{start}>"
    outcome = _find_outcome(findings)
    if outcome is not None:
        message = _attribute(findings[0].message)
        yield f"      <{outcome} message={message} type={_attribute(slug)}>{body}</{outcome}>"
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
