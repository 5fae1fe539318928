"""Render a comparison as text: a summary, then each change with its code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.diff.model import DiffReport, FunctionChange
from kbuild.report.diff import words
from kbuild.report.layout import join_lines, make_one_line
from kbuild.report.styles import Line, Span, Style

_MAX_LINES: Final = 60


_STYLES: Final[dict[str, Style]] = {"added": "added", "removed": "removed"}
_ROWS: Final[dict[str, Style]] = {"+": "added", "-": "removed"}


def render(report: DiffReport, *, has_colors: bool = False) -> str:
    """Return the report as text."""
    lines: list[Line] = [Span(f"{report.old} -> {report.new}", "path")]
    lines.append(Span(words.summarize(report), "heading"))
    for file, text in words.describe_others(report):
        lines.append(f"  {make_one_line(file)}: {make_one_line(text)}")
    for (status, name), changes in words.group_functions(report).items():
        style = _STYLES.get(status, "warning")
        lines += ["", (Span(status, style), f": {make_one_line(name)}")]
        for change in changes:
            lines += _change(change)
    lines += [(Span("note", "info"), f": {make_one_line(note)}") for note in report.notes]
    return join_lines(lines, has_colors=has_colors)


def _change(change: FunctionChange) -> Iterator[Line]:
    yield f"  {change.arch} {change.kind} in {make_one_line(', '.join(change.files))}"
    for number, text in enumerate(words.describe_function(change)):
        # ABI breaks come first.
        line = f"    {make_one_line(text)}"
        yield Span(line, "error") if number < len(change.breaks) else line
    if change.code is None:
        return
    left = _MAX_LINES
    for hunk in change.code.hunks:
        yield Span(f"      @@ -{hunk.old_start} +{hunk.new_start} @@", "info")
        for row in words.unified(hunk.rows):
            if not left:
                yield "      ... (use --format html or json to see all of it)"
                return
            line = f"      {make_one_line(row)}"
            yield Span(line, _ROWS[row[0]]) if row[0] in _ROWS else line
            left -= 1
