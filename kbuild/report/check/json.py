"""The report of a check as versioned JSON."""

from __future__ import annotations

from typing import Final

from kbuild.check.report import CheckReport
from kbuild.report.check.coverage import count_launches
from kbuild.report.document import render_document

SCHEMA: Final = "kbuild.check/1"


def render(report: CheckReport) -> str:
    """Return the document."""
    return render_document(
        SCHEMA,
        report,
        ok=report.ok,
        verdict=report.verdict,
        launches=report.launches,
        launch_counts=dict(count_launches(report)),
        lines=report.coverage.lines if report.coverage.sources is not None else None,
        lines_run=report.coverage.lines_run if report.coverage.sources is not None else None,
    )
