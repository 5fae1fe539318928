"""KB101, KB110: which architectures a file has images for; names are compared.

What drivers link when a program starts counts for every container that waits for it:
`kbuild.verify.matching`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.matching import (
    ContainerMatch,
    linked_at_load,
    match_containers,
    require_containers,
    standing_alone,
)
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import KERNELS, KernelName, NotApplicable, Rule, Violation, policy_rule


@policy_rule("KB101", "missing-architecture", severity="error", needs=())
def missing_architecture(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Every source has an image for every required architecture.

    Why: An image of one source does not serve the kernels of another. A launch on a
        device without a fitting image fails at run time with "no kernel image is available
        for execution on the device", and only for the kernels of that source.

    Fix: Add the architecture to the target's ARCHITECTURES and rebuild, or take it out of
        `required_architectures` in the policy.

    Source: vllm#19906, executorch#21567, easybuild-framework#4692.
    """
    if not facts.modules and not facts.containers:
        raise NotApplicable("no device image")
    is_required = any(part.required_architectures for part in (policy, *policy.parts))
    if not facts.modules and not is_required:
        raise NotApplicable("neither a note nor the policy names the architectures to expect")
    containers = match_containers(facts)
    alone = {container.number for container in standing_alone(containers)}
    for container in containers:
        if not container.facts.is_damaged:
            sources = linked_at_load(container, containers, facts)
            wanted = _required(container, policy, facts) if container.number in alone else {}
            yield from _missing_architectures(container, sources, wanted)
    require_containers(facts)


def _required(
    container: ContainerMatch, policy: Policy, facts: ArtifactFacts
) -> dict[str, list[str]]:
    """The architectures that the policy requires, each with the kernels that it is for."""
    kernels = container.kernels
    if not kernels:
        # What has no kernels, as what runtimes bring along, lacks none.
        is_empty = bool(container.readable) and all(
            image.kind in ("elf", "ptx") for image in container.readable
        )
        found = policy.architectures("required_architectures", facts.path) or ()
        return {} if is_empty else {arch: [] for arch in found}
    wanted: dict[str, list[str]] = {}
    for symbol in kernels:
        for arch in policy.architectures("required_architectures", facts.path, symbol) or ():
            wanted.setdefault(arch, []).append(symbol)
    return wanted


def _missing_architectures(
    container: ContainerMatch, sources: tuple[ContainerMatch, ...], wanted: dict[str, list[str]]
) -> Iterator[Violation]:
    available = container.architectures
    if sources:  # all of them are needed
        available |= set.intersection(*(source.architectures for source in sources))
    recorded = tuple(image.arch for image in container.record.images) if container.record else ()
    names = container.kernels
    for arch in dict.fromkeys((*wanted, *recorded)):
        if arch not in available:
            symbols = names if arch in recorded else dict.fromkeys(wanted[arch])
            there = ", ".join(sorted(available)) or "no image at all"
            yield Violation(
                message=f"{container.name} has no image for {arch}, only {there}: "
                f"{KERNELS if symbols else 'its kernels'} cannot run there",
                arch=arch,
                kernels=tuple(KernelName(symbol, names[symbol]) for symbol in symbols),
            )


@policy_rule("KB110", "spurious-architecture", severity="warning", needs=("images",))
def spurious_architecture(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """There are no images for architectures that the policy does not list.

    Why: Each costs size and compile time for devices that nobody ships to, and it is often
        a compiler's default that slipped in because one source was built without the
        project's architectures.

    Fix: Take it out of the architectures that the source is compiled for, or list it in
        `allowed_architectures`.

    Source: pytorch#157791.
    """
    if not any(part.allowed_architectures for part in (policy, *policy.parts)):
        raise NotApplicable("the policy does not say which architectures it allows")
    for container in match_containers(facts):
        listed = _listed(container, policy, facts)
        if listed is None:
            continue
        for arch in sorted(_found_in(container) - listed):
            yield Violation(
                message=f"{container.name} has an image for {arch}, the policy allows "
                f"{', '.join(sorted(listed)) or 'none'}",
                arch=arch,
            )


def _found_in(container: ContainerMatch) -> set[str]:
    """The architectures of what holds kernels: a runtime's own empty images do not count."""
    holds = {image.arch for image in container.readable if image.kernels}
    return holds | {i.arch for i in container.readable if i.kind not in ("elf", "ptx")}


def _listed(container: ContainerMatch, policy: Policy, facts: ArtifactFacts) -> set[str] | None:
    """What is allowed for one of the container's kernels; None where anything is."""
    listed: set[str] = set()
    symbols: tuple[str | None, ...] = tuple(container.kernels) or (None,)
    for symbol in symbols:
        allowed = policy.architectures("allowed_architectures", facts.path, symbol)
        if allowed is None:
            return None
        listed.update(allowed)
        listed.update(policy.architectures("required_architectures", facts.path, symbol) or ())
    return listed


RULES: Final[tuple[Rule, ...]] = (
    missing_architecture,
    spurious_architecture,
)
