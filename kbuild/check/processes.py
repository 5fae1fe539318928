"""Join the files that the processes of a checked program have written into one report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from kbuild import process
from kbuild.check.gaps import Requirements, find_gaps
from kbuild.check.journals import KernelCount, ProcessJournal, read_journals, read_rows
from kbuild.check.lines import join_lines, shorten
from kbuild.check.report import (
    Access,
    CheckedKernel,
    CheckFinding,
    CheckReport,
    Coverage,
)
from kbuild.check.rules import CHECKS, find_rule
from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.values import replace

# The variables that the runtime reads; see native/cpu/checks/settings.hpp.
SELECTION: Final = "KBUILD_CHECK"
DIRECTORY: Final = process.CHECK_VARIABLE

Cause: TypeAlias = tuple[object, ...]

_DEFAULT: Final = Requirements()
_EXACT: Final = (
    "the order of accesses by barriers, warp operations, atomic functions, and fences",
    "the scopes of fences, of cuda::atomic, and of functions such as atomicAdd_block",
    "the bounds and the lifetime of memory that the program allocates",
    "the bounds of shared and local arrays, and of device variables",
    "the order of kernels, copies, and fills of streams and graphs, and of the host",
)
_DIFFERS: Final = (
    "blocks run one after another, and threads take turns at waits",
    "threads of a warp do not run in lockstep",
)
_NOT_COVERED: Final = (
    "races of copies of several rows, of arrays for textures, and of ordinary host memory",
    "local arrays and variables through pointers, as long as their function runs",
    "code and inputs that did not run",
    "accesses by assembly, textures, and surfaces",
)


def select_checks() -> tuple[str, ...]:
    """Return the checks that the environment selects.

    Raises:
        ConfigurationError: One of them does not exist.
    """
    value = process.select_environment((SELECTION,)).get(SELECTION, "")
    if value in ("", "all"):
        return CHECKS
    names = value.split(",")
    for name in names:
        if name not in CHECKS:
            raise ConfigurationError(
                f"{SELECTION}={value}: unknown check {name!r}{did_you_mean(name, CHECKS)}"
            )
    return tuple(check for check in CHECKS if check in names)


def read_report(
    directory: Path,
    *,
    program: str,
    exit_status: int,
    checks: tuple[str, ...] = CHECKS,
    requirements: Requirements = _DEFAULT,
) -> CheckReport:
    """Return the report of a program that has ended.

    Args:
        directory: Where its processes have written their journals, also in subdirectories.
        program: The name of the program.
        exit_status: Its exit status.
        checks: The selected checks.
        requirements: If they are not met, the report has findings.

    Raises:
        InputError: A file is damaged.
    """
    journals = read_journals(directory, can_run=requirements.can_run)
    limits = tuple(dict.fromkeys(limit for each in journals for limit in each.limits))
    report = CheckReport(
        program=program,
        exit_status=exit_status,
        checks=checks,
        kernels=tuple(_join_kernels(journals)),
        findings=tuple(_join_findings(journals, Path.cwd())),
        coverage=Coverage(
            exact=_EXACT,
            differs=_DIFFERS,
            not_covered=_NOT_COVERED,
            limits=limits,
            off=tuple(check for check in CHECKS if check not in checks),
            sources=join_lines(journals, Path.cwd()),
        ),
        images=sum(each.images for each in journals),
        omitted=sum(each.omitted for each in journals),
    )
    gaps = find_gaps(report, journals, requirements)
    found = (make_finding(gap.rule, gap.message, kernel=gap.kernel) for gap in gaps)
    return replace(report, findings=(*report.findings, *found))


def make_finding(rule_id: str, message: str, **others: Any) -> CheckFinding:
    """Return a finding with what the rule says about it."""
    rule = find_rule(rule_id)
    return CheckFinding(
        rule=rule.id,
        slug=rule.slug,
        severity=rule.severity,
        message=message,
        fix=rule.fix,
        **{"kernel": "", **others},
    )


def _join_kernels(journals: Iterable[ProcessJournal]) -> Iterator[CheckedKernel]:
    counts: dict[str, list[KernelCount]] = {}
    for journal in journals:
        for kernel in journal.kernels:
            counts.setdefault(kernel.name, []).append(kernel)
    for name, each in counts.items():
        yield CheckedKernel(
            name=name,
            launches=sum(count.started for count in each),
            threads=sum(count.threads for count in each),
            blocks=sum(count.blocks for count in each),
            requested=sum(count.queued + count.refused for count in each),
            checked=sum(max(0, c.ended - c.failed - c.unchecked) for c in each),
            refused=sum(count.refused for count in each),
            model=next((count.model for count in reversed(each) if count.started), "unknown"),
        )


def _join_findings(journals: Iterable[ProcessJournal], here: Path) -> Iterator[CheckFinding]:
    """Yield each cause once."""
    found: dict[Cause, CheckFinding] = {}
    for journal in journals:
        for row in journal.findings:
            finding = _read_finding(row, here)
            found.setdefault(find_cause(finding), finding)
    yield from found.values()


def read_findings(path: Path, here: Path) -> tuple[CheckFinding, ...]:
    """Return what one process has found so far. Each finding has another cause.

    Args:
        path: The journal of the process.
        here: The directory that paths of sources are relative to.

    Raises:
        InputError: The file is damaged.
    """
    return tuple(_read_finding(row, here) for row in read_rows(path) if "rule" in row)


def find_cause(finding: CheckFinding) -> Cause:
    """Return what findings of the same mistake have in common."""
    first, second = _line(finding.access), _line(finding.other)
    # A line can refuse several launches, for different reasons.
    needs_message = not finding.kernel or finding.rule == "KC704"
    about = (finding.kernel, finding.message if needs_message else "")
    return (finding.rule, about, min(first, second), max(first, second))


def _read_finding(row: Mapping[str, Any], here: Path) -> CheckFinding:
    return make_finding(
        row["rule"],
        row["message"],
        kernel=row["kernel"],
        memory=row["memory"],
        access=_read_access(row["place"], here),
        other=_read_access(row["other"], here),
        count=row["count"],
    )


def _line(access: Access | None) -> tuple[str, int]:
    return (access.file or "", access.line or 0) if access else ("", 0)


def _read_access(row: Mapping[str, Any] | None, here: Path) -> Access | None:
    if row is None or not row["action"]:
        return None
    return Access(
        action=row["action"],
        file=row["file"] and shorten(row["file"], here),
        line=row["line"],
        block=tuple(row["block"]) if row["block"] else None,
        thread=tuple(row["thread"]) if row["thread"] else None,
    )
