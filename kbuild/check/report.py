"""The result of a check: frozen values that renderers turn into text."""

from __future__ import annotations

from typing import Literal

from kbuild.check.rules import Severity, find_rule
from kbuild.values import dataclass
from kbuild.verify.policy.model import Waiver

Index = tuple[int, int, int]
Verdict = Literal["ok", "incomplete", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a thread did: its source line, its block, and its place in the block, if known."""

    action: str
    file: str | None = None
    line: int | None = None
    block: Index | None = None
    thread: Index | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """One cause: a rule, a kernel, and one or two lines.

    Attributes:
        rule: The id of the rule.
        slug: The name of the rule.
        severity: Whether it makes the check fail.
        kernel: The demangled name; empty if the finding is not about a kernel.
        message: The problem.
        memory: What the address is, or an empty text.
        access: What the thread did, in the first case.
        other: The other access of a race, or None.
        count: The number of cases.
        fix: The fix, which is the same for all findings of the rule.
    """

    rule: str
    slug: str
    severity: Severity
    kernel: str
    message: str
    memory: str = ""
    access: Access | None = None
    other: Access | None = None
    count: int = 1
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedKernel:
    """A kernel that the program launched.

    Attributes:
        name: The demangled name.
        launches: The launches that ran.
        threads: Their threads in total.
        blocks: Their blocks in total.
        requested: All launches, also those that did not run.
        checked: The launches of instrumented code that ended without an error.
        refused: The launches that the runtime refused.
        model: How the threads of a block run.
    """

    name: str
    launches: int
    threads: int
    blocks: int = 0
    requested: int = 0
    checked: int = 0
    refused: int = 0
    model: str = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedFinding:
    """A finding that does not count, and why."""

    finding: CheckFinding
    suppression: Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCoverage:
    """The lines of a source with instrumented accesses: those that ran, and those that did not."""

    source: str
    run: tuple[int, ...]
    not_run: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a check has covered.

    Attributes:
        exact: What is compared exactly.
        differs: What differs from a GPU.
        not_covered: What checks do not see.
        limits: The limits that a check has reached.
        off: The checks that were not selected.
        sources: The lines with accesses; None if a process has not said which of them ran.
    """

    exact: tuple[str, ...]
    differs: tuple[str, ...]
    not_covered: tuple[str, ...]
    limits: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    sources: tuple[SourceCoverage, ...] | None = None

    @property
    def lines(self) -> int:
        """The number of lines with accesses, as far as they are known."""
        return self.lines_run + sum(len(source.not_run) for source in self.sources or ())

    @property
    def lines_run(self) -> int:
        """The number of lines with accesses that ran."""
        return sum(len(source.run) for source in self.sources or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What one run of a program showed.

    Attributes:
        program: What ran.
        exit_status: How it ended; a negative number is that of a signal.
        checks: The selected checks.
        kernels: The kernels that it launched.
        findings: The findings that count.
        suppressed: Those that do not.
        coverage: What the checks cover.
        images: The instrumented images that its processes have loaded.
        omitted: Causes beyond the limit of a process.
    """

    program: str
    exit_status: int
    checks: tuple[str, ...]
    kernels: tuple[CheckedKernel, ...]
    findings: tuple[CheckFinding, ...]
    coverage: Coverage
    suppressed: tuple[SuppressedFinding, ...] = ()
    images: int = 0
    omitted: int = 0

    @property
    def verdict(self) -> Verdict:
        """The result, from which all formats and exit codes follow."""
        errors = [f for f in self.findings if f.severity == "error"]
        if not errors:
            return "ok"
        return "incomplete" if all(find_rule(f.rule).is_gap for f in errors) else "failed"

    @property
    def ok(self) -> bool:
        """Whether no finding is an error, and all launches were checked to their end."""
        return self.verdict == "ok"

    @property
    def is_complete(self) -> bool:
        """Whether all launches were checked to their end."""
        return not any(find_rule(finding.rule).is_gap for finding in self.findings)

    @property
    def launches(self) -> int:
        """The number of launches that were checked."""
        return sum(kernel.checked for kernel in self.kernels)
