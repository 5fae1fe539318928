"""Render a comparison as GitHub Markdown, for a comment on a pull request."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Final

from kbuild.diff.model import DiffReport, FunctionChange
from kbuild.report.diff import words
from kbuild.report.layout import make_one_line
from kbuild.report.markdown import Room, format_cell

# GitHub rejects comments of more than 65536 characters.
_LONGEST: Final = 60_000
_LONGEST_CELL: Final = 400
_LONGEST_CODE: Final = 8_000


def render(report: DiffReport) -> str:
    """Return the summary, a table of the changes, and folded code, up to the length limit."""
    lines = ["### kbuild diff", "", f"{_cell(report.old)} → {_cell(report.new)}", ""]
    lines += [f"**{_cell(words.summarize(report))}**", ""]
    lines += [f"- {_cell(file)}: {_cell(text)}" for file, text in words.describe_others(report)][
        :100
    ]
    lines += [f"- {_cell(note)}" for note in report.notes]
    room = Room(_LONGEST - sum(len(line) + 1 for line in lines))
    rows = [row for changes in words.group_functions(report).values() for row in changes]
    lines += _table(rows, room)
    for change in rows:
        lines += _code(change, room)
    if room.is_full:
        lines += ["", "The rest is too long for a comment. See the HTML or JSON report."]
    return "\n".join(lines) + "\n"


def _table(changes: list[FunctionChange], room: Room) -> Iterator[str]:
    if changes:
        yield from ("", "| Change | Kernel | Architecture | Details |", "|---|---|---|---|")
    yield from room.take_lines(map(_row, changes), "\nAnd {} more.")


def _row(change: FunctionChange) -> str:
    details = "<br>".join(_cell(text) for text in words.describe_function(change))
    return f"| {change.status} | {_cell(words.name(change))} | {_cell(change.arch)} | {details} |"


def _code(change: FunctionChange, room: Room) -> Iterator[str]:
    if change.code is None or not change.code.hunks:
        return
    lines = [
        line
        for hunk in change.code.hunks
        for line in (
            f"@@ -{hunk.old_start} +{hunk.new_start} @@",
            *(make_one_line(text) for text in words.unified(hunk.rows)),
        )
    ]
    text = "\n".join(lines)[:_LONGEST_CODE]
    # The text cannot close a fence that is longer than any in the text.
    fence = "`" * (3 + max((len(run) for run in _backticks(text)), default=0))
    # Markdown escapes do not work inside an HTML block.
    title = html.escape(make_one_line(f"{words.name(change)} ({change.arch})")[:_LONGEST_CELL])
    block = f"\n<details><summary>{title}</summary>\n\n{fence}diff\n{text}\n{fence}\n\n</details>"
    if room.takes(block):
        yield block


def _backticks(text: str) -> Iterator[str]:
    run = ""
    for character in text:
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""
    yield run


def _cell(text: str) -> str:
    return format_cell(text, _LONGEST_CELL, " ")
