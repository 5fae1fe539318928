"""The reports of `kbuild smoke`."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.report.document import render_document
from kbuild.report.layout import make_printable, plural
from kbuild.smoke.report import SmokeReport, SmokeResult

SCHEMA: Final = "kbuild.smoke/1"


def render_json(report: SmokeReport) -> str:
    """Return the report as versioned JSON."""
    return render_document(SCHEMA, report, path=report.path, ok=report.ok)


def render_text(report: SmokeReport) -> str:
    """Return one line per kernel and case, with the reason for each failure, and a summary."""
    lines = [line for result in report.results for line in _describe_result(result)]
    # A kernel can print anything, including tabs.
    return make_printable("\n".join([*lines, _summarize(report)]), kept="\n\t") + "\n"


def _describe_result(result: SmokeResult) -> Iterator[str]:
    kind = f"{result.kind:<7}"
    yield f"{result.status:<7}  {kind}  {demangle(result.name)}  ({result.seconds:.2f} s)"
    if result.detail:
        detail = f"skipped: {result.detail}" if result.status == "skipped" else result.detail
        yield textwrap.indent(detail, "    ")


def _summarize(report: SmokeReport) -> str:
    counts = Counter(result.status for result in report.results)
    found = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    verdict = "ok" if report.ok else "SKIPPED" if report.is_skipped else "FAILED"
    count = report.device_count
    devices = "devices unknown" if count is None else plural(count, "device")
    return f"{verdict}: {report.path}: {found or 'nothing to run'}; {devices}"
