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
from collections.abc import Iterator
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressions:
    """What a file of suppressions says on one day.

    Attributes:
        source: The file.
        active: The suppressions that hold.
        expired: Those whose last day has passed.
    """

    source: Path
    active: tuple[Waiver, ...]
    expired: tuple[Waiver, ...]

    def find(self, finding: CheckFinding) -> Waiver | None:
        """Return the first suppression that holds for a finding, or None."""
        return next((each for each in self.active if _covers(each, finding)), None)

    def report_expired(self) -> Iterator[CheckFinding]:
        """Yield a finding per expired suppression."""
        for each in self.expired:
            yield make_finding(
                "KC702",
                f"the suppression of {each.rule} in {self.source} expired on "
                f"{each.expires.isoformat()}",
            )


def read_suppressions(path: Path, today: dt.date | None = None) -> Suppressions:
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
    day = today or dt.date.today()  # noqa: DTZ011 - the project's own calendar
    return Suppressions(
        source=path,
        active=tuple(each for each in document.suppressions if each.expires >= day),
        expired=tuple(each for each in document.suppressions if each.expires < day),
    )


def apply_suppressions(report: CheckReport, suppressions: Suppressions) -> CheckReport:
    """Return the report without suppressed findings, and with a finding per expired suppression."""
    kept: list[CheckFinding] = []
    hidden: list[SuppressedFinding] = []
    for finding in report.findings:
        found = suppressions.find(finding)
        if found is None:
            kept.append(finding)
        else:
            hidden.append(SuppressedFinding(finding=finding, suppression=found))
    kept += suppressions.report_expired()
    return replace(report, findings=tuple(kept), suppressed=tuple(hidden))


def _covers(suppression: Waiver, finding: CheckFinding) -> bool:
    if suppression.rule != finding.rule:
        return False
    name = finding.kernel.partition("(")[0]
    if suppression.kernels and not matches(suppression.kernels, finding.kernel, name):
        return False
    files = [a.file for a in (finding.access, finding.other) if a and a.file]
    return not suppression.files or any(matches_file(suppression.files, file) for file in files)
