"""The summary of a verification for a CI system's page, in Markdown.

GitHub's dialect, which is CommonMark with tables (GitHub Flavored Markdown, section 4.10).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.report.layout import plural, show
from kbuild.report.verify.text import summarise
from kbuild.verify.report import Finding, Report, RuleNote

# GitHub refuses the summaries of a step above 1 MiB; others may have written to it too.
_LONGEST: Final = 1 << 19
_LONGEST_CELL: Final = 1000

# CommonMark 6.1: a backslash makes any of ASCII's punctuation plain; these mean something,
# the colon and the at sign in links that nobody marked as such.
_PUNCTUATION: Final = re.compile(r"([\\*_{}\[\]()#+!|~@:`-])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def escape(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = "".join(_ENTITIES.get(c, c) for c in show(text))
    return _PUNCTUATION.sub(r"\\\1", escaped)


def render(report: Report) -> str:
    """The verdict, a table of the findings, and what could not be judged, folded."""
    lines = ["### kbuild verify", "", escape(summarise(report)), ""]
    lines += _table(report.findings)
    lines += _fold("errored", report.rules_errored)
    lines += _fold("skipped", report.rules_skipped)
    return "\n".join(lines) + "\n"


def _table(findings: tuple[Finding, ...]) -> Iterator[str]:
    if not findings:
        return
    yield "| Severity | Rule | File | Message | Fix |"
    yield "|---|---|---|---|---|"
    size = 0
    for number, finding in enumerate(findings):
        row = _row(finding)
        size += len(row.encode())
        if size > _LONGEST:
            yield ""
            yield f"And {len(findings) - number} more."
            break
        yield row
    yield ""


def _row(finding: Finding) -> str:
    cells = (
        finding.severity,
        _cell(f"{finding.rule} {finding.slug}"),
        _cell(finding.path),
        _cell(finding.message),
        _cell(finding.fix),
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    shortened = text if len(text) <= _LONGEST_CELL else text[:_LONGEST_CELL] + "..."
    return escape(shortened).replace("\n", "<br>")


def _fold(word: str, notes: tuple[RuleNote, ...]) -> Iterator[str]:
    if not notes:
        return
    count = len({note.rule for note in notes})
    yield f"<details><summary>{plural(count, 'rule')} {word}</summary>"
    yield ""
    size = 0
    for number, note in enumerate(notes):
        line = f"- {note.rule}: {_cell(note.reason)}"
        size += len(line.encode())
        if size > _LONGEST // 4:
            yield f"- and {len(notes) - number} more"
            break
        yield line
    yield ""
    yield "</details>"
    yield ""
