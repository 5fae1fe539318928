"""The report of `kbuild verify` as versioned JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kbuild.records import to_json
from kbuild.report.document import render_document
from kbuild.verify.report import Report

SCHEMA: Final = "kbuild.verify/1"


def render(report: Report) -> str:
    """Return the report as JSON."""
    # One row per rule and file would be most of the text, and repeat the other lists.
    body = to_json(replace(report, outcomes=()))
    del body["outcomes"]
    return render_document(SCHEMA, body, ok=report.ok)
