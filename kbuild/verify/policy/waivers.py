"""Waivers: findings that do not count until a date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.verify.glob import matches, matches_file, matches_kernel
from kbuild.verify.policy.model import Policy, Severity, Waiver
from kbuild.verify.report import Finding, WaivedFinding
from kbuild.verify.rule import Rule

EXPIRED: Final = "KB001"
UNUSED: Final = "KB002"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The findings that count on ``day``, and those that are waived, each in their order."""

    day: dt.date
    findings: tuple[Finding, ...]
    waived: tuple[WaivedFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The scope of a call: its files, its rules, and the rules that could judge any file."""

    paths: tuple[str, ...]
    rules: tuple[Rule, ...]
    rules_run: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The kernels of a finding. ``state`` returns the finding for some of them."""

    kernels: tuple[str, ...]
    state: Callable[[tuple[str, ...]], Finding]


def apply_waivers(claims: Iterable[Claim], policy: Policy, today: dt.date | None = None) -> Outcome:
    """Separate the findings that waivers hide from those that count.

    A waiver hides findings until the end of its last day. If it covers only some of a finding's
    kernels, the finding remains for the others.
    """
    day = today or dt.date.today()  # noqa: DTZ011 - the project's own calendar
    active = [waiver for waiver in policy.waivers if waiver.expires >= day]
    kept, waived = [], []
    for claim in claims:
        whole = claim.state(claim.kernels)
        concerned = [waiver for waiver in active if _can_hide(waiver, whole)]
        for waiver, kernels in _divide(claim.kernels, concerned):
            finding = whole if len(kernels) == len(claim.kernels) else claim.state(kernels)
            if waiver is None:
                kept.append(finding)
            else:
                waived.append(WaivedFinding(finding=finding, waiver=waiver))
    return Outcome(day=day, findings=tuple(kept), waived=tuple(waived))


def _divide(
    kernels: tuple[str, ...], waivers: list[Waiver]
) -> Iterator[tuple[Waiver | None, tuple[str, ...]]]:
    """Yield the kernels by the first waiver that names them, then those without one."""
    left = kernels
    for waiver in waivers:
        if not waiver.kernels:
            yield waiver, left
            return
        named = tuple(kernel for kernel in left if matches_kernel(waiver.kernels, kernel))
        if named:
            yield waiver, named
            hidden = frozenset(named)
            left = tuple(kernel for kernel in left if kernel not in hidden)
            if not left:
                return
    yield None, left


def judge_waivers(
    policy: Policy,
    outcome: Outcome,
    scope: Scope,
    severities: dict[str, Severity],
) -> tuple[Finding, ...]:
    """Return the findings about the waivers themselves, starting with expired ones."""
    by_id = {rule.id: rule for rule in scope.rules}
    used = {id(waived.waiver) for waived in outcome.waived}
    found = []
    for waiver in policy.waivers:
        if waiver.rule not in by_id or not _concerns(waiver, scope.paths):
            continue
        if waiver.expires < outcome.day:
            message = f"expired on {waiver.expires.isoformat()}"
            found.append((EXPIRED, waiver, message))
        elif id(waiver) not in used and waiver.rule in scope.rules_run:
            found.append((UNUSED, waiver, "hides nothing"))
    return tuple(
        Finding(
            rule=rule_id,
            slug=by_id[rule_id].slug,
            severity=severities.get(rule_id) or by_id[rule_id].severity,
            path=policy.source or "policy",
            symbol=None,
            arch=None,
            message=f"the waiver of {_describe(waiver)} {message}",
            fix=by_id[rule_id].documentation.fix,
        )
        for rule_id, waiver, message in sorted(found, key=lambda entry: entry[0])
        if rule_id in by_id
    )


def _can_hide(waiver: Waiver, finding: Finding) -> bool:
    """Return whether a waiver covers the rule, file, and architecture of a finding."""
    if waiver.rule != finding.rule:
        return False
    if waiver.files and not matches_file(waiver.files, finding.path):
        return False
    return not waiver.arch or (finding.arch is not None and matches(waiver.arch, finding.arch))


def _concerns(waiver: Waiver, paths: tuple[str, ...]) -> bool:
    return not waiver.files or any(matches_file(waiver.files, path) for path in paths)


def _describe(waiver: Waiver) -> str:
    """Return the rule and the selectors of a waiver."""
    selectors = (
        f"{name} {', '.join(globs)}"
        for name, globs in (
            ("kernels", waiver.kernels),
            ("files", waiver.files),
            ("arch", waiver.arch),
        )
        if globs
    )
    what = "; ".join(selectors)
    return f"{waiver.rule} for {what}" if what else waiver.rule
