"""KB105, KB107, and KB413: what drivers and runtimes can read.

`kbuild.backends.interface.limits` says which release of a vendor introduced what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import find_limits
from kbuild.backends.interface.limits import DeviceLimits, Requirement, parse_version
from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.verify.matching import match_containers
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import ARCHITECTURES, PLACES


@rule("KB105", "ptx-too-new", severity="error", needs=("images",))
def ptx_too_new(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The oldest driver that the policy names can compile every PTX image.

    Why: A driver compiles PTX up to the version that it was released with. Newer PTX fails
        when the program starts on a device that has no real image: "the provided PTX was
        compiled with an unsupported toolchain". The same file works on other devices.

        It is an error, because the policy names the driver.

    Fix: Build the PTX with the toolkit that matches the oldest driver, or raise
        `minimum_driver`.

    Source: PTX ISA, "PTX Release History"; nvbandwidth#61; measured: PTX of toolkit 13.5
        fails on a 13.0 driver, but its cubin runs.
    """
    if policy.minimum_driver is None:
        raise NotApplicable("the policy names no minimum driver")
    unknown = set()
    is_judged = False
    for container in match_containers(facts):
        for image in container.readable:
            if image.kind != "ptx":
                continue
            is_judged = True
            version = image.ptx_version
            needed = find_limits(image.backend).driver_of(version) if version else None
            if needed is None:
                unknown.add(version or "an unnamed version")
            elif parse_version(needed) > parse_version(policy.minimum_driver):
                yield Violation(
                    message=f"the {ARCHITECTURES} image of {PLACES} is PTX {version}, "
                    f"which requires a driver for {needed}; the policy's minimum is "
                    f"{policy.minimum_driver}",
                    arch=image.arch,
                    where=container.name,
                )
    if unknown:
        raise LacksEvidence(f"unknown which driver compiles PTX {', '.join(sorted(unknown))}")
    if not is_judged:
        raise NotApplicable("no PTX")


@rule("KB107", "compression-unsupported", severity="warning", needs=("images",))
def compression_unsupported(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The oldest driver and runtime that the policy names can decompress every image.

    Why: On a machine that cannot decompress an image, kernels fail to load with "invalid
        device image" or "no kernel image is available", or the program stops when it registers
        them. Newer machines run the same file.

    Fix: Choose a compression that the oldest driver or runtime can read
        (`--compress-mode=speed`, `--no-offload-compress`; in kbuild `COMPRESSION none`, or
        `speed` for CUDA), or raise `minimum_driver` or `minimum_runtime`.

    Source: rapids_cuda_enable_fatbin_compression (zstd requires driver 550.54.14, CUDA 12.4);
        ROCm/clr, `hip_code_object.cpp` (compressed bundles since rocm-6.2.0); ollama#12258,
        mlx#2407.
    """
    oldest = {"driver": policy.minimum_driver, "runtime": policy.minimum_runtime}
    if not any(oldest.values()):
        raise NotApplicable("the policy names neither a minimum driver nor a minimum runtime")
    unnamed = set()
    for container in match_containers(facts):
        for image in container.readable:
            compression = image.compression
            needed = find_limits(image.backend).requirement_of(compression or "none")
            there = oldest[needed.part] if needed else None
            if needed is None or compression is None:
                continue
            if there is None:
                unnamed.add(needed.part)
            elif parse_version(needed.version) > parse_version(there):
                yield Violation(
                    message=f"{PLACES}: {compression} requires a {needed.part} of "
                    f"{needed.name}, but the policy's minimum is {there}; it cannot "
                    f"read the images for {ARCHITECTURES}",
                    arch=image.arch,
                    where=container.name,
                )
    if unnamed:
        raise LacksEvidence(
            f"the policy names no minimum {' and no minimum '.join(sorted(unnamed))}"
        )


@rule("KB413", "runtime-too-old", severity="error", needs=("images",))
def runtime_too_old(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The runtime library that the artifact needs can read its images.

    Why: The compiler can be newer than the runtime that the artifact is linked to. The runtime then
        rejects the images, stops with a segmentation fault when it registers them, or passes
        nothing where kernels expect the size of their block, so that results are wrong.

    Fix: Build with the compiler of the runtime's release, or choose what the runtime reads
        (`-mcode-object-version=4`, `--no-offload-compress`; in kbuild `COMPRESSION none`).

    Source: "Code Object V5 Metadata" in LLVM's "User Guide for AMDGPU Backend"; ROCR-Runtime#321;
        measured: with ROCm 5.2, `blockDim` is 0 in code objects of version 5.
    """
    del policy
    libraries = facts.dynamic.needed if facts.dynamic else ()
    is_judged = False
    for container in match_containers(facts):
        for image in container.readable:
            limits = find_limits(image.backend)
            bounds = [(name, bound) for name in libraries if (bound := limits.runtime_before(name))]
            is_judged |= bool(bounds)
            for what, needed in _list_runtime_needs(image, limits):
                for name, bound in bounds:
                    if parse_version(needed.version) >= parse_version(bound):
                        yield Violation(
                            message=f"{PLACES}: {what} requires {needed.name}, but the artifact "
                            f"needs '{name}', which is older; it cannot run the images for "
                            f"{ARCHITECTURES}",
                            arch=image.arch,
                            where=container.name,
                        )
    if not is_judged:
        raise NotApplicable("no runtime library whose name tells its release")


def _list_runtime_needs(
    image: ImageFacts, limits: DeviceLimits
) -> Iterator[tuple[str, Requirement]]:
    """Yield what an image needs of the runtime library, each with its reason."""
    compressed = limits.requirement_of(image.compression or "none")
    if compressed is not None and compressed.part == "runtime":
        yield f"{image.compression} compression", compressed
    version = image.object_version
    if version is not None and (needed := limits.object_requirement_of(version)):
        yield f"version {version} of code objects", needed


RULES: Final[tuple[Rule, ...]] = (ptx_too_new, compression_unsupported, runtime_too_old)
