"""KB106: whether devices that are newer than the images have code to run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import find_limits
from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.verify.matching import (
    ContainerMatch,
    linked_at_load,
    match_containers,
    require_containers,
    self_contained,
)
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import ARCHITECTURES, PLACES


@rule("KB106", "no-forward-code", severity="warning", needs=("images",))
def no_forward_code(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Every source has code that drivers can compile for newer devices.

    Why: A real image runs only on its own generation. A newer device has nothing to run ("no
        kernel image is available for execution on the device") unless the file contains PTX.
        PTX of an architecture-specific target (`compute_90a`) runs on no newer device, and PTX
        of a family (`compute_100f`) only on the rest of that family.

        It is a warning for what kbuild built, and an info for files of other tools, whose authors
        often ship without PTX on purpose. With `ptx = "required"` in the policy, it is an error.

    Fix: Add a plain virtual architecture, such as `90-virtual` in addition to `90-real`. In the
        policy, `ptx = "required"` makes missing PTX an error, `ptx = "forbidden"` makes present
        PTX an error, and `ptx = "optional"` reports neither.

    Source: easybuild-framework#4692; CUDA C++ Programming Guide, "PTX Compatibility" and
        "Family-Specific Features".
    """
    if not any(find_limits(container.backend).has_portable_code for container in facts.containers):
        raise NotApplicable("drivers do not compile its kind of images")
    wish = policy.ptx_of(facts.path)
    containers = match_containers(facts)
    if wish == "forbidden":
        yield from _portable_code(containers)
        return
    if wish == "optional":
        raise NotApplicable("the policy makes PTX optional")
    if facts.kind == "image":
        raise NotApplicable("the file is a single image")
    unjudged = []
    for container in self_contained(containers):
        limits = find_limits(container.facts.backend)
        if not limits.has_portable_code or container.facts.is_damaged:
            continue
        if not all(image.kind in ("elf", "ptx") for image in container.readable):
            unjudged.append(container.name)
            continue
        problem = _lacks_forward_code(container, linked_at_load(container, containers, facts))
        if problem:
            yield Violation(
                message=f"{problem} {PLACES}",
                where=container.name,
                severity="error" if wish == "required" else None if container.record else "info",
            )
    require_containers(facts)
    if unjudged:
        raise LacksEvidence(
            f"{', '.join(unjudged)}: images of a kind that does not show its architecture"
        )


def _portable_code(containers: tuple[ContainerMatch, ...]) -> Iterator[Violation]:
    for container in containers:
        for image in container.readable:
            if image.kind == "ptx":
                yield Violation(
                    message=f"the policy forbids PTX for {ARCHITECTURES}, which is in {PLACES}",
                    arch=image.arch,
                    where=container.name,
                    severity="error",
                )


def _lacks_forward_code(
    container: ContainerMatch, sources: tuple[ContainerMatch, ...]
) -> str | None:
    """Return the problem, up to the name of the container; None if newer devices have code.

    "Newer" means newer than the newest architecture that the container has kernels for.
    """
    limits = find_limits(container.facts.backend)
    ordered = [
        (order, image.arch)
        for image in container.readable
        if image.kernels and (order := limits.order_of(image.arch)) is not None
    ]
    runs_on_newer = limits.runs_on_newer
    if not ordered or runs_on_newer is None:
        return None
    newest = max(ordered)[1]
    # A link at load time needs the code of all sources.
    groups = [container.readable, *([] if not sources else [_common(sources)])]
    portable = {image.arch for group in groups for image in group if image.kind == "ptx"}
    if any(runs_on_newer(arch, newest) for arch in portable):
        return None
    if portable:
        ptx = ", ".join(sorted(portable))
        return f"devices newer than {newest} have no code to run, only PTX for {ptx} in"
    return f"devices newer than {newest} have no code to run, because there is no PTX in"


def _common(sources: tuple[ContainerMatch, ...]) -> tuple[ImageFacts, ...]:
    shared = set.intersection(*(source.architectures for source in sources))
    return tuple(image for image in sources[0].readable if image.arch in shared)


RULES: Final[tuple[Rule, ...]] = (no_forward_code,)
