"""Device images in a host file: fat binary sections to containers and images."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kbuild.backends import BACKENDS
from kbuild.backends.protocol import Backend, ImageContent, StoredImage
from kbuild.errors import InputError
from kbuild.facts import ContainerFacts, ImageFacts, Place, Section
from kbuild.formats.elf import Elf
from kbuild.inspect.descriptor import Extent
from kbuild.inspect.modules import Target
from kbuild.model import Problem
from kbuild.record import sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class FatBinaries:
    """All device code of one file.

    ``of_targets`` has, for each target, the positions in ``containers`` of its own.
    """

    containers: tuple[ContainerFacts, ...]
    images: tuple[ImageFacts, ...]
    problems: tuple[Problem, ...]
    of_targets: tuple[tuple[int | None, ...], ...]


def read_containers(elf: Elf, targets: tuple[Target, ...]) -> FatBinaries:
    """Read every fat binary section, divided into containers as the descriptors say."""
    containers: list[ContainerFacts] = []
    images: list[ImageFacts] = []
    problems: list[Problem] = []
    numbers: dict[Extent, int] = {}
    claimed = {e for t in targets if t.descriptor for e in t.descriptor.containers}
    for backend, section in _fat_binary_sections(elf):
        content = elf.content(section)
        for extent in _divide(backend, section, content, claimed):
            number = numbers[extent] = len(containers)
            start = extent.place.offset
            part = content[start : start + extent.size]
            found, unreadable = read_container(backend, part, number)
            images.extend(found)
            problems.extend(unreadable)
            container = describe_container(backend, extent, found, unreadable)
            is_relocatable = section.name == backend.RELOCATABLE_SECTION
            containers.append(replace(container, is_relocatable=is_relocatable))
    return FatBinaries(
        containers=tuple(containers),
        images=tuple(images),
        problems=tuple(problems),
        of_targets=tuple(_number_containers(target, numbers) for target in targets),
    )


def _fat_binary_sections(elf: Elf) -> Iterator[tuple[Backend, Section]]:
    for backend in BACKENDS.values():
        for name in (backend.FAT_BINARY_SECTION, backend.RELOCATABLE_SECTION):
            if name is not None:
                for section in elf.sections_named(name):
                    yield backend, section


def _divide(
    backend: Backend, section: Section, content: bytes, claimed: set[Extent]
) -> Iterator[Extent]:
    """The containers in a section, in order, and between them what no target claims."""
    own = [e for e in claimed if e.place.section == section.index]
    position = 0
    for extent in sorted(own, key=lambda e: (e.place.offset, e.size)):
        yield from _unclaimed(backend, section, content, (position, extent.place.offset))
        yield extent
        position = max(position, extent.place.offset + extent.size)
    yield from _unclaimed(backend, section, content, (position, len(content)))


def _unclaimed(
    backend: Backend, section: Section, content: bytes, span: tuple[int, int]
) -> Iterator[Extent]:
    # The linker pads with zeros between the fat binaries of two objects.
    start, end = span
    part = content[start:end]
    start += len(part) - len(part.lstrip(b"\0")) & -backend.FAT_BINARY_ALIGNMENT
    if part.strip(b"\0"):
        for offset, size in backend.divide_fat_binary(content[start:end]):
            place = Place(section=section.index, offset=start + offset)
            yield Extent(place=place, size=size)


def read_container(
    backend: Backend, content: bytes, number: int
) -> tuple[tuple[ImageFacts, ...], tuple[Problem, ...]]:
    """The images of a container, and the problems that belong to none of them alone."""
    stored, problems = backend.read_fat_binary(content)
    return describe_images(backend, stored, problems, number)


def describe_images(
    backend: Backend, stored: tuple[StoredImage, ...], problems: tuple[Problem, ...], number: int
) -> tuple[tuple[ImageFacts, ...], tuple[Problem, ...]]:
    """Container ``number``'s images with what they hold, and the problems of none alone."""
    of_images = {problem.offset: problem.message for problem in problems}
    read = [_read_image(backend, s, number, of_images.get(s.offset)) for s in stored]
    offsets = {s.offset for s in stored}
    others = [
        replace(p, where=f"container {number}, {p.where}")
        for p in problems
        if p.offset not in offsets
    ]
    others += [problem for _, found in read for problem in found]
    return tuple(image for image, _ in read), tuple(others)


def _read_image(
    backend: Backend, stored: StoredImage, container: int, problem: str | None
) -> tuple[ImageFacts, tuple[Problem, ...]]:
    """The image, and what of it makes no sense where the rest does."""
    content = ImageContent(kernels=())
    if problem is None:
        try:
            content = backend.read_image(stored.data)
        except InputError as error:
            problem = str(error)
    where = f"container {container}, {stored.arch}"
    image = ImageFacts(
        backend=backend.NAME,
        arch=stored.arch,
        kind=stored.kind,
        compression=stored.compression,
        size=len(stored.data),
        stored_size=stored.stored_size,
        sha256=sha256(stored.data),
        container=container,
        kernels=content.kernels,
        ptx_version=stored.ptx_version,
        problem=problem,
    )
    return image, tuple(replace(p, where=f"{where}, {p.where}") for p in content.problems)


def describe_container(
    backend: Backend, extent: Extent, images: tuple[ImageFacts, ...], problems: tuple[Problem, ...]
) -> ContainerFacts:
    """The container that ``images`` were found in."""
    has_nameless_image = any(image.problem and not image.arch for image in images)
    return ContainerFacts(
        backend=backend.NAME,
        place=extent.place,
        size=extent.size,
        is_damaged=bool(problems) or has_nameless_image,
        alignment=backend.FAT_BINARY_ALIGNMENT,
    )


def _number_containers(target: Target, numbers: dict[Extent, int]) -> tuple[int | None, ...]:
    if target.descriptor is None:
        return (None,) * len(target.record.containers)
    return tuple(numbers.get(extent) for extent in target.descriptor.containers)
