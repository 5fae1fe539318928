"""The report of `kbuild verify` as versioned JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from kbuild.records import to_json
from kbuild.report.document import render_document
from kbuild.values import replace
from kbuild.verify.report import Finding, Instance, Report

SCHEMA: Final = "kbuild.verify/1"


_HIDDEN: Final = '"instances": []'
# Enough to recognize the cause.
_EXAMPLES: Final = 5


def render(report: Report, *, is_complete: bool = False) -> str:
    """Return the text that `iterate` yields."""
    return "".join(iterate(report, is_complete=is_complete))


def iterate(report: Report, *, is_complete: bool = False) -> Iterator[str]:
    """Yield the report as JSON in parts, because a finding can have a million instances.

    Args:
        report: The report.
        is_complete: Whether to list all instances of each finding, or only the first ones.
    """
    waived = tuple(replace(one, finding=_hide_instances(one.finding)) for one in report.waived)
    shown = replace(report, findings=tuple(map(_hide_instances, report.findings)), waived=waived)
    # One row per rule and file would be most of the text, and repeat the other lists.
    body = to_json(replace(shown, outcomes=()))
    del body["outcomes"]
    # A string cannot contain this, because it would have a backslash before each quote.
    first, *others = render_document(SCHEMA, body, ok=report.ok).split(_HIDDEN)
    yield first
    findings = (*report.findings, *(one.finding for one in report.waived))
    for finding, text in zip(findings, others, strict=True):
        yield _HIDDEN[:-1]
        yield from _list_instances(finding.instances[: None if is_complete else _EXAMPLES])
        yield f"]{text}"


def _hide_instances(finding: Finding) -> Finding:
    return replace(finding, instances=())


def _list_instances(instances: tuple[Instance, ...]) -> Iterator[str]:
    for number, instance in enumerate(instances):
        yield f"{',' if number else ''}\n        {json.dumps(to_json(instance))}"
