"""Suppressions: findings that do not count until a date, like the waivers of a policy.

A file contains tables like this::

    [[suppressions]]
    rule = "KC202"
    kernels = "legacy::*"
    files = "src/legacy/*.cu"
    reason = "the result does not depend on the order"
    expires = 2027-01-31
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbuild.check.processes import make_finding
from kbuild.check.report import CheckFinding, CheckReport, SuppressedFinding
from kbuild.check.rules import RULES
from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.files import read_toml
from kbuild.records import from_json
from kbuild.verify.glob import matches, matches_file
from kbuild.verify.policy.model import Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    suppressions: tuple[Waiver, ...] = field(default=())


def read_suppressions(path: Path) -> tuple[Waiver, ...]:
    """Return the suppressions in a file.

    Raises:
        ConfigurationError: The file cannot be read, is not valid, or names an unknown rule.
    """
    try:
        document = from_json(_Document, read_toml(path), str(path))
    except InputError as error:
        raise ConfigurationError(str(error)) from error
    known = tuple(rule.id for rule in RULES)
    for suppression in document.suppressions:
        if suppression.rule not in known:
            raise ConfigurationError(
                f"{path}: unknown rule {suppression.rule!r}{did_you_mean(suppression.rule, known)}"
            )
        if suppression.arch:
            raise ConfigurationError(
                f"{path}: the suppression of {suppression.rule} has 'arch', but checks run on one "
                "architecture; remove it"
            )
    return document.suppressions


def apply_suppressions(
    report: CheckReport,
    suppressions: tuple[Waiver, ...],
    source: Path,
    today: dt.date | None = None,
) -> CheckReport:
    """Return the report without suppressed findings, and with a finding per expired suppression."""
    day = today or dt.date.today()  # noqa: DTZ011 - the project's own calendar
    active = tuple(s for s in suppressions if s.expires >= day)
    kept: list[CheckFinding] = []
    hidden: list[SuppressedFinding] = []
    for finding in report.findings:
        found = next((s for s in active if _covers(s, finding)), None)
        if found is None:
            kept.append(finding)
        else:
            hidden.append(SuppressedFinding(finding=finding, suppression=found))
    kept += [
        make_finding(
            "KC702",
            f"the suppression of {suppression.rule} in {source} expired on "
            f"{suppression.expires.isoformat()}",
        )
        for suppression in suppressions
        if suppression.expires < day
    ]
    return replace(report, findings=tuple(kept), suppressed=tuple(hidden))


def _covers(suppression: Waiver, finding: CheckFinding) -> bool:
    if suppression.rule != finding.rule:
        return False
    name = finding.kernel.partition("(")[0]
    if suppression.kernels and not matches(suppression.kernels, finding.kernel, name):
        return False
    files = [a.file for a in (finding.access, finding.other) if a and a.file]
    return not suppression.files or any(matches_file(suppression.files, file) for file in files)
