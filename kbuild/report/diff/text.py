"""Render a comparison as text: a summary, then each change with its code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.diff.model import DiffReport, FunctionChange
from kbuild.report.diff import words
from kbuild.report.layout import join_lines, make_one_line

_MAX_LINES: Final = 60


def render(report: DiffReport) -> str:
    """Return the report as text."""
    lines = [f"{report.old} -> {report.new}", words.summarize(report)]
    for file, text in words.describe_others(report):
        lines.append(f"  {make_one_line(file)}: {make_one_line(text)}")
    for (status, name), changes in words.group_functions(report).items():
        lines += ["", f"{status}: {make_one_line(name)}"]
        for change in changes:
            lines += _change(change)
    lines += [f"note: {make_one_line(note)}" for note in report.notes]
    return join_lines(lines)


def _change(change: FunctionChange) -> Iterator[str]:
    yield f"  {change.arch} {change.kind} in {make_one_line(', '.join(change.files))}"
    for text in words.describe_function(change):
        yield f"    {make_one_line(text)}"
    if change.code is None:
        return
    left = _MAX_LINES
    for hunk in change.code.hunks:
        yield f"      @@ -{hunk.old_start} +{hunk.new_start} @@"
        for line in words.unified(hunk.rows):
            if not left:
                yield "      ... (use --format html or json to see all of it)"
                return
            yield f"      {make_one_line(line)}"
            left -= 1
