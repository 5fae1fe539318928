from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kbuild.errors import ConfigurationError
from kbuild.facts import ArtifactFacts
from kbuild.verify import Policy, select_rules, verify
from kbuild.verify.catalog import RULES
from kbuild.verify.file_set import FileSet
from kbuild.verify.policy.model import SEVERITIES, SeverityChange
from kbuild.verify.report import Instance
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS
from support.facts.build_facts import sound_facts

FACTS = sound_facts()


@rule("KB999", "made-up", severity="error", needs=())
def finds(facts: ArtifactFacts) -> Iterator[Violation]:
    """Something is found.

    Why: Because.

    Fix: Do it.

    Source: Nowhere.
    """
    yield Violation(message=f"in {facts.path}")


def _raising(error: Exception) -> Rule:
    def check(_facts: ArtifactFacts, _files: FileSet, _policy: Policy) -> Iterator[Violation]:
        yield Violation(message="before")
        raise error

    return replace(finds, check=check)


def test_finding_carries_rule_and_path() -> None:
    (finding,) = verify((FACTS,), rules=(finds,)).findings
    assert (finding.rule, finding.slug, finding.severity) == ("KB999", "made-up", "error")
    assert (finding.path, finding.message, finding.fix) == (
        "libdemo.so",
        "in libdemo.so",
        "Do it.",
    )


def test_violations_of_one_cause_are_one_finding_per_file() -> None:
    def check(_facts: ArtifactFacts, _files: FileSet, _policy: Policy) -> Iterator[Violation]:
        for n in range(100_000):
            cause = f"lost: {KERNELS}" if n % 2 else f"found: {KERNELS}"
            yield Violation(message=cause, symbol=f"k{n // 2}", arch="sm_90", where="a.cu")
        yield Violation(message=f"lost: {KERNELS}", symbol="other", severity="info")

    files = (FACTS, replace(FACTS, path="b.so"))
    report = verify(files, rules=(replace(finds, check=check),))
    assert [(f.path, f.severity, f.count, f.symbol, f.arch) for f in report.findings] == [
        (path, severity, count, symbol, arch)
        for path in ("libdemo.so", "b.so")
        for severity, count, symbol, arch in (
            ("error", 50_000, "k0", "sm_90"),
            ("error", 50_000, "k0", "sm_90"),
            ("info", 1, "other", None),
        )
    ]
    found, lost, _ = report.findings[:3]
    assert found.message == "found: k0, k1, k2 and 49997 more"
    assert lost.message == "lost: k0, k1, k2 and 49997 more"
    assert found.instances[7] == Instance("k7", "sm_90", "a.cu")


def test_warnings_and_infos_are_ok() -> None:
    for severity in SEVERITIES:
        is_ok = severity != "error"
        assert verify((FACTS,), rules=(replace(finds, severity=severity),)).ok is is_ok


def test_rule_over_several_files_judges_each() -> None:
    def check(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
        others = [other.path for other in files.files if other is not facts]
        yield Violation(message=f"beside {', '.join(others)}")

    check.__doc__ = "Summary.\n\nWhy: x\n\nFix: x\n\nSource: x"
    beside = rule("KB999", "made-up", severity="error", needs=())(check)
    report = verify((FACTS, replace(FACTS, path="b.so")), rules=(beside,))
    assert [(f.path, f.message) for f in report.findings] == [
        ("libdemo.so", "beside b.so"),
        ("b.so", "beside libdemo.so"),
    ]


def test_raising_rule_is_errored_and_the_others_still_run() -> None:
    other = replace(finds, id="KB998", severity="info")
    report = verify((FACTS,), rules=(_raising(ZeroDivisionError("oops")), other))
    (note,) = report.rules_errored
    assert note.rule == "KB999"
    assert "oops" in note.reason
    assert not report.ok
    assert "KB998" in report.rules_run


def test_inapplicable_rule_is_skipped_not_run() -> None:
    def check(_facts: ArtifactFacts, _files: FileSet, _policy: Policy) -> Iterator[Violation]:
        raise NotApplicable("nothing here")

    report = verify((FACTS,), rules=(replace(finds, check=check),))
    assert report.rules_run == ()
    assert [note.reason for note in report.rules_skipped] == ["nothing here"]


def test_missing_evidence_skips_with_its_reason() -> None:
    foreign = replace(FACTS, modules=(), images=())
    report = verify((foreign,), rules=(replace(finds, needs=("note",)),))
    assert report.rules_run == ()
    assert [n.reason for n in report.rules_skipped] == ["no readable .note.kbuild"]


def test_file_with_nothing_to_judge_beside_one_with_is_not_reported() -> None:
    foreign = replace(FACTS, path="main.o", modules=())
    report = verify((FACTS, foreign), rules=(replace(finds, needs=("note",)),))
    assert report.rules_run == ("KB999",)
    assert report.rules_skipped == ()


def test_lacking_evidence_of_one_file_is_reported_with_its_path() -> None:
    def check(facts: ArtifactFacts, _files: FileSet, _policy: Policy) -> Iterator[Violation]:
        yield Violation(message="seen")
        if facts.path == "stripped.so":
            raise LacksEvidence("stripped")

    stripped = replace(FACTS, path="stripped.so")
    report = verify((FACTS, stripped), rules=(replace(finds, check=check),))
    assert len(report.findings) == 2
    assert [note.reason for note in report.rules_skipped] == ["stripped.so: stripped"]


def test_outcome_of_every_rule_and_file() -> None:
    def lacks(_facts: ArtifactFacts, _files: FileSet, _policy: Policy) -> Iterator[Violation]:
        yield Violation(message="seen", severity="info")
        raise LacksEvidence("stripped")

    rules = (
        finds,
        replace(finds, id="KB998", severity="warning"),
        replace(_raising(KeyError("oops")), id="KB997"),
        replace(_raising(LacksEvidence("stripped")), id="KB996"),
        replace(finds, id="KB995", check=lacks),
    )
    outcomes = verify((FACTS, replace(FACTS, path="b.so")), rules=rules).outcomes
    half = [
        ("KB999", "failed", None),
        ("KB998", "passed", None),
        ("KB997", "errored", "KeyError: 'oops'"),
        ("KB996", "failed", "stripped"),
        ("KB995", "skipped", "stripped"),
    ]
    assert [(o.rule, o.status, o.reason) for o in outcomes] == half * 2
    assert [o.path for o in outcomes] == ["libdemo.so"] * 5 + ["b.so"] * 5


def test_outcome_follows_the_severity_of_the_policy() -> None:
    facts = replace(FACTS, images=FACTS.images[:1])
    change = SeverityChange(rule="KB101", severity="info", reason="known")
    for policy, status in ((Policy(), "failed"), (Policy(severities=(change,)), "passed")):
        assert verify((facts,), policy, select_rules(["KB101"])).outcomes[0].status == status


def test_policy_changes_severity() -> None:
    facts = replace(FACTS, images=FACTS.images[:1])
    change = SeverityChange(rule="KB101", severity="warning", reason="known")
    report = verify((facts,), Policy(severities=(change,)))
    assert [finding.severity for finding in report.findings] == ["warning"]
    assert report.ok


def test_lowering_a_severity_without_a_reason_is_rejected() -> None:
    change = SeverityChange(rule="KB101", severity="info")
    with pytest.raises(ConfigurationError, match="requires a reason"):
        verify((FACTS,), Policy(severities=(change,)))


def test_policy_for_an_unknown_rule_is_rejected() -> None:
    change = SeverityChange(rule="KB110x", severity="error")
    with pytest.raises(ConfigurationError, match="did you mean"):
        verify((FACTS,), Policy(severities=(change,)))


def test_equal_input_gives_equal_report() -> None:
    facts = replace(FACTS, images=FACTS.images[:1])
    assert verify((facts, facts)) == verify((facts, facts))


def test_findings_follow_files_then_rules() -> None:
    second = replace(FACTS, path="b.so")
    rules = (replace(finds, id="KB002"), replace(finds, id="KB001"))
    findings = verify((FACTS, second), rules=rules).findings
    assert [(f.path, f.rule) for f in findings] == [
        ("libdemo.so", "KB002"),
        ("libdemo.so", "KB001"),
        ("b.so", "KB002"),
        ("b.so", "KB001"),
    ]


def test_selection_by_prefix() -> None:
    assert {r.id for r in select_rules(["KB30"])} == {f"KB30{n}" for n in range(1, 10)}
    assert {r.id for r in select_rules(["KB30"], ["KB30"])} == set()
    assert {r.id for r in select_rules(["KB3"])} == {r.id for r in RULES if r.id[:3] == "KB3"}
    assert "KB101" not in {r.id for r in select_rules([], ["KB101"])}
    assert select_rules() == RULES


@pytest.mark.parametrize("prefix", ["KB9", "", "kb1", "missing-handle"])
def test_unknown_prefix_is_rejected(prefix: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown rule"):
        select_rules([prefix])
    with pytest.raises(ConfigurationError, match="unknown rule"):
        select_rules([], [prefix])


def test_ids_and_slugs_are_unique_and_ordered() -> None:
    ids = [r.id for r in RULES]
    assert ids == sorted(set(ids))
    assert len({r.slug for r in RULES}) == len(RULES)


@pytest.mark.parametrize("lacking", ["Why", "Fix", "Source"])
def test_rule_without_a_heading_cannot_be_declared(lacking: str) -> None:
    sections = "\n\n".join(f"{h}: x" for h in ("Why", "Fix", "Source") if h != lacking)

    def check(_facts: ArtifactFacts) -> Iterator[Violation]:
        yield from ()

    check.__doc__ = f"Summary.\n\n{sections}"
    with pytest.raises(ValueError, match=lacking):
        rule("KB999", "made-up", severity="error", needs=())(check)


def test_rule_without_docstring_cannot_be_declared() -> None:
    def check(_facts: ArtifactFacts) -> Iterator[Violation]:
        yield from ()

    with pytest.raises(ValueError, match="KB999"):
        rule("KB999", "made-up", severity="error", needs=())(check)
