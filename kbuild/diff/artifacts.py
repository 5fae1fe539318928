"""Compare two artifacts: images, functions, data, and handles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from kbuild.backends import find_backend
from kbuild.demangle.names import demangle
from kbuild.diff.handles import compare_handles
from kbuild.diff.kernel_changes import describe_change, is_identical
from kbuild.diff.matching import Entry, Group, Match, group_images, list_entries, match_entries
from kbuild.diff.model import (
    ArtifactChange,
    DataChange,
    FieldChange,
    FunctionChange,
    HandleChange,
    ImageChange,
)
from kbuild.diff.pairing import Artifact
from kbuild.facts import ImageFacts
from kbuild.inspect.image_bytes import ImagePlace


class ImageLocation(NamedTuple):
    """An image in a file, and its decompressed size in bytes."""

    file: Path
    place: ImagePlace
    size: int


class CodeLocation(NamedTuple):
    """A function in an image. ``size`` is the size of its code in bytes, None if unknown."""

    image: ImageLocation
    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A change of a function, before its code is disassembled.

    ``codes`` identify the code of each side. ``locations`` say where the code of both sides is.
    They are None if the digests already tell whether the code differs.

    A draft does not refer to facts, because the facts of a large library need much more memory
    than the changes.
    """

    change: FunctionChange
    codes: tuple[Hashable, Hashable]
    locations: tuple[CodeLocation, CodeLocation] | None = None


@dataclass(slots=True, kw_only=True)
class Differences:
    """The differences found so far, while pairs of artifacts are compared."""

    compared: int = 0
    artifacts: list[ArtifactChange] = field(default_factory=list)
    images: list[ImageChange] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    data: list[DataChange] = field(default_factory=list)
    handles: list[HandleChange] = field(default_factory=list)


def compare_artifacts(old: Artifact | None, new: Artifact | None, found: Differences) -> None:
    """Add the differences between two artifacts to ``found``.

    Args:
        old: The old artifact, or None if only the new side has it.
        new: The new artifact, or None if only the old side has it.
        found: The differences to extend.
    """
    if old is None or new is None:
        found.artifacts.extend(_describe_unpaired(old, new))
        return
    if old.facts.sha256 is not None and old.facts.sha256 == new.facts.sha256:
        found.compared += sum(len(image.kernels) for image in old.facts.images)
        return
    name = new.name or new.file.name
    left, right = group_images(old), group_images(new)
    for group in dict.fromkeys((*left, *right)):
        if group not in left or group not in right:
            found.images.append(_describe_group(name, group, group in right))
            continue
        _compare_group(name, group, (old, left[group]), (new, right[group]), found)
    found.handles.extend(compare_handles(name, old, new))


def _describe_unpaired(old: Artifact | None, new: Artifact | None) -> Iterator[ArtifactChange]:
    artifact = old or new
    if artifact and artifact.facts.images:
        yield ArtifactChange(
            file=artifact.name or artifact.file.name,
            status="removed" if new is None else "added",
            kernels=len({k.name for image in artifact.facts.images for k in image.kernels}),
        )


def _describe_group(file: str, group: Group, is_new: bool) -> ImageChange:
    return ImageChange(
        file=file,
        status="added" if is_new else "removed",
        backend=group.backend,
        arch=group.arch,
        kind=group.kind,
    )


def _compare_group(
    file: str,
    group: Group,
    old: tuple[Artifact, Sequence[tuple[int, ImageFacts]]],
    new: tuple[Artifact, Sequence[tuple[int, ImageFacts]]],
    found: Differences,
) -> None:
    for match in match_entries(group, list_entries(*old), list_entries(*new)):
        before, after = match.old, match.new
        if before and after:
            found.compared += before.kernel is not None
            if match.kind == "same" and not match.copies and is_identical(before, after):
                continue
        found.drafts.append(_draft(match, group, file))
    images = [image for _, image in old[1]], [image for _, image in new[1]]
    found.images.extend(_compare_images(file, group, *images))
    found.data.extend(_compare_data(file, group, *images))


def _draft(match: Match, group: Group, file: str) -> Draft:
    old, new = match.old, match.new
    needs_code = (
        old is not None
        and new is not None
        and old.digest is not None
        and new.digest is not None
        and (old.digest, old.context) != (new.digest, new.context)
    )
    return Draft(
        change=describe_change(match, group, file),
        codes=(_identify(old), _identify(new)),
        locations=(_locate(old), _locate(new)) if needs_code and old and new else None,
    )


def _identify(entry: Entry | None) -> Hashable:
    return (entry.digest, entry.context) if entry else None


def _locate(entry: Entry) -> CodeLocation:
    size = entry.kernel.resources.code_bytes if entry.kernel else None
    image = entry.artifact.facts.images[entry.position]
    location = ImageLocation(entry.artifact.file, entry.place, image.size)
    return CodeLocation(location, entry.name, size)


def _compare_images(
    file: str, group: Group, old: Sequence[ImageFacts], new: Sequence[ImageFacts]
) -> Iterator[ImageChange]:
    """Compare the images as a whole: sizes, PTX versions, and the bytes of opaque images."""
    sizes = tuple(_compare_field("size", sum(i.size for i in old), sum(i.size for i in new)))
    code = list(_compare_field("ptx_version", _spell_versions(old), _spell_versions(new)))
    if _count_opaque(old) != _count_opaque(new):
        code.append(FieldChange(field="bytes", old=_spell_digests(old), new=_spell_digests(new)))
    if sizes or code:
        yield ImageChange(
            file=file,
            status="changed",
            backend=group.backend,
            arch=group.arch,
            kind=group.kind,
            sizes=sizes,
            code=tuple(code),
        )


def _compare_field(
    name: str, old: int | str | None, new: int | str | None
) -> Iterator[FieldChange]:
    if old != new:
        yield FieldChange(field=name, old=old, new=new)


def _spell_versions(images: Sequence[ImageFacts]) -> str | None:
    return ", ".join(sorted({i.ptx_version for i in images if i.ptx_version})) or None


def _count_opaque(images: Sequence[ImageFacts]) -> Counter[str | None]:
    """Count the digests of the images whose functions cannot be separated."""
    codes = [image.code for image in images if image.code]
    return Counter(c.context for c in codes if c.context is not None and not c.functions)


def _spell_digests(images: Sequence[ImageFacts]) -> str:
    return ", ".join(sorted(digest for digest in _count_opaque(images) if digest))


def _compare_data(
    file: str, group: Group, old: Sequence[ImageFacts], new: Sequence[ImageFacts]
) -> Iterator[DataChange]:
    reader = find_backend(group.backend).code
    if reader is None:
        return
    sides: list[dict[str, list[str]]] = []
    for images in (old, new):
        values: dict[str, list[str]] = {}
        for image in images:
            for name, value in image.code.data if image.code else ():
                values.setdefault(reader.canonical_name(name), []).append(value)
        sides.append(values)
    left, right = sides
    for name in dict.fromkeys((*left, *right)):
        if sorted(left.get(name, ())) != sorted(right.get(name, ())):
            yield DataChange(
                file=file,
                status="removed" if name not in right else "changed" if name in left else "added",
                backend=group.backend,
                arch=group.arch,
                kind=group.kind,
                name=name,
                display=demangle(name),
            )
