"""KB102 and KB104: device code and its registration, in files of any build tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.rule import LINKED, LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS

_READABLE: Final = ("elf", "ptx")


@rule("KB102", "no-device-code", severity="error", needs=())
def no_device_code(facts: ArtifactFacts) -> Iterator[Violation]:
    """A file that registers device code contains some.

    Why: Such a file was built without a GPU architecture, or lost its fat binary later. It
        loads, but the first launch fails with "no kernel image is available for execution on
        the device" or "invalid device function".

    Fix: Build it with the architectures that it must run on. Compare the release with your
        own build: `kbuild inspect --summary`.

    Source: torch-harmonics#239.
    """
    # Compilers also make wrappers for sources without kernels. KB101 reports images that are
    # missing according to a note.
    if facts.kind not in LINKED or not facts.wrappers or facts.modules:
        raise NotApplicable("not a linked file with the registration of another tool")
    if any(linkage.unlinked for linkage in facts.linkage):
        raise NotApplicable("its device code is not device-linked yet")
    if any(image.kernels for image in facts.images):
        return
    unread = [i for i in facts.images if i.problem or i.kind not in _READABLE]
    if unread or facts.problems or facts.note_problems:
        unknown = f"cannot read an image of kind {unread[0].kind!r}" if unread else None
        raise LacksEvidence(unknown or "the file is damaged")
    what = "its images contain no kernel" if facts.images else "it has no device image"
    yield Violation(message=f"the file registers device code, but {what}")


@rule("KB104", "unregistered-kernel", severity="info", needs=("images",))
def unregistered_kernel(facts: ArtifactFacts) -> Iterator[Violation]:
    """Host code registers every kernel in the images.

    Why: The runtime can launch only registered kernels. The kernel is unused, or launched
        through the driver API or by another kernel, or its registration is missing by mistake.

    Fix: If host code must launch the kernel, find the source file whose host part is not
        linked. Otherwise, remove the kernel or ignore this.

    Source: measured: 19 public libraries contain the names of their registered kernels in
        read-only data.
    """
    for one in facts.host_kernels:
        if one.is_registered is False:
            yield Violation(message=f"no host code registers {KERNELS}", symbol=one.kernel)
    if any(one.is_registered is None for one in facts.host_kernels):
        raise LacksEvidence("the file does not show what its host code registers")


RULES: Final[tuple[Rule, ...]] = (no_device_code, unregistered_kernel)
