"""KB101 and KB110: the architectures that a file has images for. Names are compared.

What the driver links when a program starts counts for every container that depends on that
link, see `kbuild.verify.matching`.
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
    self_contained,
)
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES


@rule("KB101", "missing-architecture", severity="error", needs=())
def missing_architecture(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Every source has an image for every required architecture.

    Why: An image of one source does not contain the kernels of another. Without a suitable
        image for the device, a launch fails at run time with "no kernel image is available
        for execution on the device", and only for the kernels of that source.

        It is an error for the architectures that the note or the policy names.

    Fix: Add the architecture to the target's ARCHITECTURES and rebuild, or remove it from
        `required_architectures` in the policy.

    Source: vllm#19906, executorch#21567, easybuild-framework#4692.
    """
    if not facts.modules and not facts.containers:
        raise NotApplicable("no device image")
    is_required = any(part.required_architectures for part in (policy, *policy.parts))
    if not facts.modules and not is_required:
        raise NotApplicable("neither a note nor the policy names the expected architectures")
    containers = match_containers(facts)
    complete = {container.number for container in self_contained(containers)}
    for container in containers:
        if not container.facts.is_damaged:
            sources = linked_at_load(container, containers, facts)
            required = _required(container, policy, facts) if container.number in complete else {}
            yield from _missing_architectures(container, sources, required)
    require_containers(facts)


def _required(
    container: ContainerMatch, policy: Policy, facts: ArtifactFacts
) -> dict[str, list[str]]:
    """Return the architectures that the policy requires, each with the kernels it applies to."""
    kernels = container.kernels
    if not kernels:
        # A container without kernels, such as those of runtimes, needs no architecture.
        is_empty = bool(container.readable) and all(
            image.kind in ("elf", "ptx") for image in container.readable
        )
        found = policy.architectures("required_architectures", facts.path) or ()
        return {} if is_empty else {arch: [] for arch in found}
    required: dict[str, list[str]] = {}
    for symbol in kernels:
        for arch in policy.architectures("required_architectures", facts.path, symbol) or ():
            required.setdefault(arch, []).append(symbol)
    return required


def _missing_architectures(
    container: ContainerMatch, sources: tuple[ContainerMatch, ...], required: dict[str, list[str]]
) -> Iterator[Violation]:
    available = container.architectures
    if sources:  # the link needs all of them
        available |= set.intersection(*(source.architectures for source in sources))
    recorded = tuple(image.arch for image in container.record.images) if container.record else ()
    names = container.kernels
    for arch in dict.fromkeys((*required, *recorded)):
        if arch not in available:
            symbols = names if arch in recorded else dict.fromkeys(required[arch])
            there = f"only for {', '.join(sorted(available))}" if available else "or any other"
            message = (
                f"no image for {arch}, {there}, in {PLACES}: "
                f"{KERNELS if symbols else 'its kernels'} cannot run on such a device"
            )
            for symbol in symbols or (None,):
                yield Violation(message=message, symbol=symbol, arch=arch, where=container.name)


@rule("KB110", "spurious-architecture", severity="warning", needs=("images",))
def spurious_architecture(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """No image is for an architecture that the policy does not list.

    Why: Each image costs size and compile time, even if no user has such a device. Often it
        is a compiler's default, used because one source was built without the project's
        architectures.

    Fix: Remove the architecture from those that the source is compiled for, or list it in
        `allowed_architectures`.

    Source: pytorch#157791.
    """
    if not any(part.allowed_architectures for part in (policy, *policy.parts)):
        raise NotApplicable("the policy does not list allowed architectures")
    for container in match_containers(facts):
        listed = _listed(container, policy, facts)
        if listed is None:
            continue
        for arch in sorted(_found_in(container) - listed):
            yield Violation(
                message=f"an image for {arch}, but the policy allows "
                f"{'only ' + ', '.join(sorted(listed)) if listed else 'none'}, in {PLACES}",
                arch=arch,
                where=container.name,
            )


def _found_in(container: ContainerMatch) -> set[str]:
    """Return the architectures of images with kernels, without a runtime's own empty images."""
    holds = {image.arch for image in container.readable if image.kernels}
    return holds | {i.arch for i in container.readable if i.kind not in ("elf", "ptx")}


def _listed(container: ContainerMatch, policy: Policy, facts: ArtifactFacts) -> set[str] | None:
    """Return the architectures that the policy allows for the container's kernels; None for all."""
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
