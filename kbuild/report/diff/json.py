"""The report of `kbuild diff` as versioned JSON; docs/reference/json.md describes the fields."""

from __future__ import annotations

from typing import Final

from kbuild.diff.model import DiffReport
from kbuild.report.document import render_document

SCHEMA: Final = "kbuild.diff/1"


def render(report: DiffReport) -> str:
    """Return the report as JSON. Rows of code are ``[old, new]`` pairs to keep it small."""
    return render_document(SCHEMA, report, equal=report.is_equal, abi_breaks=report.breaks)
