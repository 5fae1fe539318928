"""What the catalogue is made of: mutations, sound files, and how the verifier judges them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypedDict

from kbuild.inspect import inspect_path
from kbuild.verify import Policy, verify
from kbuild.verify.policy.model import Severity
from support.accuracy.build_env import Workshop
from support.accuracy.tools import Tool

Found: TypeAlias = frozenset[tuple[str, Severity]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one call of the verifier is given."""

    paths: tuple[Path, ...]
    policy: Policy | None = None
    today: dt.date | None = None


Build: TypeAlias = Callable[[Workshop], Case]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One way to break a good artifact, which raises ``rule`` and no other error.

    ``sound`` is the same artifact before that.  ``beside`` are infos and warnings that the
    broken one rightly has besides.
    """

    rule: str
    way: str
    broken: Build
    sound: Build
    severity: Severity = "error"
    needs: tuple[Tool, ...] = ()
    beside: Found = frozenset()

    @property
    def name(self) -> str:
        """What tests and tables call it."""
        return f"{self.rule}: {self.way}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """Files that a compiler makes when nobody asks for anything special."""

    producer: str
    name: str
    build: Build
    needs: tuple[Tool, ...] = ()

    @property
    def title(self) -> str:
        """What tests and tables call it."""
        return f"{self.producer}: {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the verifier said of a mutation and of its sound twin."""

    mutation: Mutation
    broken: Found
    sound: Found

    @property
    def is_caught(self) -> bool:
        """Whether the rule fired where it should, as severely as it should, and nowhere else."""
        rule = self.mutation.rule
        return (rule, self.mutation.severity) in self.broken and rule not in rules_of(self.sound)

    @property
    def other_errors(self) -> frozenset[str]:
        """The errors that nobody asked for: in the broken file, or any in the sound one."""
        return (errors_of(self.broken) - {self.mutation.rule}) | errors_of(self.sound)

    @property
    def unexplained(self) -> Found:
        """What else came with the mutation and is not listed there."""
        return self.broken - self.sound - self.mutation.beside - {self._expected}

    @property
    def _expected(self) -> tuple[str, Severity]:
        return self.mutation.rule, self.mutation.severity


class Pair(TypedDict):
    """The two files of a mutation, for ``Mutation(**pair)``."""

    broken: Build
    sound: Build


def under(
    policy: Policy | None, broken: Callable[[Workshop], Path], sound: Callable[[Workshop], Path]
) -> Pair:
    """Two files that are judged by one policy."""
    return Pair(
        broken=lambda w: Case(paths=(broken(w),), policy=policy),
        sound=lambda w: Case(paths=(sound(w),), policy=policy),
    )


def attempt(mutation: Mutation, workshop: Workshop) -> Trial:
    """Build both files of a mutation and have them judged."""
    return Trial(
        mutation=mutation,
        sound=judge(mutation.sound(workshop)),
        broken=judge(mutation.broken(workshop)),
    )


def judge(case: Case) -> Found:
    """(rule, severity) of all findings; a rule that crashes is a failure of its own."""
    artifacts = tuple(facts for path in case.paths for facts in inspect_path(path))
    report = verify(artifacts, case.policy, today=case.today)
    if report.rules_errored:
        raise AssertionError(f"{case.paths}: {report.rules_errored}")
    return frozenset((finding.rule, finding.severity) for finding in report.findings)


def rules_of(found: Found) -> frozenset[str]:
    return frozenset(rule for rule, _ in found)


def errors_of(found: Found) -> frozenset[str]:
    return frozenset(rule for rule, severity in found if severity == "error")
