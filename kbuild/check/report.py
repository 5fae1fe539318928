"""The result of a check: frozen values that renderers turn into text."""

from __future__ import annotations

from kbuild.check.rules import Severity
from kbuild.values import dataclass
from kbuild.verify.policy.model import Waiver

Index = tuple[int, int, int]


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
    """A kernel that ran, how often, and with how many threads in total."""

    name: str
    launches: int
    threads: int
    model: str = "fibers"


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressedFinding:
    """A finding that does not count, and why."""

    finding: CheckFinding
    suppression: Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What a check compares exactly, what differs from a GPU, and what it does not see."""

    exact: tuple[str, ...]
    differs: tuple[str, ...]
    not_covered: tuple[str, ...]


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
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity == "error" for finding in self.findings)

    @property
    def launches(self) -> int:
        """The number of launches."""
        return sum(kernel.launches for kernel in self.kernels)
