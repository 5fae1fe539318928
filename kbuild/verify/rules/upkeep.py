"""KB001 to KB003: a project's waivers and its baseline must be up to date.

The engine raises the first two itself, because only the findings of all rules show whether
a waiver hides any (`kbuild.verify.policy.waivers`). They are declared here so that they are
documented and can be selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.figures import measure
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import EXAMPLES


@rule("KB001", "expired-waiver", severity="error", needs=())
def expired_waiver(_facts: ArtifactFacts) -> Iterator[Violation]:
    """No waiver of the policy has expired.

    Why: A waiver is a promise to fix a problem by a date. After that day it hides nothing, and
        the findings count again.

    Fix: Fix the problem, or decide again: write a new `expires` date and a reason that is
        still true.

    Source: cuml#1658: a check is worthless if nobody reviews its exceptions.
    """
    yield from ()


@rule("KB002", "unused-waiver", severity="warning", needs=())
def unused_waiver(_facts: ArtifactFacts) -> Iterator[Violation]:
    """Every waiver of the policy hides a finding.

    Why: A waiver that hides nothing is obsolete or misspelled, or it would hide a new defect
        that somebody should see. Waivers for files outside the call, and for rules that could
        not judge anything, are not reported.

    Fix: Remove it, or correct its patterns. If one policy serves several calls, name `files` in
        the waiver.

    Source: linters have the same rule, such as RUF100 of ruff and warn_unused_ignores of mypy.
    """
    yield from ()


@rule("KB003", "baseline-outdated", severity="info", needs=("images",))
def baseline_outdated(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The baseline contains exactly the kernels of the file.

    Why: The baseline does not protect a kernel that it does not contain. A kernel that
        disappeared was renamed, or left out by mistake.

    Fix: Check that the change is intended, and write the baseline again:
        `kbuild verify --write-baseline FILE PATH...`.

    Source: cuml#1658.
    """
    if policy.baseline is None:
        raise NotApplicable("there is no baseline")
    figures = measure(facts)
    known = policy.baseline.find(figures.file)
    if known is None:
        yield Violation(message=f"{figures.file} is not in {policy.baseline.source}")
        return
    before = {(kernel.kernel, kernel.arch) for kernel in known.kernels}
    after = {(kernel.kernel, kernel.arch) for kernel in figures.kernels}
    for changed, what in ((after - before, "new"), (before - after, "gone")):
        for kernel, arch in sorted(changed):
            yield Violation(message=f"{what}: {EXAMPLES}", symbol=kernel, arch=arch)


RULES: Final[tuple[Rule, ...]] = (expired_waiver, unused_waiver, baseline_outdated)
