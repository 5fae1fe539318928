"""KB704 to KB706: whether an index accepts a wheel, and whether its metadata are complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.formats.dist_info import NO_DIGEST
from kbuild.verify.policy.indexes import INDEXES
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.rules.wheels.compatibility import read_facts
from kbuild.verify.wording import PLACES, shorten


@rule("KB704", "index-limits", severity="error", needs=("wheel",))
def index_limits(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The package index of the policy accepts the wheel.

    Why: An index rejects an upload that is too large, or whose name it does not allow, after
        the release was built and often in the middle of it, when other wheels are already
        public.

    Fix: Build for fewer architectures or with another compression (`kbuild report --estimate`
        says what that saves), or ask the index for a higher limit and set `max_wheel_bytes` in
        the policy. Name the wheel after a manylinux tag, without a local version such as
        `+cu130`.

    Source: docs.pypi.org, "Storage limits"; PEP 440, "Local version identifiers"; warehouse,
        `forklift/legacy.py`.
    """
    wheel = read_facts(facts)
    index = INDEXES[policy.wheel_policy] if policy.wheel_policy else None
    limit = policy.max_wheel_bytes
    if index is None and limit is None:
        raise NotApplicable("the policy names neither an index nor a size")
    if limit is None and index is not None:
        limit = index.max_wheel_bytes
    if limit is not None and wheel.size > limit:
        yield Violation(message=f"the wheel has {wheel.size} bytes; the limit is {limit}")
    if index is None:
        return
    rejected = [p for p in wheel.platforms if re.fullmatch(index.rejected_platforms, p)]
    if rejected:
        yield Violation(message=f"{index.name} does not accept the platform {shorten(rejected)}")
    if "+" in wheel.version and not index.accepts_local_versions:
        yield Violation(message=f"{index.name} does not accept the local version {wheel.version}")


@rule("KB705", "bill-missing", severity="warning", needs=("wheel",))
def bill_missing(facts: ArtifactFacts) -> Iterator[Violation]:
    """A wheel contains a bill of materials.

    Why: Vulnerability scanners and auditors find the code that a library contains, such as CCCL
        or CUTLASS, only if a bill of materials lists it. The binary does not show it.

    Fix: `kbuild sbom WHEEL --build DIR --embed WHEEL`. auditwheel adds a bill for the libraries
        that it copies, but it does not know device code.

    Source: PEP 770.
    """
    if not read_facts(facts).bills:
        yield Violation(message="no file in .dist-info/sboms/")


@rule("KB706", "record-mismatch", severity="error", needs=("wheel",))
def record_mismatch(facts: ArtifactFacts) -> Iterator[Violation]:
    """The file `RECORD` of a wheel lists exactly its files, with their digests.

    Why: A difference means that the wheel was changed after it was built, or that a file is
        damaged. PyPI rejects wheels whose files differ from the list, and installers that check
        it do not install them. A file without a digest is only a warning, because PyPI and pip
        accept it.

    Fix: Change wheels with a tool that corrects `RECORD`: `wheel pack`, `auditwheel repair`, or
        `kbuild strip`.

    Source: binary distribution format, "The .dist-info directory".
    """
    for problem in read_facts(facts).record_problems:
        yield Violation(
            message=f"{PLACES}: {problem.message}",
            where=problem.where,
            severity="warning" if problem.message == NO_DIGEST else None,
        )


RULES: Final[tuple[Rule, ...]] = (index_limits, bill_missing, record_mismatch)
