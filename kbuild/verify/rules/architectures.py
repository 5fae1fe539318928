"""KB101 and KB110: the architectures that a file has images for.

Names are compared. The vendor's rules tell which images a device can use instead.

What the driver links when a program starts counts for every container that depends on that
link, see `kbuild.verify.matching`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import find_limits, list_usable
from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.matching import (
    ContainerMatch,
    linked_at_load,
    match_containers,
    require_containers,
    self_contained,
)
from kbuild.verify.policy.model import ArchitectureList, Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES


@rule("KB101", "missing-architecture", severity="error", needs=())
def missing_architecture(
    facts: ArtifactFacts, files: FileSet, policy: Policy
) -> Iterator[Violation]:
    """Every source has an image for every required architecture and device.

    Why: An image of one source does not contain the kernels of another. Without a suitable
        image for the device, a launch fails at run time with "no kernel image is available
        for execution on the device", and only for the kernels of that source.

        An image of its own is required for each architecture that the note or
        `required_architectures` of the policy names, because a build that lost one is not the
        build that was meant. The message says if devices run another image instead. For
        `required_devices` of the policy, any image counts that such a device runs by its
        vendor's rules: `sm_86` runs images for `sm_80`, and the driver compiles PTX for it.

    Fix: Add the architecture to the target's ARCHITECTURES and rebuild, or remove it from
        `required_architectures` or `required_devices` in the policy. If another image may serve
        a device, list the device in `required_devices` instead.

    Source: vllm#19906, executorch#21567, easybuild-framework#4692; CUDA C++ Programming Guide,
        "Binary Compatibility" and "PTX Compatibility"; x86-64 psABI, "Micro-Architecture Levels";
        LLVM's "User Guide for AMDGPU Backend", "Target ID".
    """
    if not facts.modules and not facts.containers:
        raise NotApplicable("no device image")
    is_required = any(
        part.required_architectures or part.required_devices for part in (policy, *policy.parts)
    )
    if not facts.modules and not is_required:
        raise NotApplicable("neither a note nor the policy names the expected architectures")
    containers = match_containers(facts)
    complete = {container.number for container in self_contained(containers)}
    for container in containers:
        if not container.facts.is_damaged:
            sources = linked_at_load(container, containers, facts)
            available = container.architectures
            if sources:  # the link needs all of them
                available |= set.intersection(*(source.architectures for source in sources))
            required: dict[str, list[str]] = {}
            if container.number in complete:
                required = _required("required_architectures", container, policy, facts)
                devices = _required("required_devices", container, policy, facts)
                yield from _unserved_devices(container, available, devices, files)
            yield from _missing_architectures(container, available, required)
    require_containers(facts)


def _required(
    key: ArchitectureList, container: ContainerMatch, policy: Policy, facts: ArtifactFacts
) -> dict[str, list[str]]:
    """Return the architectures in a list of the policy, each with the kernels it applies to."""
    kernels = container.kernels
    if not kernels:
        # A container without kernels, such as those of runtimes, needs no architecture.
        is_empty = bool(container.readable) and all(
            image.kind in ("elf", "ptx") for image in container.readable
        )
        found = policy.architectures(key, facts.path) or ()
        return {} if is_empty else {arch: [] for arch in found}
    required: dict[str, list[str]] = {}
    for symbol in kernels:
        for arch in policy.architectures(key, facts.path, symbol) or ():
            required.setdefault(arch, []).append(symbol)
    return required


def _missing_architectures(
    container: ContainerMatch, available: set[str], required: dict[str, list[str]]
) -> Iterator[Violation]:
    recorded = tuple(image.arch for image in container.record.images) if container.record else ()
    names = container.kernels
    for arch in dict.fromkeys((*required, *recorded)):
        if arch not in available:
            symbols = names if arch in recorded else dict.fromkeys(required[arch])
            origin = "the policy requires" if arch in required else "the build recorded"
            message = (
                f"no image for {arch}, {_list(available)}, in {PLACES}: "
                f"{_describe_consequence(arch, available, bool(symbols), origin)}"
            )
            for symbol in symbols or (None,):
                yield Violation(message=message, symbol=symbol, arch=arch, where=container.name)


def _list(available: set[str]) -> str:
    return f"only for {', '.join(sorted(available))}" if available else "or any other"


def _describe_consequence(arch: str, available: set[str], has_names: bool, origin: str) -> str:
    """Say what the lack of an image means: which other image devices run, if there is one."""
    kernels = KERNELS if has_names else "its kernels"
    usable = list_usable(arch, available)
    if usable is None:
        return f"{origin} one for {kernels}"
    if not usable:
        return f"{kernels} cannot run on such a device"
    return f"such a device runs {kernels} from the image for {usable[0]}, but {origin} its own"


def _unserved_devices(
    container: ContainerMatch,
    available: set[str],
    devices: dict[str, list[str]],
    files: FileSet,
) -> Iterator[Violation]:
    """Yield the kernels without an image that a device can run.

    A wheel can have libraries for the devices of several vendors. Each is for its own vendor's.
    """
    backends = {other.backend for facts in files.artifact for other in facts.containers}
    for device, symbols in devices.items():
        vendors = {name for name in backends if find_limits(name).usable_by(device, ()) is not None}
        is_meant = container.facts.backend in vendors or not vendors
        if is_meant and not list_usable(device, available):
            kernels = KERNELS if symbols else "its kernels"
            message = (
                f"no image that {device} can run, {_list(available)}, in {PLACES}: {kernels} "
                "cannot run on such a device"
            )
            if list_usable(device, ()) is None:
                message = (
                    f"the policy requires {device!r} for {kernels} in {PLACES}, which is not the "
                    "architecture of a device; expected one such as sm_86, gfx90a, or x86-64-v3"
                )
            for symbol in dict.fromkeys(symbols) or (None,):
                yield Violation(message=message, symbol=symbol, arch=device, where=container.name)


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
