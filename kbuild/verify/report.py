"""The result of a verification: frozen values that renderers turn into text."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.values import dataclass
from kbuild.verify.policy.model import Severity, Waiver

# The outcome of one rule on one file. "failed" means an error finding: warnings and infos pass.
Status: TypeAlias = Literal["passed", "failed", "skipped", "errored"]


@dataclass(frozen=True, slots=True)
class Instance:
    """One occurrence of a finding: a kernel, an architecture, and a place, as far as known.

    ``symbol`` is mangled. ``where`` is a place in the file, such as a container, or the value
    of a figure.
    """

    symbol: str | None
    arch: str | None
    where: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One cause of problems that a rule found in one file, and how to fix it.

    Attributes:
        rule: The id of the rule.
        slug: The name of the rule.
        severity: The severity in this file.
        path: The file.
        symbol: The first symbol that the finding is about, or None.
        arch: The architecture that the finding is about, or None if there are several.
        message: The problem, with a few examples.
        fix: The fix, which is the same for all findings of the rule.
        count: The number of instances.
        instances: All instances, in the order of the file.
    """

    rule: str
    slug: str
    severity: Severity
    path: str
    symbol: str | None
    arch: str | None
    message: str
    fix: str
    count: int = 1
    instances: tuple[Instance, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaivedFinding:
    """A finding that does not count, and the waiver that covers it."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNote:
    """The reason why a rule was skipped, or its failure."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOutcome:
    """The outcome of one rule on one file, with the reason if it could not judge everything.

    A rule can find something and then lack evidence for the rest, or raise an exception. Then
    ``status`` is the worse of the two, ``reason`` says why the rule stopped, and its findings
    are in the report.
    """

    rule: str
    path: str
    status: Status
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The findings of the rules, and which rules could judge the files.

    Attributes:
        findings: The findings that count.
        rules_run: The rules that judged at least one file.
        rules_skipped: The rules that judged no file, or that some file did not show enough.
        rules_errored: The rules that raised an exception. Then the report is not ok.
        rules_unjudged: The rules that a file did not show enough to judge all of it.
        outcomes: One row per file and rule, ordered by file and then by rule.
        waived: The findings that do not count.
    """

    findings: tuple[Finding, ...]
    rules_run: tuple[str, ...]
    rules_skipped: tuple[RuleNote, ...]
    rules_errored: tuple[RuleNote, ...]
    rules_unjudged: tuple[str, ...] = ()
    outcomes: tuple[RuleOutcome, ...] = ()
    waived: tuple[WaivedFinding, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether no error was found and no rule failed."""
        return not self.rules_errored and all(f.severity != "error" for f in self.findings)
