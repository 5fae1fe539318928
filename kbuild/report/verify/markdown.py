"""The report of `kbuild verify` as a summary for GitHub, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.report.layout import plural
from kbuild.report.markdown import Room, escape, format_cell
from kbuild.report.verify.short_messages import shorten_messages
from kbuild.report.verify.text import summarize
from kbuild.verify.report import Finding, Report, RuleNote

# GitHub rejects step summaries of more than 1 MiB, and other tools can write to the same one.
_LONGEST: Final = 1 << 19
_LONGEST_LIST: Final = 1 << 17
_LONGEST_CELL: Final = 1000


def render(report: Report) -> str:
    """Return the verdict, a table of findings, and folded lists of rules that did not run."""
    lines = ["### kbuild verify", "", escape(summarize(report)), ""]
    lines += _format_table(shorten_messages(report).findings)
    lines += _fold("errored", report.rules_errored)
    lines += _fold("skipped", report.rules_skipped)
    return "\n".join(lines) + "\n"


def _format_table(findings: tuple[Finding, ...]) -> Iterator[str]:
    if not findings:
        return
    yield "| Severity | Rule | File | Count | Message | Fix |"
    yield "|---|---|---|---|---|---|"
    yield from Room(_LONGEST).take_lines(map(_format_row, findings), "\nAnd {} more.")
    yield ""


def _format_row(finding: Finding) -> str:
    cells = (
        finding.severity,
        _format_cell(f"{finding.rule} {finding.slug}"),
        _format_cell(finding.path),
        str(finding.count),
        _format_cell(finding.message),
        _format_cell(finding.fix),
    )
    return f"| {' | '.join(cells)} |"


def _format_cell(text: str) -> str:
    return format_cell(text, _LONGEST_CELL, "<br>")


def _fold(word: str, notes: tuple[RuleNote, ...]) -> Iterator[str]:
    if not notes:
        return
    count = len({note.rule for note in notes})
    yield f"<details><summary>{plural(count, 'rule')} {word}</summary>"
    yield ""
    lines = (f"- {note.rule}: {_format_cell(note.reason)}" for note in notes)
    yield from Room(_LONGEST_LIST).take_lines(lines, "- and {} more")
    yield ""
    yield "</details>"
    yield ""
