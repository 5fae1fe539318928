"""The reports of `kbuild verify --import`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.report.document import render_document
from kbuild.report.layout import join_lines, make_one_line
from kbuild.smoke.imports import ImportReport, ImportTrial

SCHEMA: Final = "kbuild.import/1"

_DRIVERS: Final = {"none": "without a driver", "stand-in": "with a driver and no device"}
_OUTCOMES: Final = {
    "imported": "imported",
    "failed": "fails",
    "crashed": "crashes",
    "unjudged": "not judged",
}


def render_json(reports: Sequence[ImportReport]) -> str:
    """Return the reports as versioned JSON."""
    ok = not any(report.has_failed for report in reports)
    return render_document(SCHEMA, {"artifacts": tuple(reports)}, ok=ok)


def render_text(reports: Sequence[ImportReport]) -> str:
    """Return what a user sees who imports each module."""
    return join_lines([line for report in reports for line in _describe(report)])


def _describe(report: ImportReport) -> Iterator[str]:
    yield f"{make_one_line(report.path)} (Python {report.python})"
    for trial in report.trials:
        yield from _describe_trial(trial)
    yield from (f"  note: {make_one_line(note)}" for note in report.notes)


def _describe_trial(trial: ImportTrial) -> Iterator[str]:
    name = make_one_line(trial.module)
    yield f"  {name} {_DRIVERS[trial.driver]}: {_OUTCOMES[trial.outcome]}"
    for line in trial.message.splitlines():
        yield f"    {make_one_line(line)}"
