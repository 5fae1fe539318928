"""KB102 and KB104: device code and its registration, in files of any build tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.glob import matches_kernel
from kbuild.verify.policy.model import Policy
from kbuild.verify.rule import LINKED, LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES

_READABLE: Final = ("elf", "ptx")


@rule("KB102", "no-device-code", severity="error", needs=())
def no_device_code(facts: ArtifactFacts, files: FileSet, policy: Policy) -> Iterator[Violation]:
    """An artifact contains the device code that it registers or that the policy requires.

    Why: An artifact without device code was built without a GPU architecture, or lost its fat
        binary later. It loads, but the first launch fails with "no kernel image is available for
        execution on the device" or "invalid device function". The policy can require device code
        (`require_device_code`, the option `--require-device-code`, or implied by
        `required_architectures` and `required_devices`) and certain kernels (`required_kernels`).
        One file of a wheel is enough, and the other files of a call count together. Without a
        policy, this is an error in a file of another tool whose host code calls
        the function that registers a kernel. It is an info if the file registers only containers,
        which compilers also do for sources without kernels, and runtimes for their own code. KB101
        reports images that are missing according to kbuild's note.

    Fix: Build the artifact with the architectures that it must run on. Compare the release with
        your own build: `kbuild inspect --summary`. If a library of another artifact contains the
        kernels, name it in the same call, or set `require_device_code = false`.

    Source: torch-harmonics#239.
    """
    is_demanded = _is_first(facts, files) and (
        _requires_code(files, policy) or bool(policy.required_kernels)
    )
    registers = facts.kind in LINKED and bool(facts.wrappers) and not facts.modules
    if not is_demanded and not registers:
        raise NotApplicable("no policy requires device code, and no other tool registers any")
    # KB402 reports device code that is not device-linked yet.
    if registers and not any(linkage.unlinked for linkage in facts.linkage):
        yield from _registers_nothing(facts)
    if is_demanded:
        yield from _lacking(files, policy)


def _is_first(facts: ArtifactFacts, files: FileSet) -> bool:
    """Return whether the file stands for its artifact, so that the artifact is judged once."""
    return bool(files.artifact) and files.artifact[0] is facts


def _requires_code(files: FileSet, policy: Policy) -> bool:
    if policy.require_device_code is not None:
        return policy.require_device_code
    paths = (facts.path for facts in files.artifact)
    return any(
        policy.architectures("required_architectures", path)
        or policy.architectures("required_devices", path)
        for path in paths
    )


def _registers_nothing(facts: ArtifactFacts) -> Iterator[Violation]:
    if any(image.kernels for image in facts.images):
        return
    if reason := _unreadable(facts):
        raise LacksEvidence(reason)
    registers = any(linkage.registers_kernels for linkage in facts.linkage)
    what = "its images contain no kernel" if facts.images else "it has no device image"
    yield Violation(
        message=f"the file registers {'kernels' if registers else 'device code'}, but {what}",
        severity="error" if registers else "info",
    )


def _unreadable(facts: ArtifactFacts) -> str | None:
    """Return why the file might contain kernels that are not in its facts."""
    unread = [i for i in facts.images if i.problem or i.kind not in _READABLE]
    if unread:
        return f"cannot read an image of kind {unread[0].kind!r}"
    if any(wrapper.awaits for wrapper in facts.wrappers):
        return "its device code is in other files"
    return "the file is damaged" if facts.problems or facts.note_problems else None


def _lacking(files: FileSet, policy: Policy) -> Iterator[Violation]:
    """Report required device code that no file of the artifact contains."""
    kernels = dict.fromkeys(
        kernel.name for f in files.artifact for image in f.images for kernel in image.kernels
    )
    patterns = policy.required_kernels or ()
    missing = [p for p in patterns if not any(matches_kernel((p,), name) for name in kernels)]
    lacks_code = _requires_code(files, policy) and not kernels
    if not lacks_code and not missing:
        return
    for facts in files.artifact:
        if reason := _unreadable(facts):
            raise LacksEvidence(f"{facts.path}: {reason}")
    is_certain = policy.require_device_code is not None or bool(patterns)
    if not is_certain and all(facts.kind == "executable" for facts in files.artifact):
        raise LacksEvidence("a library can contain the kernels; name it, or use --closure")
    place = _name_artifact(files)
    if lacks_code:
        yield Violation(
            message=f"the policy requires device code, but there is no kernel in {place}"
        )
    for pattern in missing:
        yield Violation(
            message=f"the policy requires kernels that are not in {place}: {PLACES}",
            where=repr(pattern),
        )


def _name_artifact(files: FileSet) -> str:
    outer = {facts.path.partition("!")[0] for facts in files.artifact}
    return outer.pop() if len(outer) == 1 else f"the {len(outer)} files of the call"


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
