"""The report of `kbuild verify` as versioned JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from kbuild.records import to_json
from kbuild.report.document import render_document
from kbuild.verify.report import Finding, Report

SCHEMA: Final = "kbuild.verify/1"


# Enough to recognize the cause.
_EXAMPLES: Final = 5


def render(report: Report, *, is_complete: bool = False) -> str:
    """Return the report as JSON.

    Args:
        report: The report.
        is_complete: Whether to list all instances of each finding, or only the first ones.
    """
    shown = report if is_complete else _keep_examples(report)
    # One row per rule and file would be most of the text, and repeat the other lists.
    body = to_json(replace(shown, outcomes=()))
    del body["outcomes"]
    return render_document(SCHEMA, body, ok=report.ok)


def _keep_examples(report: Report) -> Report:
    return replace(
        report,
        findings=tuple(map(_cut_instances, report.findings)),
        waived=tuple(
            replace(entry, finding=_cut_instances(entry.finding)) for entry in report.waived
        ),
    )


def _cut_instances(finding: Finding) -> Finding:
    return replace(finding, instances=finding.instances[:_EXAMPLES])
