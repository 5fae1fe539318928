"""The outcome of a verification: frozen values that renderers turn into text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.verify.policy.model import Severity, Waiver

# How one rule ended on one file.  "failed" is an error finding: warnings and infos pass.
Status: TypeAlias = Literal["passed", "failed", "skipped", "errored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a rule found in one file, and the way to mend it."""

    rule: str
    slug: str
    severity: Severity
    path: str
    symbol: str | None
    arch: str | None
    message: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaivedFinding:
    """A finding that does not count, and the waiver that says so."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNote:
    """Why a rule was skipped, or how it failed."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """How one rule ended on one file, and why where it did not judge all of it.

    A rule may find something and then lack evidence for the rest, or raise: the worse
    status counts, ``reason`` says what stopped it, and its findings are in the report.
    """

    rule: str
    path: str
    status: Status
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, and how far the rules could see.

    A rule is in ``rules_run`` when it judged at least one file, and in ``rules_skipped``
    when it judged none or some file did not show it enough; in ``rules_errored`` when it
    raised, which makes the report not ok.  What is ``waived`` counts for nothing.
    ``outcomes`` has a row for every rule and file, in the order of the files, then of the
    rules.
    """

    findings: tuple[Finding, ...]
    rules_run: tuple[str, ...]
    rules_skipped: tuple[RuleNote, ...]
    rules_errored: tuple[RuleNote, ...]
    outcomes: tuple[RuleOutcome, ...] = ()
    waived: tuple[WaivedFinding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no error was found and every rule could do its work."""
        return not self.rules_errored and all(f.severity != "error" for f in self.findings)
