"""KB102 and KB104: device code and its registration, whoever made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.rule import (
    KERNELS,
    LacksEvidence,
    NotApplicable,
    Rule,
    Violation,
    name_kernels,
    rule,
)

_LINKED: Final = ("shared-object", "executable")
_READABLE: Final = ("elf", "ptx")


@rule("KB102", "no-device-code", severity="error", needs=())
def no_device_code(facts: ArtifactFacts) -> Iterator[Violation]:
    """A file that registers device code holds some.

    Why: Such a file was built without a GPU architecture, or lost its fat binary on the way:
        it loads, and the first launch fails with "no kernel image is available for execution
        on the device" or "invalid device function".

    Fix: Build it with the architectures that it is to run on, and compare the release with a
        build of your own: `kbuild inspect --summary`.

    Source: torch-harmonics#239.
    """
    # Compilers wrap every source, those without kernels too; what a note says is missing is
    # KB101's.
    if facts.kind not in _LINKED or not facts.wrappers or facts.modules:
        raise NotApplicable("no linked file with another tool's registration")
    if any(linkage.unlinked for linkage in facts.linkage):
        raise NotApplicable("its device code waits for a link of its own")
    if any(image.kernels for image in facts.images):
        return
    unread = [i for i in facts.images if i.problem or i.kind not in _READABLE]
    if unread or facts.problems or facts.note_problems:
        raise LacksEvidence(f"an image of kind {unread[0].kind!r}" if unread else "damaged")
    what = "its images hold no kernel" if facts.images else "it has no device image"
    yield Violation(message=f"the file registers device code, but {what}")


@rule("KB104", "unregistered-kernel", severity="info", needs=("images",))
def unregistered_kernel(facts: ArtifactFacts) -> Iterator[Violation]:
    """Every kernel in the images is registered by host code.

    Why: The runtime cannot launch what it was not told of. Such a kernel is dead weight, is
        launched through the driver's interface, by another kernel, or was meant to be
        registered and is not.

    Fix: If host code is to launch it, look for the source file whose host part is not
        linked in; else remove it, or do not mind.

    Source: measured: the names of registered kernels stand in the read-only data of 19
        public libraries, each of them.
    """
    unregistered = [one for one in facts.host_kernels if one.is_registered is False]
    if unregistered:
        yield Violation(
            message=f"no host code registers {KERNELS}",
            kernels=name_kernels(one.kernel for one in unregistered),
        )
    if any(one.is_registered is None for one in facts.host_kernels):
        raise LacksEvidence("what the host code registers does not show")


RULES: Final[tuple[Rule, ...]] = (no_device_code, unregistered_kernel)
