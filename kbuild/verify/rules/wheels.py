"""KB604: whether a wheel contains what its name says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from kbuild.backends import find_backend
from kbuild.facts import ArtifactFacts
from kbuild.verify.policy.model import Severity
from kbuild.verify.rule import LINKED, NotApplicable, Rule, Violation, rule

# The distribution, the version, the build, and the tags of Python, ABI, and platform.
_WHEEL: Final = re.compile(
    r"(?P<name>[^-]+)-(?P<version>[^-]+)(?:-\d[^-]*)?-[^-]+-[^-]+-(?P<platform>[^-]+)\.whl"
)
_MACHINE: Final = re.compile(r"linux_(?:\d+_\d+_)?(x86_64|aarch64)|linux\d*_(x86_64|aarch64)")
_ANY: Final = "any"


@rule("KB604", "wheel-claim", severity="error", needs=())
def wheel_claim(facts: ArtifactFacts) -> Iterator[Violation]:
    """A wheel contains what its name says: libraries for its platform and its runtime.

    Why: Installers choose a wheel by its name alone. A library for another machine fails at
        import ("wrong ELF class", "cannot open shared object file"), and so does one in a wheel
        for any platform on the wrong machine. A library that needs another major version of the
        runtime fails if only the promised version is installed. This is an error for libraries
        that kbuild built. For others it is a warning: wheels contain libraries for several
        machines and runtimes on purpose, and choose one at run time.

    Fix: Name the wheel after its content: use `auditwheel repair` for the platform, and the
        local version or the name of the distribution for the toolkit.

    Source: PEP 427, "File name convention"; PEP 600.
    """
    outer, _, member = facts.path.partition("!")
    match = _WHEEL.fullmatch(PurePath(outer).name)
    if match is None or not member or facts.kind not in LINKED:
        raise NotApplicable("not a library in a wheel")
    severity: Severity | None = None if facts.modules else "warning"
    claims = (
        *_platform_claims(facts, match["platform"]),
        *_runtime_claims(facts, f"{match['name']}-{match['version']}"),
    )
    for message in claims:
        yield Violation(message=message, severity=severity)


def _platform_claims(facts: ArtifactFacts, platform: str) -> Iterator[str]:
    machines = {m for found in _MACHINE.findall(platform) for m in found if m}
    if platform == _ANY:
        yield f"the wheel is for any platform, but the library is for {facts.machine}"
    elif machines and facts.machine not in machines:
        yield (
            f"the wheel is for {', '.join(sorted(machines))}, but the library is for "
            f"{facts.machine}"
        )


def _runtime_claims(facts: ArtifactFacts, name: str) -> Iterator[str]:
    for runtime in facts.runtimes:
        conventions = find_backend(runtime.backend).host
        claim = conventions.claim.search(name) if conventions and conventions.claim else None
        if claim is None or runtime.is_driver or runtime.version is None:
            continue
        major = runtime.version.partition(".")[0]
        if major != claim[1]:
            yield (
                f"the wheel's name says {claim[0].strip('_')}, but the library needs "
                f"{runtime.soname}"
            )


RULES: Final[tuple[Rule, ...]] = (wheel_claim,)
