"""Join the files that the processes of a checked program have written into one report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from kbuild import process
from kbuild.check.report import (
    Access,
    CheckedKernel,
    CheckFinding,
    CheckReport,
    Coverage,
)
from kbuild.check.rules import CHECKS, find_rule
from kbuild.errors import ConfigurationError, InputError, did_you_mean

# The variables that the runtime reads; see native/cpu/checks/settings.hpp.
SELECTION: Final = "KBUILD_CHECK"
DIRECTORY: Final = process.CHECK_VARIABLE

Cause: TypeAlias = tuple[object, ...]

_SCHEMA: Final = "kbuild.check-process/1"
_EXACT: Final = (
    "the order of accesses by barriers, warp operations, atomic functions, and fences",
    "the scopes of fences and of functions such as atomicAdd_block",
    "the bounds and the lifetime of memory that the program allocates",
    "the bounds of shared and local arrays",
)
_DIFFERS: Final = (
    "blocks run one after another, and threads take turns at waits",
    "the scopes of cuda::atomic and cuda::atomic_ref are the whole system",
    "a thread that reads what an atomic function wrote needs no fence",
    "the shuffle and vote functions order memory, as __syncwarp does",
    "threads of a warp do not run in lockstep",
)
_NOT_COVERED: Final = (
    "races between kernels of different streams, and between kernels and host code",
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
    required_launches: int = 1,
) -> CheckReport:
    """Return the report of a program that has ended.

    Args:
        directory: Where its processes have written their files, also in subdirectories.
        program: The name of the program.
        exit_status: Its exit status.
        checks: The selected checks.
        required_launches: With fewer launches, the report has a finding.

    Raises:
        InputError: A file is damaged.
    """
    processes = tuple(map(_read_process, sorted(directory.rglob("*.json"))))
    limits = dict.fromkeys(limit for each in processes for limit in each["limits"])
    report = CheckReport(
        program=program,
        exit_status=exit_status,
        checks=checks,
        kernels=tuple(_join_kernels(processes)),
        findings=tuple(_join_findings(processes, Path.cwd())),
        coverage=Coverage(exact=_EXACT, differs=_DIFFERS, not_covered=(*_NOT_COVERED, *limits)),
        images=sum(each["images"] for each in processes),
        omitted=sum(each["omitted"] for each in processes),
    )
    if report.launches >= required_launches:
        return report
    ended = f" before signal {-exit_status} ended it" if exit_status < 0 else ""
    message = (
        f"the program launched {report.launches} instrumented kernels{ended}, but the check "
        f"requires {required_launches}"
    )
    return replace(report, findings=(*report.findings, make_finding("KC701", message)))


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


def _read_process(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except ValueError as error:
        raise InputError(f"{path}: not a report of checks: {error}") from error
    if not isinstance(document, dict) or document.get("schema") != _SCHEMA:
        raise InputError(f"{path}: not a report of checks with schema {_SCHEMA}")
    return document


def _join_kernels(processes: Iterable[Mapping[str, Any]]) -> Iterator[CheckedKernel]:
    totals: dict[str, tuple[int, int]] = {}
    for each in processes:
        for kernel in each["kernels"]:
            launches, threads = totals.get(kernel["name"], (0, 0))
            totals[kernel["name"]] = (launches + kernel["launches"], threads + kernel["threads"])
    for name, (launches, threads) in totals.items():
        yield CheckedKernel(name=name, launches=launches, threads=threads)


def _join_findings(processes: Iterable[Mapping[str, Any]], here: Path) -> Iterator[CheckFinding]:
    """Yield each cause once."""
    found: dict[Cause, CheckFinding] = {}
    for each in processes:
        for row in each["findings"]:
            finding = _read_finding(row, here)
            found.setdefault(find_cause(finding), finding)
    yield from found.values()


def read_findings(path: Path, here: Path) -> tuple[CheckFinding, ...]:
    """Return what one process has found so far. Each finding has another cause.

    Args:
        path: The file of the process.
        here: The directory that paths of sources are relative to.

    Raises:
        InputError: The file is damaged.
    """
    return tuple(_read_finding(row, here) for row in _read_process(path)["findings"])


def find_cause(finding: CheckFinding) -> Cause:
    """Return what findings of the same mistake have in common."""
    first, second = _line(finding.access), _line(finding.other)
    about = finding.kernel or finding.message
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
        file=_shorten(row["file"], here),
        line=row["line"],
        block=tuple(row["block"]) if row["block"] else None,
        thread=tuple(row["thread"]) if row["thread"] else None,
    )


def _shorten(file: str | None, here: Path) -> str | None:
    """Return the path of a source relative to a directory, if it is below."""
    if file is None:
        return None
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
