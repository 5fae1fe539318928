"""The report of `kbuild verify` as plain text for people."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Final

from kbuild.report.layout import join_lines, plural
from kbuild.report.verify.locations import group_by_file
from kbuild.verify.policy.model import SEVERITIES
from kbuild.verify.report import Finding, Report, RuleNote, WaivedFinding
from kbuild.verify.rule import Rule

_LINE: Final = 88


def render(report: Report) -> str:
    """Return the findings by file, the rules that did not run, and a summary."""
    lines = [line for path, found in group_by_file(report.findings) for line in _file(path, found)]
    lines += [line for waived in report.waived for line in _waived(waived)]
    lines += [f"errored  {note.rule}: {note.reason}" for note in report.rules_errored]
    lines += _skipped(report.rules_skipped)
    return join_lines([*lines, summarize(report)])


def _file(path: str, findings: tuple[Finding, ...]) -> Iterator[str]:
    """Yield the findings of a file, grouped by rule. Most findings of a rule have the same fix."""
    yield path
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    for found in by_rule.values():
        for finding in found:
            message = textwrap.indent(finding.message, "    ").lstrip(" ")
            yield f"  {finding.severity} {finding.rule} {finding.slug}: {message}"
        yield from (f"    fix: {fix}" for fix in dict.fromkeys(finding.fix for finding in found))


def _skipped(notes: tuple[RuleNote, ...]) -> Iterator[str]:
    """Yield one line per reason: a file without a note skips ten rules for the same reason."""
    by_reason: dict[str, list[str]] = {}
    for note in notes:
        by_reason.setdefault(note.reason, []).append(note.rule)
    for reason, rules in by_reason.items():
        yield f"skipped  {', '.join(dict.fromkeys(rules))}: {reason}"


def _waived(waived: WaivedFinding) -> Iterator[str]:
    finding, waiver = waived.finding, waived.waiver
    yield f"{finding.path}: waived {finding.rule} {finding.slug}: {finding.message}"
    yield f"    until {waiver.expires.isoformat()}: {waiver.reason}"


def summarize(report: Report) -> str:
    """Return one line with the verdict and the numbers of findings and rules."""
    counts = Counter(finding.severity for finding in report.findings)
    found = ", ".join(
        plural(counts[severity], severity) for severity in reversed(SEVERITIES) if counts[severity]
    )
    if report.waived:
        found = f"{found or 'no findings'}, {len(report.waived)} waived"
    rules = [plural(len(report.rules_run), "rule") + " run"]
    skipped = {note.rule for note in report.rules_skipped}
    if skipped:
        rules.append(f"{len(skipped)} skipped")
    if report.rules_errored:
        rules.append(f"{len(report.rules_errored)} errored")
    return f"{'ok' if report.ok else 'FAILED'}: {found or 'no findings'}; {', '.join(rules)}"


def render_rule(rule: Rule) -> str:
    """Return the documentation of one rule, as `kbuild explain` shows it."""
    documentation = rule.documentation
    return join_lines(
        [
            f"{rule.id} {rule.slug} ({rule.severity})",
            *textwrap.wrap(documentation.summary, _LINE),
            *_section("Why", documentation.why),
            *_section("Fix", documentation.fix),
            *_section("Source", documentation.source),
        ]
    )


def _section(title: str, text: str) -> Iterator[str]:
    yield ""
    yield f"{title}:"
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from textwrap.wrap(
            paragraph, _LINE, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
