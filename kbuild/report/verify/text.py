"""The report of `kbuild verify` as plain text for people."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.report.layout import join_lines, plural
from kbuild.report.styles import Line, Span, Style
from kbuild.report.verify.locations import group_by_file
from kbuild.report.verify.short_messages import shorten_messages
from kbuild.verify.policy.model import SEVERITIES
from kbuild.verify.report import Finding, Report, RuleNote, WaivedFinding
from kbuild.verify.rule import Rule

_LINE: Final = 88
_HINT: Final = " (--verbose says why)"


def render(report: Report, *, is_verbose: bool = False, has_colors: bool = False) -> str:
    """Return the findings by file and rule, and a summary.

    Args:
        report: The report.
        is_verbose: Whether to show full names, the fixes of infos, and why rules did not judge
            all files.
        has_colors: Whether to show colors.
    """
    shown = report if is_verbose else shorten_messages(report)
    lines = [*_list_findings(shown.findings, is_verbose=is_verbose)]
    lines += [line for waived in shown.waived for line in _describe_waived(waived)]
    lines += _list_notes("errored", "error", report.rules_errored)
    if is_verbose:
        lines += _list_notes("unjudged", "warning", _select_notes(report, is_unjudged=True))
        lines += _list_notes("skipped", "faint", _select_notes(report, is_unjudged=False))
    verdict = Span("ok", "ok") if report.ok else Span("FAILED", "error")
    summary = summarize(report, "" if is_verbose else _HINT).removeprefix(verdict.text)
    return join_lines([*lines, (verdict, summary)], has_colors=has_colors)


def _list_findings(findings: Iterable[Finding], *, is_verbose: bool) -> Iterator[Line]:
    """Yield the findings by file and rule. The first finding of a rule shows how to fix it."""
    explained: set[str] = set()
    for path, found in group_by_file(findings):
        yield Span(path, "path")
        by_rule: dict[str, list[Finding]] = {}
        for finding in found:
            by_rule.setdefault(finding.rule, []).append(finding)
        for rule, of_rule in by_rule.items():
            yield from map(_describe_finding, of_rule)
            is_problem = any(finding.severity != "info" for finding in of_rule)
            if (is_problem or is_verbose) and rule not in explained:
                explained.add(rule)
                yield from _describe_fixes(of_rule)


def _describe_finding(finding: Finding) -> Line:
    message = textwrap.indent(finding.message, "    ").lstrip(" ")
    rule = Span(f"{finding.rule} {finding.slug}", "heading")
    return ("  ", Span(finding.severity, finding.severity), " ", rule, f": {message}")


def _describe_fixes(findings: Iterable[Finding]) -> Iterator[Line]:
    for fix in dict.fromkeys(finding.fix for finding in findings):
        yield from _wrap(f"fix: {fix}", "    ", "         ")


def _select_notes(report: Report, *, is_unjudged: bool) -> Iterator[RuleNote]:
    return (n for n in report.rules_skipped if (n.rule in report.rules_unjudged) == is_unjudged)


def _list_notes(word: str, style: Style, notes: Iterable[RuleNote]) -> Iterator[Line]:
    """Yield one line per reason: a file without a note skips ten rules for the same reason."""
    by_reason: dict[str, list[str]] = {}
    for note in notes:
        by_reason.setdefault(note.reason, []).append(note.rule)
    for reason, rules in by_reason.items():
        yield (Span(f"{word:<8}", style), f" {', '.join(dict.fromkeys(rules))}: {reason}")


def _describe_waived(waived: WaivedFinding) -> Iterator[Line]:
    finding, waiver = waived.finding, waived.waiver
    rule = Span(f"{finding.rule} {finding.slug}", "heading")
    yield (
        Span(finding.path, "path"),
        ": ",
        Span("waived", "faint"),
        " ",
        rule,
        f": {finding.message}",
    )
    yield f"    until {waiver.expires.isoformat()}: {waiver.reason}"


def summarize(report: Report, hint: str = "") -> str:
    """Return one line with the verdict and the numbers of findings and rules.

    Args:
        report: The report.
        hint: The text to add if rules could not judge all files.
    """
    counts = Counter(finding.severity for finding in report.findings)
    found = ", ".join(
        plural(counts[severity], severity) for severity in reversed(SEVERITIES) if counts[severity]
    )
    if report.waived:
        found = f"{found or 'no findings'}, {len(report.waived)} waived"
    rules = [plural(len(report.rules_run), "rule") + " run"]
    skipped = {note.rule for note in _select_notes(report, is_unjudged=False)}
    if skipped:
        rules.append(f"{len(skipped)} skipped (nothing to check)")
    if report.rules_errored:
        rules.append(f"{len(report.rules_errored)} errored")
    unjudged = ""
    if report.rules_unjudged:
        count = plural(len(report.rules_unjudged), "rule")
        unjudged = f"; {count} could not judge all files: no finding, but no proof{hint}"
    verdict = "ok" if report.ok else "FAILED"
    if not found and report.ok:
        return f"ok: no findings; {plural(len(report.rules_run), 'rule')} checked{unjudged}"
    return f"{verdict}: {found or 'no findings'}; {', '.join(rules)}{unjudged}"


def render_rule(rule: Rule, *, has_colors: bool = False) -> str:
    """Return the documentation of one rule, as `kbuild explain` shows it."""
    documentation = rule.documentation
    return join_lines(
        [
            (
                Span(f"{rule.id} {rule.slug}", "heading"),
                " (",
                Span(rule.severity, rule.severity),
                ")",
            ),
            *textwrap.wrap(documentation.summary, _LINE),
            *_section("Why", documentation.why),
            *_section("Fix", documentation.fix),
            *_section("Source", documentation.source),
        ],
        has_colors=has_colors,
    )


def _section(title: str, text: str) -> Iterator[Line]:
    yield ""
    yield Span(f"{title}:", "heading")
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from _wrap(paragraph, "  ", "  ")


def _wrap(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        _LINE,
        initial_indent=first,
        subsequent_indent=others,
        break_on_hyphens=False,
        break_long_words=False,
    )
