"""KB0xx: what a project has to keep up: its waivers and its baseline.

Whether a waiver hides anything shows once all rules have run, so that the engine raises the
first two itself (`kbuild.verify.policy.waivers`); they are here to be documented and selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts
from kbuild.verify.figures import measure
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, policy_rule


@policy_rule("KB001", "expired-waiver", severity="error", needs=())
def expired_waiver(_facts: ArtifactFacts, _policy: Policy) -> Iterator[Violation]:
    """No waiver of the policy is past its last day.

    Why: A waiver is a promise to mend something by a day. From the next day on it hides
        nothing any more: what it hid counts again.

    Fix: Mend what it hides, or decide again: write a new `expires` and a reason that still
        holds.

    Source: cuml#1658: exceptions that nobody looks at again make a check worthless.
    """
    yield from ()


@policy_rule("KB002", "unused-waiver", severity="warning", needs=())
def unused_waiver(_facts: ArtifactFacts, _policy: Policy) -> Iterator[Violation]:
    """Every waiver of the policy hides a finding.

    Why: One that hides nothing is mended, misspelt, or waits to hide a new defect of the
        same kind that somebody should see. Waivers for files that are not part of the call,
        and for rules that could judge nothing, are not judged.

    Fix: Remove it, or correct its globs. Name `files` in it if one policy serves several
        calls.

    Source: the same rule of linters, as in ruff's RUF100 and mypy's warn_unused_ignores.
    """
    yield from ()


@policy_rule("KB003", "baseline-outdated", severity="info", needs=("images",))
def baseline_outdated(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The baseline knows the kernels that the file has, and no others.

    Why: Nothing keeps the figures of a kernel from getting worse that the baseline does not
        know; one that is gone was renamed, or left out by mistake.

    Fix: Look whether the change is meant, and write the baseline anew:
        `kbuild verify --write-baseline FILE PATH...`.

    Source: cuml#1658.
    """
    if policy.baseline is None:
        raise NotApplicable("no baseline was given")
    figures = measure(facts)
    known = policy.baseline.find(figures.file)
    if known is None:
        yield Violation(message=f"{figures.file} is not in {policy.baseline.source}")
        return
    before = {(kernel.kernel, kernel.arch) for kernel in known.kernels}
    after = {(kernel.kernel, kernel.arch) for kernel in figures.kernels}
    for changed, what in ((after - before, "new"), (before - after, "gone")):
        architectures: dict[str, list[str]] = {}
        for kernel, arch in sorted(changed):
            architectures.setdefault(kernel, []).append(arch)
        for kernel, found in architectures.items():
            yield Violation(
                message=f"{demangle(kernel)} is {what} on {', '.join(found)}", symbol=kernel
            )


RULES: Final[tuple[Rule, ...]] = (expired_waiver, unused_waiver, baseline_outdated)
