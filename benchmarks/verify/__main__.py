"""Measure the accuracy of `kbuild verify`: broken artifacts caught, and sound ones accepted.

The benchmark builds the artifacts of `tests/support/accuracy` in a temporary directory. It prints
the mutations by rule, then those faults that are errors without a note and without a policy, then
the sound files by producer. It exits with 1 if a mutation is not caught or raises other errors, or
if a sound file has an unexplained error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import describe_machine

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from support.accuracy.build_env import BuildEnv
from support.accuracy.catalog import AIDED, EXPLAINED, MUTATIONS, SOUND
from support.accuracy.model import Mutation, Sound, Trial, attempt, errors_of, judge
from support.accuracy.tools import missing

BY_RULE = f"{'rule':<14}{'ways':>7}{'caught':>9}{'other errors':>15}{'not tried':>12}"
BY_PRODUCER = f"{'producer':<14}{'files':>7}{'errors':>9}{'explained':>15}{'not tried':>12}"
# `--tiny` only uses files that need no tool other than gcc.
TINY_PRODUCER = "gcc"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScore:
    """The results of the mutations of a rule."""

    rule: str
    trials: tuple[Trial, ...]
    untried: int

    @property
    def caught(self) -> int:
        return sum(trial.is_caught for trial in self.trials)

    @property
    def other_errors(self) -> int:
        return sum(len(trial.other_errors) for trial in self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerScore:
    """The errors on the sound files of a producer. ``explained`` ones are true errors."""

    producer: str
    files: int
    errors: int
    explained: int
    untried: int


def score_rule(rule: str, mutations: Iterable[Mutation], build_env: BuildEnv) -> RuleScore:
    """Try the mutations for which the tools are installed, and print those that went wrong."""
    own = tuple(mutations)
    tried = tuple(m for m in own if not missing(*m.needs))
    trials = tuple(attempt(mutation, build_env) for mutation in tried)
    for trial in trials:
        if not trial.is_caught or trial.other_errors:
            found = f"{sorted(trial.broken)}, sound counterpart {sorted(trial.sound)}"
            print(f"{trial.mutation.name}: {found}", file=sys.stderr)
    return RuleScore(rule=rule, trials=trials, untried=len(own) - len(tried))


def score_producer(producer: str, sound: Iterable[Sound], build_env: BuildEnv) -> ProducerScore:
    """Verify the files for which the tools are installed, and print unexplained errors."""
    own = tuple(sound)
    tried = tuple(s for s in own if not missing(*s.needs))
    cases = {s.title: s.build(build_env) for s in tried}
    errors = [(title, rule) for title, c in cases.items() for rule in sorted(errors_of(judge(c)))]
    for title, rule in errors:
        if (title, rule) not in EXPLAINED:
            print(f"{title}: {rule}", file=sys.stderr)
    return ProducerScore(
        producer=producer,
        files=sum(len(case.paths) for case in cases.values()),
        errors=len(errors),
        explained=sum(error in EXPLAINED for error in errors),
        untried=len(own) - len(tried),
    )


def show_rules(mutations: Sequence[Mutation], build_env: BuildEnv) -> tuple[RuleScore, ...]:
    """Print a row for each rule as soon as it is known."""
    scores = []
    print(BY_RULE)
    for rule in dict.fromkeys(mutation.rule for mutation in mutations):
        score = score_rule(rule, (m for m in mutations if m.rule == rule), build_env)
        ways = len(score.trials)
        counts = f"{ways:>7}{score.caught:>9}{score.other_errors:>15}{score.untried:>12}"
        print(f"{rule:<14}{counts}", flush=True)
        scores.append(score)
    return tuple(scores)


def show_unaided(scores: Sequence[RuleScore]) -> None:
    """Print the faults that the verifier must find in files of other tools, by rule."""
    print(f"\n{'fault that neither a note nor a policy helps to find':<72}{'caught':>8}")
    for score in scores:
        for trial in score.trials:
            if trial.is_unaided and trial.mutation.severity == "error":
                print(f"{trial.mutation.name:<72}{'yes' if trial.is_caught else 'NO':>8}")
    for rule in (score.rule for score in scores):
        if rule in AIDED:
            print(f"{rule}: no error without a note or a policy: {AIDED[rule]}")


def show_producers(sound: Sequence[Sound], build_env: BuildEnv) -> tuple[ProducerScore, ...]:
    """Print a row for each producer of sound files as soon as it is known."""
    scores = []
    print(f"\n{BY_PRODUCER}")
    for producer in dict.fromkeys(s.producer for s in sound):
        score = score_producer(producer, (s for s in sound if s.producer == producer), build_env)
        counts = f"{score.files:>7}{score.errors:>9}{score.explained:>15}{score.untried:>12}"
        print(f"{producer:<14}{counts}", flush=True)
        scores.append(score)
    return tuple(scores)


def summarize(rules: Sequence[RuleScore], producers: Sequence[ProducerScore]) -> bool:
    """Print the totals; return whether every mutation is caught without a false positive."""
    ways = sum(len(score.trials) for score in rules)
    caught = sum(score.caught for score in rules)
    others = sum(score.other_errors for score in rules)
    files = sum(score.files for score in producers)
    wrong = sum(score.errors - score.explained for score in producers)
    if ways:
        share = 100 * caught / ways
        print(f"\nmutation score: {share:.1f} % ({caught} of {ways}), {others} other errors")
    if files:
        print(f"false positives: {wrong} in {files} files")
    return caught == ways and others == wrong == 0


def select(words: Sequence[str], *, tiny: bool) -> tuple[list[Mutation], list[Sound]]:
    """Select the rules and producers that start with one of the words; no words select all."""
    mutations = [m for m in MUTATIONS if not words or m.rule.startswith(tuple(words))]
    sound = [s for s in SOUND if not words or s.producer.startswith(tuple(words))]
    if tiny:
        first = {m.rule: m for m in reversed(mutations) if not m.needs}
        mutations = [m for m in mutations if first.get(m.rule) is m]
        sound = [s for s in sound if s.producer == TINY_PRODUCER]
    return mutations, sound


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="use one mutation per rule, and only gcc"
    )
    parser.add_argument(
        "select", nargs="*", help="prefixes of rule ids or producers (default: all)"
    )
    arguments = parser.parse_args()
    mutations, sound = select(arguments.select, tiny=arguments.tiny)
    if not mutations and not sound:
        parser.error(f"no rule or producer starts with: {' '.join(arguments.select)}")
    print(describe_machine())
    with tempfile.TemporaryDirectory() as directory:
        build_env = BuildEnv(directory=Path(directory))
        scores = show_rules(mutations, build_env)
        show_unaided(scores)
        is_met = summarize(scores, show_producers(sound, build_env))
    needs = {tool for made in (*mutations, *sound) for tool in made.needs}
    for reason in sorted({missing(tool) for tool in needs} - {""}):
        print(f"not tried: {reason}")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
