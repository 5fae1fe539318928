"""KB601 to KB603: whether the artifact is what it claims to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import ImageRecord, TargetRecord
from kbuild.verify.matching import ContainerMatch, ImagePair, match_containers, require_containers
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import ARCHITECTURES, KERNELS, PLACES, plural, shorten

_HASH_SHOWN: Final = 12
# Drivers that compile PTX keep its names.
_NAMING_KINDS: Final = ("elf", "ptx")


@rule("KB601", "note-mismatch", severity="error", needs=())
def note_mismatch(facts: ArtifactFacts) -> Iterator[Violation]:
    """The file's `.note.kbuild` describes the images in the file.

    Why: Every tool that checks or loads the artifact relies on the note. If hashes,
        architectures, or kernels differ, the images were replaced, patched, or mixed from two
        builds after the note was written.

        It is an error, because the note and the images contradict each other.

    Fix: Rebuild the target from a clean directory, and do not edit device code in a finished
        file.

    Source: `kbuild/module.h`: the note repeats the kernel table with the hashes of the images.
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
    """Report contradictions inside a record."""
    count = len(record.containers)
    for row in record.kernels:
        if not 0 <= row.container < count:
            yield Violation(
                message=f"{KERNELS} is in container {row.container}, but the record has only "
                f"{plural(count, 'container')}",
                symbol=row.handle,
            )


def _mismatches(container: ContainerMatch) -> Iterator[Violation]:
    rows = {row.device_name for row in container.rows}
    for pair in container.pairs:
        # KB109 reports unreadable images, and KB101 missing ones.
        if pair.found is None or pair.found.problem is not None:
            continue
        message = _describe(pair, pair.found, rows)
        if message:
            yield Violation(
                message=f"{PLACES}: {message}", arch=pair.found.arch or None, where=container.name
            )


def _describe(pair: ImagePair, found: ImageFacts, rows: set[str]) -> str | None:
    expected = pair.expected
    if expected is None:
        return f"the note does not mention the image for {found.arch}"
    if expected.sha256 != found.sha256:
        return (
            f"the image for {found.arch} has SHA-256 {(found.sha256 or '')[:_HASH_SHOWN]}..., "
            f"but the note says {expected.sha256[:_HASH_SHOWN]}..."
        )
    if expected.arch != found.arch:
        return f"the image for {found.arch} is for {expected.arch} according to the note"
    if (expected.kind, expected.size) != (found.kind, found.size):
        return (
            f"the image for {found.arch} is {found.kind} of {found.size} bytes, "
            f"but the note says {expected.kind} of {expected.size}"
        )
    return _describe_kernels(expected, found, rows)


def _describe_kernels(expected: ImageRecord, found: ImageFacts, rows: set[str]) -> str | None:
    names = {kernel.name for kernel in found.kernels}
    # KB103 reports kernels of the table that the image lacks.
    differing = sorted((names ^ set(expected.kernels)) - (rows - names))
    if not differing:
        return None
    return f"the note and the image for {found.arch} differ in kernels: {', '.join(differing)}"


@rule("KB602", "build-path-leak", severity="info", needs=("images",))
def build_path_leak(facts: ArtifactFacts) -> Iterator[Violation]:
    """Images do not contain paths of the machine that compiled them.

    Why: Paths tell strangers about the build machine. They also make the result depend on the
        build directory, so that no build can be compared with a release.

    Fix: Ship images without debug information (no `-G`, `-lineinfo`, or `-g`), or map the
        directories with `-ffile-prefix-map` or `-fdebug-prefix-map`.

    Source: reproducible-builds.org, "Build path"; gcc(1), `-ffile-prefix-map`.
    """
    paths = [path for image in facts.images for path in image.source_paths]
    if paths:
        architectures = [image.arch for image in facts.images if image.source_paths]
        yield Violation(
            message=f"the images for {shorten(architectures)} contain paths: {shorten(paths)}"
        )


@rule("KB603", "unidentifiable-kernel", severity="warning", needs=("images",))
def unidentifiable_kernel(facts: ArtifactFacts) -> Iterator[Violation]:
    """Every kernel has a symbol with its name in the images that it runs from.

    Why: Profilers and debuggers name what runs on a device by the symbols of its image:
        NVIDIA's by the symbol table of the cubin, AMD's by the descriptors of the code object
        (`NAME.kd`), and perf and gdb by the symbols of kbuild's CPU image. Without a symbol they
        show addresses. The host side cannot help: tools that trace launches know the kernel's
        name there, but tools that sample the device do not. Stripping a host file does not
        change its images.

    Fix: Strip the host file, but not its images: do not pass `-s` to the compiler that links
        CPU images (check wrappers and specs files, too), and do not run `llvm-strip` or
        `objcopy` on cubins and code objects before they are packed.

    Source: measured with gdb 13, perf 6.1, and gcc 12: frames and samples in an image that was
        linked with `-s` have no name. Code objects keep their names, because `llvm-strip` keeps
        `.dynsym`: LLVM's "User Guide for AMDGPU Backend", "Kernel Descriptor".
    """
    if not any(image.kernels or image.nameless for image in facts.images):
        raise NotApplicable("the images show no kernels")
    if facts.wrappers and not facts.modules and not any(i.kernels for i in facts.images):
        raise NotApplicable("no kernel in the images can be launched")  # KB102 reports that
    unjudged = {}
    for container in match_containers(facts):
        for image in container.readable:
            if image.kind not in _NAMING_KINDS:
                unjudged[image.kind] = f"cannot read an image of kind {image.kind!r}"
                continue
            # KB103 reports kernels that other images have and this one lacks.
            missing = container.kernels.keys() - {kernel.name for kernel in image.kernels}
            for name in image.nameless:
                if name not in missing:
                    yield Violation(
                        message=f"the {ARCHITECTURES} image of {PLACES} has no symbol for "
                        f"{KERNELS}",
                        symbol=name,
                        arch=image.arch,
                        where=container.name,
                    )
    if unjudged:
        raise LacksEvidence("; ".join(unjudged.values()))


RULES: Final[tuple[Rule, ...]] = (note_mismatch, build_path_leak, unidentifiable_kernel)
