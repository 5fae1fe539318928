"""Run rules over facts. Equal input gives an equal report, with findings in a fixed order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from kbuild.errors import ConfigurationError, did_you_mean
from kbuild.facts import ArtifactFacts
from kbuild.values import dataclass
from kbuild.verify.catalog import RULES
from kbuild.verify.file_set import FileSet
from kbuild.verify.grouping import group_files
from kbuild.verify.policy.model import SEVERITIES, Policy, Severity, SeverityChange
from kbuild.verify.policy.waivers import Claim, Scope, apply_waivers, judge_waivers
from kbuild.verify.report import Finding, Instance, Report, RuleNote, RuleOutcome, Status
from kbuild.verify.rule import Evidence, LacksEvidence, NotApplicable, Rule
from kbuild.verify.wording import fill_message

_MISSING: Final[dict[Evidence, str]] = {
    "note": "no readable .note.kbuild",
    "images": "no device image",
    "wheel": "no policy for wheels",
}


class _Cause(NamedTuple):
    """The properties that all violations of a finding share."""

    message: str
    severity: Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """The violations of one rule in one file, by their cause."""

    rule: Rule
    path: str
    causes: dict[_Cause, list[Instance]]
    skipped: NotApplicable | None = None
    error: str | None = None


def verify(
    artifacts: tuple[ArtifactFacts, ...],
    policy: Policy | None = None,
    rules: tuple[Rule, ...] = RULES,
    today: dt.date | None = None,
    *,
    context: tuple[ArtifactFacts, ...] = (),
) -> Report:
    """Judge artifacts by rules. Findings are ordered by file, then by rule id.

    Args:
        artifacts: The facts of the files to judge.
        policy: The requirements of the project. By default, none beyond the rules.
        rules: The rules to run.
        today: The day on which waivers are judged. By default, the current day.
        context: Files that are loaded together with the artifacts. Only the rules about several
            files judge them.
    """
    policy = policy or Policy()
    changes = _read_changes(policy)
    sets = group_files(artifacts, context, policy.loaded_together or ())
    joint = tuple(rule for rule in rules if rule.is_joint)
    has_wheels = any(facts.wheel is not None for facts in artifacts)
    outcomes = [
        _run(rule, facts, sets[id(facts)], policy)
        for files, applied in ((artifacts, rules), (context, joint))
        for facts in files
        for rule in _choose(applied, facts, has_wheels=has_wheels)
    ]
    by_rule = {rule.id: [o for o in outcomes if o.rule is rule] for rule in rules}
    judged = apply_waivers(
        (
            _make_claim(o, cause, tuple(instances), changes)
            for o in outcomes
            for cause, instances in o.causes.items()
        ),
        policy,
        today,
    )
    rules_run = _list_rules(by_rule, lambda o: not (o.skipped or o.error) or bool(o.causes))
    paths = tuple(facts.path for facts in artifacts)
    scope = Scope(paths=paths, rules=rules, rules_run=rules_run)
    return Report(
        findings=(*judged.findings, *judge_waivers(policy, judged, scope, changes)),
        waived=judged.waived,
        rules_run=rules_run,
        rules_skipped=tuple(note for of_rule in by_rule.values() for note in _skips(of_rule)),
        rules_errored=tuple(
            RuleNote(rule=o.rule.id, reason=f"{o.path}: {o.error}") for o in outcomes if o.error
        ),
        rules_unjudged=_list_rules(by_rule, lambda o: isinstance(o.skipped, LacksEvidence)),
        outcomes=_summarize(outcomes, judged.findings),
    )


def select_rules(
    select: Iterable[str] = (), ignore: Iterable[str] = (), rules: tuple[Rule, ...] = RULES
) -> tuple[Rule, ...]:
    """Return the rules to run.

    Args:
        select: Rule ids or prefixes of ids. By default, all rules.
        ignore: Rule ids or prefixes of ids to leave out.
        rules: The rules to choose from.

    Raises:
        ConfigurationError: A prefix matches no rule.
    """
    selected, ignored = tuple(select), tuple(ignore)
    for prefix in (*selected, *ignored):
        if not prefix or not any(rule.id.startswith(prefix) for rule in rules):
            raise unknown_rule(prefix, rules)
    return tuple(
        rule
        for rule in rules
        if (not selected or rule.id.startswith(selected)) and not rule.id.startswith(ignored)
    )


def unknown_rule(name: str, rules: tuple[Rule, ...] = RULES) -> ConfigurationError:
    """Return the error for a rule id that does not exist."""
    return ConfigurationError(f"unknown rule {name!r}{did_you_mean(name, (r.id for r in rules))}")


def _choose(rules: tuple[Rule, ...], facts: ArtifactFacts, *, has_wheels: bool) -> tuple[Rule, ...]:
    """Return the rules for a wheel as a whole, or else the rules for files.

    If no wheel is judged as a whole, the rules for wheels are skipped for the files instead.
    """
    if not has_wheels:
        return rules
    return tuple(r for r in rules if ("wheel" in r.needs) == (facts.wheel is not None))


def _run(rule: Rule, facts: ArtifactFacts, files: FileSet, policy: Policy) -> _Outcome:
    causes: dict[_Cause, list[Instance]] = {}
    skipped: NotApplicable | None = None
    error: str | None = None
    try:
        _require_evidence(rule, facts)
        for one in rule.check(facts, files, policy):
            cause = _Cause(one.message, one.severity or rule.severity)
            causes.setdefault(cause, []).append(Instance(one.symbol, one.arch, one.where))
    except NotApplicable as reason:
        skipped = reason
    except Exception as failure:  # noqa: BLE001 - one broken rule must not hide the others
        error = f"{type(failure).__name__}: {failure}"
    return _Outcome(rule=rule, path=facts.path, causes=causes, skipped=skipped, error=error)


def _require_evidence(rule: Rule, facts: ArtifactFacts) -> None:
    is_there: dict[Evidence, bool] = {
        "note": bool(facts.modules),
        "images": bool(facts.images),
        "wheel": facts.wheel is not None,
    }
    for need in rule.needs:
        if not is_there[need]:
            raise NotApplicable(_MISSING[need])


def _list_rules(
    by_rule: Mapping[str, list[_Outcome]], has: Callable[[_Outcome], bool]
) -> tuple[str, ...]:
    """List the rules with an outcome that has a property."""
    return tuple(rule_id for rule_id, of_rule in by_rule.items() if any(map(has, of_rule)))


def _skips(outcomes: list[_Outcome]) -> tuple[RuleNote, ...]:
    """Return why a rule was skipped: once if it judged no file, otherwise per file."""
    skipped = [o for o in outcomes if o.skipped]
    if skipped and len(skipped) == len(outcomes):
        reasons = dict.fromkeys(str(o.skipped) for o in skipped)
        return (RuleNote(rule=skipped[0].rule.id, reason="; ".join(reasons)),)
    # If other files have kernels, a file without them is normal. Missing evidence is not.
    return tuple(
        RuleNote(rule=o.rule.id, reason=f"{o.path}: {o.skipped}")
        for o in skipped
        if isinstance(o.skipped, LacksEvidence)
    )


def _summarize(outcomes: list[_Outcome], findings: tuple[Finding, ...]) -> tuple[RuleOutcome, ...]:
    """Return how each rule ended on each file. Waived findings do not count."""
    failed = {(f.rule, f.path) for f in findings if f.severity == "error"}
    return tuple(
        RuleOutcome(
            rule=o.rule.id,
            path=o.path,
            status=_status(o, (o.rule.id, o.path) in failed),
            reason=o.error or (str(o.skipped) if o.skipped else None),
        )
        for o in outcomes
    )


def _status(outcome: _Outcome, is_failed: bool) -> Status:
    if outcome.error:
        return "errored"
    if is_failed:
        return "failed"
    return "skipped" if outcome.skipped else "passed"


def _read_changes(policy: Policy) -> dict[str, Severity]:
    """Return the policy's severities by rule id. Check that the rules exist."""
    known = {rule.id: rule for rule in RULES}
    for change in policy.severities:
        if change.rule not in known:
            raise unknown_rule(change.rule)
        _require_reason(known[change.rule], change)
    for waiver in policy.waivers:
        if waiver.rule not in known:
            raise unknown_rule(waiver.rule)
    return {change.rule: change.severity for change in policy.severities}


def _require_reason(rule: Rule, change: SeverityChange) -> None:
    is_lowered = SEVERITIES.index(change.severity) < SEVERITIES.index(rule.severity)
    if is_lowered and change.reason is None:
        raise ConfigurationError(
            f"policy: lowering {rule.id} from {rule.severity!r} to {change.severity!r} requires a "
            f'reason; write {{ severity = "{change.severity}", reason = "..." }}'
        )


def _make_claim(
    outcome: _Outcome, cause: _Cause, instances: tuple[Instance, ...], changes: dict[str, Severity]
) -> Claim:
    rule = outcome.rule

    def state(instances: tuple[Instance, ...]) -> Finding:
        architectures = {one.arch for one in instances}
        return Finding(
            rule=rule.id,
            slug=rule.slug,
            severity=changes.get(rule.id) or cause.severity,
            path=outcome.path,
            symbol=next((one.symbol for one in instances if one.symbol is not None), None),
            arch=architectures.pop() if len(architectures) == 1 else None,
            message=fill_message(cause.message, instances),
            fix=rule.documentation.fix,
            count=len(instances),
            instances=instances,
        )

    return Claim(rule=rule.id, path=outcome.path, instances=instances, state=state)
