"""`kbuild smoke` for people: plain text, no colour."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from kbuild.demangle.names import demangle
from kbuild.smoke.report import SmokeReport, SmokeResult


def render(report: SmokeReport) -> str:
    """One line a kernel and a case, why it failed below it, and a summary."""
    lines = [line for result in report.results for line in _result(result)]
    return _printable("\n".join([*lines, _summary(report)])) + "\n"


def _result(result: SmokeResult) -> Iterator[str]:
    kind = f"{result.kind:<7}"
    yield f"{result.status:<7}  {kind}  {demangle(result.name)}  ({result.seconds:.2f} s)"
    if result.detail:
        detail = f"skipped: {result.detail}" if result.status == "skipped" else result.detail
        yield textwrap.indent(detail, "    ")


def _summary(report: SmokeReport) -> str:
    counts = Counter(result.status for result in report.results)
    found = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    verdict = "ok" if report.ok else "SKIPPED" if report.is_skipped else "FAILED"
    return f"{verdict}: {report.path}: {found or 'nothing to run'}; {_devices(report)}"


def _devices(report: SmokeReport) -> str:
    count = report.device_count
    if count is None:
        return "devices unknown"
    return f"{count} device{'' if count == 1 else 's'}"


def _printable(text: str) -> str:
    """A kernel may have printed anything; what would move a cursor is shown, not sent."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
