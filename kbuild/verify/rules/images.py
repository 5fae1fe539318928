"""KB103, KB108, and KB109: the content of device images.

`kbuild.verify.matching` says which rule reports which defect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.model import Kernel, Param
from kbuild.verify.matching import ContainerMatch, match_containers, require_containers
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.signatures import contradict_name, contradict_types, describe_difference
from kbuild.verify.wording import EXAMPLES, KERNELS

_READABLE: Final = ("elf", "ptx")


@rule("KB103", "kernel-missing-in-image", severity="error", needs=("images",))
def kernel_missing_in_image(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """Every image of a source contains every kernel that is registered or in its other images.

    Why: The runtime picks one image for the device and looks up the kernel by name. If it is
        missing, the first launch on that architecture fails ("named symbol not found", "Cannot
        find Symbol"), although the same file works on other machines.

        It is an error if the note or `required_architectures` of the policy expects the kernel in
        the image, or if host code registers a kernel that no image contains. Otherwise, it is an
        info: libraries have kernels for some architectures on purpose.

    Fix: Look for `#if __CUDA_ARCH__` or similar around the kernel, and define the kernel for
        every architecture. If the images come from different builds, rebuild them.

    Source: chipStar#1408; HIP aborts with "Cannot find Symbol".
    """
    for container in match_containers(facts):
        yield from _missing_in_images(container, facts, policy)
    for one in facts.host_kernels:
        if one.is_absent and not _might_hold_more(facts):
            yield Violation(
                message=f"host code registers kernels that no image contains: {KERNELS}",
                symbol=one.kernel,
            )
    require_containers(facts)


def _missing_in_images(
    container: ContainerMatch, facts: ArtifactFacts, policy: Policy
) -> Iterator[Violation]:
    where = container.name
    expected = dict.fromkeys(row.device_name for row in container.rows)
    images = [image for image in container.readable if image.kind in _READABLE]
    # KB601 compares what else is in an image with the note.
    names = expected or dict.fromkeys(k.name for image in images for k in image.kernels)
    for image in images:
        arch, there = image.arch, {kernel.name for kernel in image.kernels}
        if there >= names.keys():
            continue
        for name in names:
            if name not in there:
                required = policy.architectures("required_architectures", facts.path, name) or ()
                is_expected = name in expected or arch in required
                yield Violation(
                    message=f"kernels that images lack: {EXAMPLES}",
                    symbol=name,
                    arch=arch,
                    where=where,
                    severity=None if is_expected else "info",
                )


def _might_hold_more(facts: ArtifactFacts) -> bool:
    """Return whether a kernel can be in device code that cannot be read, or in another file."""
    is_unread = any(i.problem is not None or i.kind not in _READABLE for i in facts.images)
    is_elsewhere = any(wrapper.awaits is not None for wrapper in facts.wrappers)
    return is_unread or is_elsewhere or bool(facts.problems)


@rule("KB108", "signature-mismatch", severity="error", needs=("images",))
def signature_mismatch(facts: ArtifactFacts) -> Iterator[Violation]:
    """All images, the kernel table, and the kernel's name agree on the layout of its parameters.

    Why: The host packs the arguments once, as the kernel table describes. An image that
        expects another layout reads them from the wrong place. That is undefined behavior,
        usually wrong results without an error. This is an error for files of all tools, because
        one of the contradicting parts must be wrong.

    Fix: Use parameter types whose size does not depend on the architecture or on a macro, and
        rebuild all images of the source together.

    Source: legacy-rocm-build#6408, mahout#1484.
    """
    for container in match_containers(facts):
        yield from _layout_mismatches(container, is_windows=facts.kind == "windows-binary")
    require_containers(facts)


def _layout_mismatches(container: ContainerMatch, *, is_windows: bool) -> Iterator[Violation]:
    rows = {row.device_name: row for row in container.rows}
    reference: dict[str, tuple[str, str, tuple[Param, ...]]] = {
        row.device_name: ("the kernel table", row.display, row.params) for row in container.rows
    }
    for image in container.readable:
        for kernel in image.kernels:
            first = (f"the {image.arch} image", kernel.display, kernel.params)
            name, _, params = reference.setdefault(kernel.name, first)
            difference = describe_difference(kernel.params, params)
            if difference:
                mine, other = difference
                yield Violation(
                    message=f"the layouts of parameters differ: {EXAMPLES}",
                    symbol=rows[kernel.name].handle if kernel.name in rows else kernel.name,
                    arch=image.arch,
                    where=f"{mine}; {other} in {name}",
                )
    present = _kernels_by_name(container)
    for name, (where, display, params) in reference.items():
        if name not in present:
            continue
        # A library has tens of thousands of names. Where a reader spelled the types, it has
        # already taken them from the name, which has as many.
        types = [param.type for param in params if param.type is not None]
        is_spelled = name not in rows and len(types) == len(params) > 0
        if is_spelled:
            contradiction = contradict_types(params, types, is_windows=is_windows)
        else:
            contradiction = contradict_name(display, params, is_windows=is_windows)
        if contradiction:
            yield Violation(
                message=f"names of kernels contradict the layouts of parameters: {EXAMPLES}",
                symbol=name,
                where=f"{contradiction} in {where}",
            )


def _kernels_by_name(container: ContainerMatch) -> dict[str, Kernel]:
    kernels: Iterable[Kernel] = (k for image in container.readable for k in image.kernels)
    return {kernel.name: kernel for kernel in kernels}


@rule("KB109", "corrupt-image", severity="error", needs=())
def corrupt_image(facts: ArtifactFacts) -> Iterator[Violation]:
    """Every fat binary and every image in it can be read.

    Why: With a broken fat binary, the runtime fails at startup or at the first launch ("device
        kernel image is invalid"), or loads the wrong code.

        It is an error in files of all tools, because nobody can load what is broken.

    Fix: Rebuild the target. If a fresh build has the same defect, look for a tool that changes
        the file after the link: a patcher, a packer, or a copy that truncates it.

    Source: LLVM's OffloadBinary.h; System V ABI, chapter 4.
    """
    if not facts.containers and not facts.problems:
        raise NotApplicable("no device image")
    for problem in facts.problems:
        yield Violation(message=f"{problem.where}: {problem.message}")
    for image in facts.images:
        if image.problem:
            yield Violation(
                message=f"image {EXAMPLES}: {image.problem}",
                where=f"container {image.container}",
                arch=image.arch or None,
            )


RULES: Final[tuple[Rule, ...]] = (
    kernel_missing_in_image,
    signature_mismatch,
    corrupt_image,
)
