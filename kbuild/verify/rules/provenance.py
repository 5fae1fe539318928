"""KB6xx: whether the artifact is what it says it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import ImageRecord, TargetRecord
from kbuild.verify.matching import ContainerMatch, ImagePair, match_containers, require_containers
from kbuild.verify.rule import (
    KERNELS,
    LacksEvidence,
    NotApplicable,
    Rule,
    Violation,
    name_kernels,
    rule,
)
from kbuild.verify.wording import shorten

_HASH_SHOWN: Final = 12
# The drivers that compile PTX keep its names.
_NAMING_KINDS: Final = ("elf", "ptx")


@rule("KB601", "note-mismatch", severity="error", needs=())
def note_mismatch(facts: ArtifactFacts) -> Iterator[Violation]:
    """The file's `.note.kbuild` describes the images that are in the file.

    Why: Everything that judges or loads the artifact trusts the note. Images with other
        hashes, architectures or kernels were swapped, patched or mixed from two builds
        after the note was written.

    Fix: Rebuild the target from clean, and do not edit device code in a finished file.

    Source: DESIGN.md, "Kernel identity".
    """
    if not facts.modules and not facts.note_problems:
        raise NotApplicable("no .note.kbuild")
    for problem in facts.note_problems:
        yield Violation(message=f"{problem.where}: {problem.message}")
    for module in facts.modules:
        yield from _contradictions(module.record)
    for container in match_containers(facts):
        if container.record is not None:
            yield from _mismatches(container)
    require_containers(facts)


def _contradictions(record: TargetRecord) -> Iterator[Violation]:
    """What a record says against itself."""
    count = len(record.containers)
    for row in record.kernels:
        if not 0 <= row.container < count:
            yield Violation(
                message=f"{row.display} is in container {row.container}, the record has {count}",
                symbol=row.handle,
            )


def _mismatches(container: ContainerMatch) -> Iterator[Violation]:
    rows = {row.device_name for row in container.rows}
    for pair in container.pairs:
        # An unreadable image is KB109's, an absent one KB101's.
        if pair.found is None or pair.found.problem is not None:
            continue
        message = _describe(pair, pair.found, rows)
        if message:
            yield Violation(message=f"{container.name}: {message}", arch=pair.found.arch or None)


def _describe(pair: ImagePair, found: ImageFacts, rows: set[str]) -> str | None:
    expected = pair.expected
    if expected is None:
        return f"the note does not mention the image for {found.arch}"
    if expected.sha256 != found.sha256:
        return (
            f"the image for {found.arch} has SHA-256 {(found.sha256 or '')[:_HASH_SHOWN]}..., "
            f"the note says {expected.sha256[:_HASH_SHOWN]}..."
        )
    if expected.arch != found.arch:
        return f"the note says {expected.arch} of the image labelled {found.arch}"
    if (expected.kind, expected.size) != (found.kind, found.size):
        return (
            f"the image for {found.arch} is {found.kind} of {found.size} bytes, "
            f"the note says {expected.kind} of {expected.size}"
        )
    return _describe_kernels(expected, found, rows)


def _describe_kernels(expected: ImageRecord, found: ImageFacts, rows: set[str]) -> str | None:
    names = {kernel.name for kernel in found.kernels}
    # A kernel of the table that the image lacks is KB103's.
    differing = sorted((names ^ set(expected.kernels)) - (rows - names))
    if not differing:
        return None
    return f"the note and the image for {found.arch} differ in the kernels {', '.join(differing)}"


@rule("KB602", "build-path-leak", severity="info", needs=("images",))
def build_path_leak(facts: ArtifactFacts) -> Iterator[Violation]:
    """Images do not name the folders of the machine that compiled them.

    Why: Paths tell strangers about the builder's machine, and make the same sources compiled
        in another folder another file, so that no build can be compared with a release.

    Fix: Ship images without debug information (no `-G`, `-lineinfo` or `-g`), or map the
        folders: `-ffile-prefix-map`, `-fdebug-prefix-map`.

    Source: reproducible-builds.org, "Build path"; gcc(1), `-ffile-prefix-map`.
    """
    paths = [path for image in facts.images for path in image.source_paths]
    if paths:
        architectures = [image.arch for image in facts.images if image.source_paths]
        yield Violation(message=f"{shorten(paths)} in the images for {shorten(architectures)}")


@rule("KB603", "unidentifiable-kernel", severity="warning", needs=("images",))
def unidentifiable_kernel(facts: ArtifactFacts) -> Iterator[Violation]:
    """Every kernel has a symbol of its name in the images that it runs from.

    Why: Profilers and debuggers name what runs on a device by the symbols of its image:
        NVIDIA's by the cubin's symbol table, AMD's by the code object's descriptors
        (`NAME.kd`), perf and gdb by the symbols of kbuild's CPU image. Without one they show
        addresses, and the host's side cannot help: there the name is known to whoever
        traces launches (the handle's symbol, the name given at registration, the note), not
        to whoever samples what runs. Stripping a host file does not touch its images.

    Fix: Strip the host file and leave its images alone: no `-s` for the compiler that links
        CPU images, by a wrapper or a specs file either, and no `llvm-strip` or `objcopy` on
        cubins and code objects before they are packed.

    Source: measured with gdb 13, perf 6.1 and gcc 12: frames and samples in an image linked
        with `-s` bear no name; code objects keep their names, because `llvm-strip` leaves
        `.dynsym`; LLVM's "User Guide for AMDGPU Backend", "Kernel Descriptor".
    """
    if not any(image.kernels or image.nameless for image in facts.images):
        raise NotApplicable("the images show no kernel")
    if facts.wrappers and not facts.modules and not any(i.kernels for i in facts.images):
        raise NotApplicable("no kernel in the images can be launched")  # KB102's
    unseen = {}
    for container in match_containers(facts):
        for image in container.readable:
            if image.kind not in _NAMING_KINDS:
                unseen[image.kind] = f"an image of kind {image.kind!r}"
                continue
            # What can be launched from other images, and not from this one, is KB103's.
            missing = container.kernels.keys() - {kernel.name for kernel in image.kernels}
            names = [name for name in image.nameless if name not in missing]
            if names:
                yield Violation(
                    message=f"no symbol in the {image.arch} image of {container.name} names "
                    f"{KERNELS}",
                    arch=image.arch,
                    kernels=name_kernels(names),
                )
    if unseen:
        raise LacksEvidence("; ".join(unseen.values()))


RULES: Final[tuple[Rule, ...]] = (note_mismatch, build_path_leak, unidentifiable_kernel)
