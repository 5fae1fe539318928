"""Remove device images from one linked ELF file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.backends.interface.read import StoredImage
from kbuild.errors import InputError
from kbuild.facts import Place
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.rewriting import find_obstacle, rewrite
from kbuild.model import Problem
from kbuild.strip.device_sections import (
    DeviceSection,
    StoredContainer,
    find_device_sections,
    is_empty,
    view_container,
)
from kbuild.strip.model import Cause, RemovedImages, StrippedFile
from kbuild.strip.notes import Kept, correct_notes
from kbuild.strip.placement import NewContainer, shrink_in_place
from kbuild.strip.selection import Selection
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """The new content of a file in parts, and what was removed."""

    parts: tuple[Buffer, ...]
    file: StrippedFile


def strip_file(path: str, data: Buffer, select: Selection) -> Stripped | None:
    """Remove images from a linked file.

    Args:
        path: The name of the file in messages.
        data: The content of the file.
        select: Which images of a container stay.

    Returns:
        The new content, in parts that are views of the old one where possible. None if the file
        contains no device code.

    Raises:
        InputError: The file is not linked, a container is damaged or would lose all its images,
            or nothing can remove images from this kind of container.
    """
    elf = Elf(data)
    sections = find_device_sections(path, elf)
    if not sections:
        return None
    linked = find_linked(sections)
    containers: list[NewContainer] = []
    kept: dict[str, None] = {}
    removed: list[RemovedImages] = []
    images: dict[Place, Kept] = {}
    for part in sections:
        gone: list[tuple[StoredImage, Cause]] = []
        for container in part.containers:
            causes = judge(part, container, select, linked)
            if part.role == "executable" and causes and len(causes) == len(container.images):
                _check_needless(path, elf, part, container)
                # A device link writes such containers. The runtime registers them, too.
                causes = {}
            parts = _remove(path, elf, part, container, causes)
            containers.append(NewContainer(section=part, old=container, parts=parts))
            left = _find_left(part, container, causes)
            if causes:
                images[containers[-1].place] = frozenset((i.kind, i.arch) for i in left)
            kept.update(dict.fromkeys(image.arch for image in left))
            gone += [(image, cause) for image, cause in causes.items() if image not in left]
        removed += _count(part, gone)
    obstacle = find_obstacle(elf) if removed else None
    content: tuple[Buffer, ...] = (elf.data,)
    if removed:
        edit = shrink_in_place(elf, containers, can_move=not obstacle)
        notes = tuple(correct_notes(path, elf, containers, images))
        content = tuple(rewrite(elf, replace(edit, patches=(*edit.patches, *notes))))
    return Stripped(
        parts=content,
        file=StrippedFile(
            path=path,
            kept=tuple(kept),
            removed=tuple(removed),
            size=len(data),
            output_size=sum(map(len, content)),
            obstacle=obstacle,
        ),
    )


def find_linked(sections: tuple[DeviceSection, ...]) -> frozenset[tuple[str, str]]:
    """Return (backend, architecture) of the machine code that the file can run."""
    return frozenset(
        (part.backend.name, image.arch)
        for part in sections
        if part.role == "executable"
        for container in part.containers
        for image in container.images
        if image.kind == "elf"
    )


def judge(
    part: DeviceSection,
    container: StoredContainer,
    select: Selection,
    linked: frozenset[tuple[str, str]],
) -> dict[StoredImage, Cause]:
    """Return the images that nobody needs, each with the reason."""
    kept = select(container.images)
    causes: dict[StoredImage, Cause] = {}
    for image in container.images:
        # The driver links relocatable PTX again on devices without machine code. It uses
        # relocatable machine code only if the device link made none for this architecture.
        is_input = part.role == "relocatable" and image.kind == "elf"
        if image.arch not in kept:
            causes[image] = "architecture"
        elif is_input and (part.backend.name, image.arch) in linked:
            causes[image] = "linked"
    return causes


def _check_needless(path: str, elf: Elf, part: DeviceSection, container: StoredContainer) -> None:
    """Check that a container of which no image was to be kept has no kernels.

    Raises:
        InputError: It has kernels, or an image cannot be read.
    """
    reader = part.backend.read
    content = view_container(elf, part, container)
    loaded = reader.load_images(container.images, content, DEFAULT_LIMIT) if reader else ()
    for image, data in loaded:
        if reader and not isinstance(data, Problem) and is_empty(reader, image, data):
            continue
        arches = ", ".join(dict.fromkeys(image.arch for image in container.images))
        raise InputError(
            f"{path}: a container of {part.section.name} would lose all its images, and the "
            f"kernels in it could not run anywhere; also keep one of {arches}"
        )


def _remove(
    path: str,
    elf: Elf,
    part: DeviceSection,
    container: StoredContainer,
    causes: dict[StoredImage, Cause],
) -> tuple[Buffer, ...]:
    """Return the parts of a container without some images."""
    content = view_container(elf, part, container)
    if not causes:
        return (content,)
    repacker = part.backend.repacking
    if repacker is None:
        raise InputError(
            f"{path}: removing images from {part.section.name} is not supported for "
            f"{part.backend.name}; keep all its architectures"
        )
    try:
        parts = repacker.remove_images(content, lambda image: image not in causes)
    except InputError as error:
        raise InputError(f"{path}: {part.section.name}: {error}") from error
    if sum(map(len, parts)) > len(content):
        raise InputError(f"{path}: a container of {part.section.name} would become larger")
    return parts


def _find_left(
    part: DeviceSection, container: StoredContainer, causes: dict[StoredImage, Cause]
) -> tuple[StoredImage, ...]:
    """Return the images that are left: also those that are stored together with such an image."""
    repacker = part.backend.repacking
    if repacker is None or not causes:
        return container.images
    groups = repacker.group_images(container.images)
    return tuple(image for group in groups if not causes.keys() >= {*group} for image in group)


def _count(
    part: DeviceSection, gone: Iterable[tuple[StoredImage, Cause]]
) -> Iterator[RemovedImages]:
    sizes: dict[tuple[str, Cause], list[int]] = {}
    for image, cause in gone:
        sizes.setdefault((image.arch, cause), []).append(image.stored_size)
    for (arch, cause), found in sizes.items():
        yield RemovedImages(
            section=part.section.name, arch=arch, cause=cause, images=len(found), bytes=sum(found)
        )
