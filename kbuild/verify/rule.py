"""Define a rule: a pure function over facts, with an id, a severity, and documentation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, TypeAlias, cast

from kbuild.facts import ArtifactFacts
from kbuild.values import dataclass
from kbuild.verify.file_set import FileSet
from kbuild.verify.policy.model import Policy, Severity

# The parts that a file must have before a rule can judge it.
Evidence: TypeAlias = Literal["note", "images", "wheel"]

# The kinds of files that a linker created.
LINKED: Final = ("shared-object", "executable")

_HEADINGS: Final = ("Why", "Fix", "Source")
_SECTION: Final = re.compile(rf"^({'|'.join(_HEADINGS)}):\s*", re.MULTILINE)


class NotApplicable(Exception):  # noqa: N818 - an answer, not an error
    """Raised by a rule if the file contains nothing that the rule could judge."""


class LacksEvidence(NotApplicable):
    """Raised by a rule if the file does not show enough to judge all of it.

    The violations that the rule yielded before stay in the report, which also says what the
    rule could not see.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One occurrence of a problem that a rule found.

    The engine adds the rule's id and fix, and the file's path. It makes one finding of all
    violations in a file that have the same message and severity.

    Attributes:
        message: The cause of the problem. It contains `KERNELS`, `ARCHITECTURES`, `PLACES`, or
            `EXAMPLES` of `kbuild.verify.wording` instead of what differs between the
            occurrences.
        symbol: The symbol that the problem is about, or None.
        arch: The architecture that the problem is about, or None.
        where: The place in the file, or the value of a figure; or None.
        severity: The severity, or None for the severity of the rule.
    """

    message: str
    symbol: str | None = None
    arch: str | None = None
    where: str | None = None
    severity: Severity | None = None


Violations: TypeAlias = Iterator[Violation]
Check: TypeAlias = Callable[[ArtifactFacts, FileSet, Policy], Violations]
# The parameters of a rule's function in addition to the facts of one file: `files`, `policy`.
DeclaredCheck: TypeAlias = (
    Callable[[ArtifactFacts], Violations]
    | Callable[[ArtifactFacts, FileSet], Violations]
    | Callable[[ArtifactFacts, Policy], Violations]
    | Callable[[ArtifactFacts, FileSet, Policy], Violations]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Documentation:
    """The docstring of a rule, with each paragraph on one line."""

    summary: str
    why: str
    fix: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of the verifier.

    ``needs`` is what a file must have for the rule to judge it. ``is_joint`` tells whether the rule
    is about files that do not fit together. Then it also judges the libraries that they load.
    """

    id: str
    slug: str
    severity: Severity
    needs: tuple[Evidence, ...]
    documentation: Documentation
    check: Check
    is_joint: bool = False


def rule(
    rule_id: str,
    slug: str,
    *,
    severity: Severity,
    needs: tuple[Evidence, ...],
    is_joint: bool = False,
) -> Callable[[DeclaredCheck], Rule]:
    """Make a `Rule` of a function that yields the violations in one file.

    The function takes the facts of the file. A second parameter named ``files`` receives the
    `FileSet` that the file belongs to, and one named ``policy`` the policy. A rule over
    several files still judges one file at a time, so that each violation belongs to the file
    that must change.
    """

    def decorate(check: DeclaredCheck) -> Rule:
        extras = tuple(inspect.signature(check).parameters)[1:]
        if not {*extras} <= {"files", "policy"}:
            raise TypeError(f"rule {rule_id}: expected 'files' or 'policy', found {extras}")
        call = cast("Callable[..., Violations]", check)

        def run(facts: ArtifactFacts, files: FileSet, policy: Policy) -> Violations:
            available: dict[str, Any] = {"files": files, "policy": policy}
            return call(facts, *(available[name] for name in extras))

        return Rule(
            id=rule_id,
            slug=slug,
            severity=severity,
            needs=needs,
            documentation=_parse_docstring(rule_id, check.__doc__),
            check=run,
            is_joint=is_joint,
        )

    return decorate


def _parse_docstring(rule_id: str, docstring: str | None) -> Documentation:
    """Return the summary and the sections of a rule's docstring.

    Raises:
        ValueError: One of them is missing, so the rule's module cannot be imported.
    """
    summary, *parts = _SECTION.split(inspect.cleandoc(docstring or ""))
    sections = {
        heading: _unwrap(text) for heading, text in zip(parts[::2], parts[1::2], strict=True)
    }
    missing = [heading for heading in _HEADINGS if not sections.get(heading)]
    if missing or not summary.strip():
        lacking = ", ".join(missing) or "summary"
        raise ValueError(f"rule {rule_id}: the docstring has no {lacking}")
    return Documentation(
        summary=_unwrap(summary),
        why=sections["Why"],
        fix=sections["Fix"],
        source=sections["Source"],
    )


def _unwrap(text: str) -> str:
    """Return a section with each paragraph on one line."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
