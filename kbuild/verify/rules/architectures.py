"""KB101, KB106, KB110: which architectures a file has images for.

What drivers link or compile when a program starts counts for every container that waits for
it: `kbuild.verify.matching`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.readers import device_limits
from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.verify.matching import (
    ContainerMatch,
    linked_at_load,
    match_containers,
    require_containers,
    standing_alone,
)
from kbuild.verify.policy import Policy
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, policy_rule

_NAMES_SHOWN: Final = 3


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
    kernels = _kernels(container)
    if not kernels:
        # What has no kernels, as what runtimes bring along, lacks none.
        is_empty = bool(container.readable) and all(
            image.kind in ("elf", "ptx") for image in container.readable
        )
        found = policy.architectures("required_architectures", facts.path) or ()
        return {} if is_empty else {arch: [] for arch in found}
    wanted: dict[str, list[str]] = {}
    for symbol, display in kernels.items():
        for arch in policy.architectures("required_architectures", facts.path, symbol) or ():
            wanted.setdefault(arch, []).append(display)
    return wanted


def _missing_architectures(
    container: ContainerMatch, sources: tuple[ContainerMatch, ...], wanted: dict[str, list[str]]
) -> Iterator[Violation]:
    available = _architectures(container)
    if sources:  # all of them are needed
        available |= set.intersection(*map(_architectures, sources))
    recorded = tuple(image.arch for image in container.record.images) if container.record else ()
    everything = list(dict.fromkeys(_kernels(container).values()))
    for arch in dict.fromkeys((*wanted, *recorded)):
        if arch not in available:
            names = everything if arch in recorded else list(dict.fromkeys(wanted[arch]))
            there = ", ".join(sorted(available)) or "no image at all"
            yield Violation(
                message=f"{container.name} has no image for {arch}, only {there}: "
                f"{_name_some(names)} cannot run there",
                arch=arch,
            )


def _architectures(container: ContainerMatch) -> set[str]:
    found = {pair.found.arch for pair in container.pairs if pair.found}
    # Content that the record knows under another label is not missing (KB601).
    return found | {p.expected.arch for p in container.pairs if p.found and p.expected}


def _kernels(container: ContainerMatch) -> dict[str, str]:
    """The names of a container's kernels for people, by symbol: the table's, else the images'."""
    rows = {row.device_name: row.display for row in container.rows}
    images = (pair.found for pair in container.pairs if pair.found)
    return rows or {k.name: k.display for image in images for k in image.kernels}


def _name_some(names: list[str]) -> str:
    if not names:
        return "its kernels"
    shown = ", ".join(names[:_NAMES_SHOWN])
    rest = len(names) - _NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


@policy_rule("KB106", "no-forward-code", severity="warning", needs=("images",))
def no_forward_code(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Every source has code that drivers can compile for devices newer than its images.

    Why: A real image runs on its own generation alone. On the next one there is nothing to
        run, "no kernel image is available for execution on the device", unless the file
        holds PTX. That of an architecture-specific target (`compute_90a`) runs on no newer
        device, that of a family (`compute_100f`) on the rest of the family alone.

    Fix: Add a plain virtual architecture (`90-virtual` beside `90-real`). With
        `ptx = "required"` in the policy it is an error to have none, with
        `ptx = "forbidden"` to have some, with `ptx = "optional"` neither is reported.

    Source: easybuild-framework#4692; CUDA C++ Programming Guide, "PTX Compatibility" and
        "Family-Specific Features".
    """
    if not any(
        device_limits(container.backend).has_portable_code for container in facts.containers
    ):
        raise NotApplicable("its images are of a kind that drivers do not compile")
    wish = policy.ptx_of(facts.path)
    containers = match_containers(facts)
    if wish == "forbidden":
        yield from _portable_code(containers)
        return
    if wish == "optional":
        raise NotApplicable("the policy leaves it open whether there is PTX")
    if facts.kind == "image":
        raise NotApplicable("a single image")
    unseen = []
    for container in standing_alone(containers):
        limits = device_limits(container.facts.backend)
        if not limits.has_portable_code or container.facts.is_damaged:
            continue
        if not all(image.kind in ("elf", "ptx") for image in container.readable):
            unseen.append(container.name)
            continue
        problem = _lacks_forward_code(container, linked_at_load(container, containers, facts))
        if problem:
            yield Violation(
                message=f"{container.name} {problem}",
                severity="error" if wish == "required" else None,
            )
    require_containers(facts)
    if unseen:
        raise LacksEvidence(f"{', '.join(unseen)}: images of a kind that tells no architecture")


def _portable_code(containers: tuple[ContainerMatch, ...]) -> Iterator[Violation]:
    for container in containers:
        for image in container.readable:
            if image.kind == "ptx":
                yield Violation(
                    message=f"{container.name} holds PTX for {image.arch}, which the policy "
                    "forbids",
                    arch=image.arch,
                    severity="error",
                )


def _lacks_forward_code(
    container: ContainerMatch, sources: tuple[ContainerMatch, ...]
) -> str | None:
    """What is wrong, if devices newer than the container's newest have nothing to run."""
    limits = device_limits(container.facts.backend)
    ordered = [
        (order, image.arch)
        for image in container.readable
        if image.kernels and (order := limits.order_of(image.arch)) is not None
    ]
    runs_on_newer = limits.runs_on_newer
    if not ordered or runs_on_newer is None:
        return None
    newest = max(ordered)[1]
    # What is linked at load needs the code of all sources.
    groups = [container.readable, *([] if not sources else [_common(sources)])]
    portable = {image.arch for group in groups for image in group if image.kind == "ptx"}
    if any(runs_on_newer(arch, newest) for arch in portable):
        return None
    if portable:
        return (
            f"has nothing that devices newer than {newest} could run: PTX for "
            f"{', '.join(sorted(portable))} is for no other"
        )
    return f"has no PTX, so devices newer than {newest} have nothing to run"


def _common(sources: tuple[ContainerMatch, ...]) -> tuple[ImageFacts, ...]:
    shared = set.intersection(*map(_architectures, sources))
    return tuple(image for image in sources[0].readable if image.arch in shared)


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
    symbols: tuple[str | None, ...] = tuple(_kernels(container)) or (None,)
    for symbol in symbols:
        allowed = policy.architectures("allowed_architectures", facts.path, symbol)
        if allowed is None:
            return None
        listed.update(allowed)
        listed.update(policy.architectures("required_architectures", facts.path, symbol) or ())
    return listed


RULES: Final[tuple[Rule, ...]] = (
    missing_architecture,
    no_forward_code,
    spurious_architecture,
)
