"""Broken artifacts raise their rule and no other error, and sound ones raise none."""

from __future__ import annotations

import pytest

from kbuild.verify.catalog import RULES
from support.accuracy.build_env import BuildEnv
from support.accuracy.catalog import (
    AIDED,
    EXPLAINED,
    FEWER,
    MUTATIONS,
    SOUND,
    UNAIDED,
    WAYS,
    count_ways,
)
from support.accuracy.model import Mutation, Sound, attempt, errors_of, judge
from support.accuracy.tools import missing
from support.commands import ROOT


def _skip(made: Mutation | Sound) -> pytest.MarkDecorator:
    reason = missing(*made.needs)
    return pytest.mark.skipif(bool(reason), reason=reason or "the tools are there")


@pytest.mark.parametrize(
    "mutation", [pytest.param(m, marks=_skip(m), id=m.name) for m in MUTATIONS]
)
def test_mutation_raises_its_rule_and_no_other_error(
    build_env: BuildEnv, mutation: Mutation
) -> None:
    trial = attempt(mutation, build_env)

    assert trial.is_caught, trial
    assert trial.other_errors == frozenset(), trial
    assert trial.unexplained == frozenset(), trial


def _mark(sound: Sound) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a sound file.

    Builds of kbuild are slow. Other tests verify what they build.
    """
    is_slow = sound.producer.startswith("kbuild ")
    return (_skip(sound), pytest.mark.slow) if is_slow else (_skip(sound),)


@pytest.mark.parametrize("sound", [pytest.param(s, marks=_mark(s), id=s.title) for s in SOUND])
def test_sound_file_has_only_explained_errors(build_env: BuildEnv, sound: Sound) -> None:
    explained = {rule for title, rule in EXPLAINED if title == sound.title}

    assert errors_of(judge(sound.build(build_env))) == explained


@pytest.mark.parametrize(
    "mutation", [pytest.param(m, marks=_skip(m), id=m.name) for m in MUTATIONS if m.name in UNAIDED]
)
def test_fault_is_an_error_without_a_note_and_without_a_policy(
    build_env: BuildEnv, mutation: Mutation
) -> None:
    trial = attempt(mutation, build_env)

    assert (trial.is_unaided, trial.is_caught) == (True, True)
    assert mutation.severity == "error"


def test_every_error_rule_catches_faults_of_other_tools_or_says_why_not() -> None:
    erring = {rule.id for rule in RULES if rule.severity == "error"}
    unaided = {m.rule for m in MUTATIONS if m.name in UNAIDED}

    assert set(UNAIDED) <= {m.name for m in MUTATIONS}
    assert unaided | set(AIDED) == erring
    assert not unaided & set(AIDED)


def test_page_on_error_rates_lists_the_faults_and_the_reasons() -> None:
    page = (ROOT / "docs" / "explanation" / "error-rates.md").read_text(encoding="utf-8")

    for name in UNAIDED:
        assert name.partition(": ")[2] in page
    for rule, reason in AIDED.items():
        assert f"| {rule} | {reason} |" in page


def test_every_rule_has_enough_mutations() -> None:
    ways = count_ways()

    assert set(ways) == {rule.id for rule in RULES}
    assert {rule for rule, count in ways.items() if count < WAYS} == set(FEWER)


def test_mutation_names_are_unique_and_start_with_a_rule() -> None:
    for names in ([m.name for m in MUTATIONS], [s.title for s in SOUND]):
        assert len(names) == len(set(names))
    assert {title for title, _ in EXPLAINED} <= {sound.title for sound in SOUND}


def test_every_error_rule_has_a_mutation_with_an_error() -> None:
    erring = {rule.id for rule in RULES if rule.severity == "error"}

    assert erring <= {m.rule for m in MUTATIONS if m.severity == "error"}
