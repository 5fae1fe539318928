"""The parts of the catalog: mutations, sound files, and how the verifier judges them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias, TypedDict

from kbuild.cli.wheels import read_wheels
from kbuild.facts import ArtifactFacts
from kbuild.inspect import inspect_path
from kbuild.verify import Policy, verify
from kbuild.verify.policy.model import Severity
from support.accuracy.build_env import BuildEnv
from support.accuracy.tools import Tool

Found: TypeAlias = frozenset[tuple[str, Severity]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The input of one call of the verifier."""

    paths: tuple[Path, ...]
    policy: Policy | None = None
    today: dt.date | None = None


Build: TypeAlias = Callable[[BuildEnv], Case]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One way to break a good artifact, which raises ``rule`` and no other error.

    ``sound`` is the artifact before the change. ``beside`` are other infos and warnings that
    the broken artifact correctly has.
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
        """Return its name in tests and tables."""
        return f"{self.rule}: {self.way}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """Files that a compiler creates with ordinary options."""

    producer: str
    name: str
    build: Build
    needs: tuple[Tool, ...] = ()

    @property
    def title(self) -> str:
        """Return its name in tests and tables."""
        return f"{self.producer}: {self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The findings in a mutation and in the sound artifact.

    ``is_unaided`` tells whether only the files themselves show the fault: none of the broken
    files has a note, and no policy says what is expected of them.
    """

    mutation: Mutation
    broken: Found
    sound: Found
    is_unaided: bool

    @property
    def is_caught(self) -> bool:
        """Return whether only the broken artifact raises the rule, with the right severity."""
        rule = self.mutation.rule
        return (rule, self.mutation.severity) in self.broken and rule not in rules_of(self.sound)

    @property
    def other_errors(self) -> frozenset[str]:
        """Return unexpected errors in the broken artifact, and all errors in the sound one."""
        return (errors_of(self.broken) - {self.mutation.rule}) | errors_of(self.sound)

    @property
    def unexplained(self) -> Found:
        """Return the findings of the mutation that it does not list."""
        return self.broken - self.sound - self.mutation.beside - {self._expected}

    @property
    def _expected(self) -> tuple[str, Severity]:
        return self.mutation.rule, self.mutation.severity


class Pair(TypedDict):
    """The two files of a mutation, for ``Mutation(**pair)``."""

    broken: Build
    sound: Build


def under(
    policy: Policy | None, broken: Callable[[BuildEnv], Path], sound: Callable[[BuildEnv], Path]
) -> Pair:
    """Return two files that are judged by the same policy."""
    return Pair(
        broken=lambda w: Case(paths=(broken(w),), policy=policy),
        sound=lambda w: Case(paths=(sound(w),), policy=policy),
    )


@cache  # two tests look at some mutations
def attempt(mutation: Mutation, build_env: BuildEnv) -> Trial:
    """Build both files of a mutation and verify them."""
    case = mutation.broken(build_env)
    broken = _inspect(case)
    return Trial(
        mutation=mutation,
        sound=judge(mutation.sound(build_env)),
        broken=_judge(case, broken),
        is_unaided=case.policy is None and not any(f.modules or f.note_problems for f in broken),
    )


@cache  # many mutations have the same sound artifact, and nothing changes it
def judge(case: Case) -> Found:
    """Return the rule and severity of all findings. Fail if a rule raises an exception."""
    return _judge(case, _inspect(case))


def _inspect(case: Case) -> tuple[ArtifactFacts, ...]:
    found = tuple(facts for path in case.paths for facts in inspect_path(path))
    return (*found, *read_wheels(case.paths, found, case.policy))


def _judge(case: Case, artifacts: tuple[ArtifactFacts, ...]) -> Found:
    report = verify(artifacts, case.policy, today=case.today)
    if report.rules_errored:
        raise AssertionError(f"{case.paths}: {report.rules_errored}")
    return frozenset((finding.rule, finding.severity) for finding in report.findings)


def rules_of(found: Found) -> frozenset[str]:
    return frozenset(rule for rule, _ in found)


def errors_of(found: Found) -> frozenset[str]:
    return frozenset(rule for rule, severity in found if severity == "error")
