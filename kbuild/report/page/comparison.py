"""The values of a comparison that an HTML page shows."""

from __future__ import annotations

from typing import Any, Final

from kbuild.diff.model import DiffReport, FunctionChange
from kbuild.report.diff import words
from kbuild.report.layout import make_one_line, make_printable, plural

# Browsers need a long time to lay out more rows.
_MAX_ROWS: Final = 50_000


def describe_comparison(report: DiffReport) -> dict[str, Any]:
    """Return what the page shows: a summary, then each function with its code side by side."""
    left = _MAX_ROWS
    functions: list[dict[str, Any]] = []
    cut = 0
    for (status, name), changes in words.group_functions(report).items():
        for change in changes:
            size = sum(len(hunk.rows) for hunk in change.code.hunks) if change.code else 0
            fits = size <= left
            left -= size if fits else 0
            cut += not fits
            functions.append(_function(status, name, change, with_code=fits))
    return {
        "old": make_one_line(report.old),
        "new": make_one_line(report.new),
        "summary": make_one_line(words.summarize(report)),
        "others": [tuple(map(make_one_line, other)) for other in words.describe_others(report)],
        "notes": [
            *map(make_one_line, report.notes),
            *([f"this page leaves out the code of {plural(cut, 'function')}"] if cut else []),
        ],
        "functions": functions,
    }


def _function(status: str, name: str, change: FunctionChange, *, with_code: bool) -> dict[str, Any]:
    hunks = change.code.hunks if change.code and with_code else ()
    return {
        "status": status,
        "name": make_one_line(name),
        "is_break": bool(change.breaks),
        "arch": make_one_line(f"{change.backend} {change.arch} {change.kind}"),
        "files": make_one_line(", ".join(change.files)),
        "facts": [make_one_line(text) for text in words.describe_function(change)],
        "hunks": [
            {
                "old": hunk.old_start,
                "new": hunk.new_start,
                "rows": [
                    (
                        "same" if row.is_equal else "diff",
                        "" if row.old is None else make_printable(row.old),
                        "" if row.new is None else make_printable(row.new),
                    )
                    for row in hunk.rows
                ],
            }
            for hunk in hunks
        ],
    }
