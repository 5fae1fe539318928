"""Waivers: findings that do not count until a date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from kbuild.values import dataclass
from kbuild.verify.glob import matches, matches_file, matches_kernel
from kbuild.verify.policy.model import Policy, Severity, Waiver
from kbuild.verify.report import Finding, Instance, WaivedFinding
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
    """The instances of a finding. ``state`` returns the finding for some of them."""

    rule: str
    path: str
    instances: tuple[Instance, ...]
    state: Callable[[tuple[Instance, ...]], Finding]


def apply_waivers(claims: Iterable[Claim], policy: Policy, today: dt.date | None = None) -> Outcome:
    """Separate the findings that waivers hide from those that count.

    A waiver hides findings until the end of its last day. If it covers only some of a finding's
    instances, the finding remains for the others.
    """
    day = today or dt.date.today()  # noqa: DTZ011 - the project's own calendar
    active = [waiver for waiver in policy.waivers if waiver.expires >= day]
    kept, waived = [], []
    for claim in claims:
        concerned = [waiver for waiver in active if _can_hide(waiver, claim)]
        for waiver, instances in _divide(claim.instances, concerned):
            finding = claim.state(instances)
            if waiver is None:
                kept.append(finding)
            else:
                waived.append(WaivedFinding(finding=finding, waiver=waiver))
    return Outcome(day=day, findings=tuple(kept), waived=tuple(waived))


def _divide(
    instances: tuple[Instance, ...], waivers: list[Waiver]
) -> Iterator[tuple[Waiver | None, tuple[Instance, ...]]]:
    """Yield the instances by the first waiver that covers them, then those without one."""
    left = instances
    for waiver in waivers:
        covered = tuple(one for one in left if _covers(waiver, one))
        if covered:
            yield waiver, covered
            left = tuple(one for one in left if not _covers(waiver, one))
    if left:
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


def _can_hide(waiver: Waiver, claim: Claim) -> bool:
    """Return whether a waiver covers the rule and the file of a finding."""
    if waiver.rule != claim.rule:
        return False
    return not waiver.files or matches_file(waiver.files, claim.path)


def _covers(waiver: Waiver, one: Instance) -> bool:
    """Return whether a waiver covers the kernel and the architecture of an instance."""
    if waiver.kernels and not (one.symbol and matches_kernel(waiver.kernels, one.symbol)):
        return False
    return not waiver.arch or (one.arch is not None and matches(waiver.arch, one.arch))


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
