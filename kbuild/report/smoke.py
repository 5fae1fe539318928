"""The reports of `kbuild smoke`."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.demangle.short_names import shorten_names
from kbuild.report.document import render_document
from kbuild.report.layout import join_lines, plural
from kbuild.report.styles import Line, Span, Style
from kbuild.smoke.report import SmokeReport, SmokeResult

SCHEMA: Final = "kbuild.smoke/1"


def render_json(report: SmokeReport) -> str:
    """Return the report as versioned JSON."""
    return render_document(SCHEMA, report, path=report.path, ok=report.ok)


_STYLES: Final[dict[str, Style]] = {"passed": "ok", "failed": "error", "skipped": "warning"}


def render_text(report: SmokeReport, *, has_colors: bool = False) -> str:
    """Return one line per kernel and case, with the reason for each failure, and a summary."""
    displays = [demangle(result.name) for result in report.results]
    names = shorten_names(displays)
    lines: list[Line] = []
    reasons: set[str] = set()
    for result, display in zip(report.results, displays, strict=True):
        lines.append(_describe_result(result, names[display]))
        reason = _explain(result)
        # Without a device, everything is skipped for the same reason.
        if reason and reason not in reasons:
            lines.append(reason)
        if result.status == "skipped":
            reasons.add(reason)
    # A kernel can print anything, including tabs.
    return join_lines([*lines, _summarize(report)], has_colors=has_colors, kept="\n\t")


def _describe_result(result: SmokeResult, name: str) -> Line:
    status = Span(f"{result.status:<7}", _STYLES[result.status])
    return (status, f"  {result.kind:<7}  {name}  ({result.seconds:.2f} s)")


def _explain(result: SmokeResult) -> str:
    """Return why a result is not a success, or an empty text."""
    detail = result.detail or ""
    front = "skipped: " if detail and result.status == "skipped" else ""
    return textwrap.indent(front + detail, "    ")


def _summarize(report: SmokeReport) -> Line:
    counts = Counter(result.status for result in report.results)
    found = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    verdict = Span("FAILED", "error")
    if report.ok:
        verdict = Span("ok", "ok")
    elif report.is_skipped:
        verdict = Span("SKIPPED", "warning")
    count = report.device_count
    devices = "devices unknown" if count is None else plural(count, "device")
    return (verdict, f": {report.path}: {found or 'nothing to run'}; {devices}")
