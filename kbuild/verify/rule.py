"""What a rule is: a pure function over facts with an id, a severity and its documentation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.policy.model import Policy, Severity

# What a rule needs to see before it can say anything about a file.
Evidence: TypeAlias = Literal["note", "images"]

# Stands in a violation's message for the names of its kernels.
KERNELS: Final = "{kernels}"

_HEADINGS: Final = ("Why", "Fix", "Source")
_SECTION: Final = re.compile(rf"^({'|'.join(_HEADINGS)}):\s*", re.MULTILINE)


class NotApplicable(Exception):  # noqa: N818 - an answer, not an error
    """Raised by a rule: this file holds nothing that it could judge."""


class LacksEvidence(NotApplicable):
    """Raised by a rule: there is something to judge, but the file does not show enough.

    What the rule yielded before stays; the report says that it could not see the rest.
    """


class KernelName(NamedTuple):
    """A kernel's symbol, and its name for people."""

    symbol: str
    display: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What a rule found.  The engine adds the rule's id, its fix and the file's path.

    ``severity`` is for rules that know two; None means the rule's own.  A violation that
    speaks of several kernels lists them in ``kernels``, and its message has
    `KERNELS` where their names go: where a waiver hides some of them, it is of the others.
    ``restate`` makes the message of some of them, where it is not a list of names.
    """

    message: str
    symbol: str | None = None
    arch: str | None = None
    severity: Severity | None = None
    kernels: tuple[KernelName, ...] = ()
    restate: Callable[[tuple[str, ...]], str] | None = None


def name_kernels(symbols: Iterable[str]) -> tuple[KernelName, ...]:
    """The kernels of these symbols, each once, under their demangled names."""
    return tuple(KernelName(symbol, demangle(symbol)) for symbol in dict.fromkeys(symbols))


Check: TypeAlias = Callable[[ArtifactFacts, FileSet, Policy], Iterator[Violation]]
SetCheck: TypeAlias = Callable[[ArtifactFacts, FileSet], Iterator[Violation]]
PolicyCheck: TypeAlias = Callable[[ArtifactFacts, Policy], Iterator[Violation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """What a rule's docstring says, its line breaks undone."""

    summary: str
    why: str
    fix: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A verifier rule.  ``needs`` is what a file must have for the rule to judge it."""

    id: str
    slug: str
    severity: Severity
    needs: tuple[Evidence, ...]
    documentation: Documentation
    check: Check


def rule(
    rule_id: str, slug: str, *, severity: Severity, needs: tuple[Evidence, ...]
) -> Callable[[Callable[[ArtifactFacts], Iterator[Violation]]], Rule]:
    """Make a Rule of a function over the facts of one file."""

    def decorate(check: Callable[[ArtifactFacts], Iterator[Violation]]) -> Rule:
        documentation = _parse_docstring(rule_id, check.__doc__)
        return Rule(
            id=rule_id,
            slug=slug,
            severity=severity,
            needs=needs,
            documentation=documentation,
            check=lambda facts, _files, _policy: check(facts),
        )

    return decorate


def set_rule(
    rule_id: str, slug: str, *, severity: Severity, needs: tuple[Evidence, ...]
) -> Callable[[SetCheck], Rule]:
    """Make a Rule of a function over the facts of one file and all files of the call.

    It judges each file in turn, so that a violation belongs to the file that has to
    change, and so does a reason for not judging.
    """

    def decorate(check: SetCheck) -> Rule:
        documentation = _parse_docstring(rule_id, check.__doc__)
        return Rule(
            id=rule_id,
            slug=slug,
            severity=severity,
            needs=needs,
            documentation=documentation,
            check=lambda facts, files, _policy: check(facts, files),
        )

    return decorate


def policy_rule(
    rule_id: str, slug: str, *, severity: Severity, needs: tuple[Evidence, ...]
) -> Callable[[PolicyCheck], Rule]:
    """Make a Rule of a function over the facts of one file and the policy."""

    def decorate(check: PolicyCheck) -> Rule:
        documentation = _parse_docstring(rule_id, check.__doc__)
        return Rule(
            id=rule_id,
            slug=slug,
            severity=severity,
            needs=needs,
            documentation=documentation,
            check=lambda facts, _files, policy: check(facts, policy),
        )

    return decorate


def _parse_docstring(rule_id: str, docstring: str | None) -> Documentation:
    """The summary and the sections; a rule without all of them cannot be imported."""
    summary, *parts = _SECTION.split(inspect.cleandoc(docstring or ""))
    sections = {
        heading: _unwrap(text) for heading, text in zip(parts[::2], parts[1::2], strict=True)
    }
    missing = [heading for heading in _HEADINGS if not sections.get(heading)]
    if missing or not summary.strip():
        lacking = ", ".join(missing) or "summary"
        raise ValueError(f"rule {rule_id}: its docstring has no {lacking}")
    return Documentation(
        summary=_unwrap(summary),
        why=sections["Why"],
        fix=sections["Fix"],
        source=sections["Source"],
    )


def _unwrap(text: str) -> str:
    """A section without its line breaks, paragraphs kept apart."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
