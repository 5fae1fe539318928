"""Broken artifacts raise their rule and no other error; sound ones raise none."""

from __future__ import annotations

import pytest

from kbuild.verify.catalogue import RULES
from support.accuracy.build_env import Workshop
from support.accuracy.catalogue import EXPLAINED, FEWER, MUTATIONS, SOUND, WAYS, count_ways
from support.accuracy.model import Mutation, Sound, attempt, errors_of, judge
from support.accuracy.tools import missing


def _skip(made: Mutation | Sound) -> pytest.MarkDecorator:
    reason = missing(*made.needs)
    return pytest.mark.skipif(bool(reason), reason=reason or "the tools are there")


@pytest.mark.parametrize(
    "mutation", [pytest.param(m, marks=_skip(m), id=m.name) for m in MUTATIONS]
)
def test_mutation_raises_its_rule_and_no_other_error(
    workshop: Workshop, mutation: Mutation
) -> None:
    trial = attempt(mutation, workshop)

    assert trial.is_caught, trial
    assert trial.other_errors == frozenset(), trial
    assert trial.unexplained == frozenset(), trial


@pytest.mark.parametrize("sound", [pytest.param(s, marks=_skip(s), id=s.title) for s in SOUND])
def test_sound_file_has_no_errors_but_true_ones(workshop: Workshop, sound: Sound) -> None:
    explained = {rule for title, rule in EXPLAINED if title == sound.title}

    assert errors_of(judge(sound.build(workshop))) == explained


def test_every_rule_is_broken_in_so_many_ways() -> None:
    ways = count_ways()

    assert set(ways) == {rule.id for rule in RULES}
    assert {rule for rule, count in ways.items() if count < WAYS} == set(FEWER)


def test_names_are_unique_and_those_of_rules() -> None:
    for names in ([m.name for m in MUTATIONS], [s.title for s in SOUND]):
        assert len(names) == len(set(names))
    assert {title for title, _ in EXPLAINED} <= {sound.title for sound in SOUND}


def test_rule_that_errs_is_an_error_in_a_mutation_at_least_once() -> None:
    erring = {rule.id for rule in RULES if rule.severity == "error"}

    assert erring <= {m.rule for m in MUTATIONS if m.severity == "error"}
