"""The report of a check as versioned JSON."""

from __future__ import annotations

from typing import Final

from kbuild.check.report import CheckReport
from kbuild.report.document import render_document

SCHEMA: Final = "kbuild.check/1"


def render(report: CheckReport) -> str:
    """Return the document."""
    return render_document(SCHEMA, report, ok=report.ok, launches=report.launches)
