"""KB6xx: whether the artifact is what it says it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import ImageRecord, TargetRecord
from kbuild.verify.matching import ContainerMatch, ImagePair, match_containers, require_containers
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import shorten

_HASH_SHOWN: Final = 12


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


RULES: Final[tuple[Rule, ...]] = (note_mismatch, build_path_leak)
