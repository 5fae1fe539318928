"""Broken artifacts raise their rule and no other error, and sound ones raise none."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

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

# By default, one mutation of each rule is tried, and one sound file of each producer.
FIRST_MUTATIONS = {m.rule: m.name for m in reversed(MUTATIONS)}
FIRST_UNAIDED = {m.rule: m.name for m in reversed(MUTATIONS) if m.name in UNAIDED}
FIRST_SOUND = {s.producer: s.title for s in reversed(SOUND)}


def _mark(made: Mutation | Sound, *, is_slow: bool) -> list[pytest.MarkDecorator]:
    reason = missing(*made.needs)
    skip = pytest.mark.skipif(bool(reason), reason=reason or "the tools are there")
    return [skip, pytest.mark.slow] if is_slow else [skip]


def _mutations(first: dict[str, str], names: Container[str]) -> list[Any]:
    return [
        pytest.param(m, marks=_mark(m, is_slow=first[m.rule] != m.name), id=m.name)
        for m in MUTATIONS
        if m.name in names
    ]


def _is_slow(sound: Sound) -> bool:
    """Return whether other files stand for this one by default.

    Builds of kbuild are slow. Other tests verify what they build.
    """
    return sound.producer.startswith("kbuild ") or FIRST_SOUND[sound.producer] != sound.title


@pytest.mark.parametrize("mutation", _mutations(FIRST_MUTATIONS, {m.name for m in MUTATIONS}))
def test_mutation_raises_its_rule_and_no_other_error(
    build_env: BuildEnv, mutation: Mutation
) -> None:
    trial = attempt(mutation, build_env)

    assert trial.is_caught, trial
    assert trial.other_errors == frozenset(), trial
    assert trial.unexplained == frozenset(), trial


@pytest.mark.parametrize(
    "sound",
    [pytest.param(s, marks=_mark(s, is_slow=_is_slow(s)), id=s.title) for s in SOUND],
)
def test_sound_file_has_only_explained_errors(build_env: BuildEnv, sound: Sound) -> None:
    explained = {rule for title, rule in EXPLAINED if title == sound.title}

    assert errors_of(judge(sound.build(build_env))) == explained


@pytest.mark.parametrize("mutation", _mutations(FIRST_UNAIDED, UNAIDED))
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
