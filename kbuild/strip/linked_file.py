"""Remove device images from one linked ELF file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from kbuild.backends import BACKENDS
from kbuild.backends.interface.backend import Backend
from kbuild.backends.interface.read import ImageReader, SectionRole, StoredImage
from kbuild.errors import InputError
from kbuild.facts import Section
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.file import Elf
from kbuild.formats.target_note import SECTION as NOTE
from kbuild.strip.model import Cause, RemovedImages, StrippedFile
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A section with device code. ``containers`` has the images of each container."""

    backend: Backend
    section: Section
    role: SectionRole
    containers: tuple[tuple[StoredImage, ...], ...]


def strip_file(
    path: str, data: Buffer, keep: frozenset[str] | None
) -> tuple[bytes, StrippedFile] | None:
    """Remove images from a linked file.

    Args:
        path: The name of the file in messages.
        data: The content of the file.
        keep: The architectures to keep; None keeps all.

    Returns:
        The new content, which has the same size, and what was removed. None if the file contains
        no device code.

    Raises:
        InputError: The file is not linked, a container is damaged or would lose all its images,
            or nothing can remove images from this kind of container.
    """
    elf = Elf(data)
    parts = tuple(_find_parts(path, elf))
    if not any(part.containers for part in parts):
        return None
    _check_file(path, elf)
    linked = _find_linked(parts)
    changed = bytearray(elf.data)
    kept: dict[str, None] = {}
    removed: list[RemovedImages] = []
    for part in parts:
        find_cause = _make_judge(part, keep, linked)
        _check_containers(path, part, find_cause)
        content = _remove(path, part, elf.view(part.section), find_cause)
        changed[part.section.offset : part.section.offset + part.section.size] = content
        left = list(_list_stored(part, content))
        kept.update(dict.fromkeys(image.arch for image in left))
        removed += _count(part, left, find_cause)
    return bytes(changed), StrippedFile(path=path, kept=tuple(kept), removed=tuple(removed))


def _find_parts(path: str, elf: Elf) -> Iterator[_Part]:
    for section in elf.sections:
        if section.type == "SHT_NOBITS":
            continue
        for backend in BACKENDS.values():
            reader = backend.read
            role = reader.find_role(section.name) if reader else None
            if reader and role:
                containers = tuple(_list_containers(path, reader, section, elf.view(section)))
                yield _Part(backend=backend, section=section, role=role, containers=containers)


def _list_containers(
    path: str, reader: ImageReader, section: Section, content: Buffer
) -> Iterator[tuple[StoredImage, ...]]:
    for start, size in reader.divide(content):
        listing = reader.list_images(content[start : start + size], section.name)
        broken = [*listing.problems, *(i for i in listing.images if i.problem)]
        if broken:
            raise InputError(
                f"{path}: the container at byte {start:#x} of {section.name} is damaged, so its "
                "images cannot be told apart; 'kbuild inspect' says more"
            )
        yield listing.images


def _check_file(path: str, elf: Elf) -> None:
    if not elf.is_linked:
        raise InputError(f"{path}: a relocatable file; link it first, then strip the result")
    if elf.sections_named(NOTE):
        raise InputError(
            f"{path}: {NOTE} lists every image of this file, which kbuild built; build it again "
            "with the architectures to keep (ARCHITECTURES, or 'architectures' in kbuild.toml)"
        )


def _find_linked(parts: tuple[_Part, ...]) -> frozenset[tuple[str, str]]:
    """Return (backend, architecture) of the machine code that the file can run."""
    return frozenset(
        (part.backend.name, image.arch)
        for part in parts
        if part.role == "executable"
        for images in part.containers
        for image in images
        if image.kind == "elf"
    )


def _make_judge(
    part: _Part, keep: frozenset[str] | None, linked: frozenset[tuple[str, str]]
) -> Callable[[StoredImage], Cause | None]:
    """Return a function that says why an image goes; None if it stays."""

    def find_cause(image: StoredImage) -> Cause | None:
        if keep is not None and image.arch not in keep:
            return "architecture"
        # The driver links relocatable PTX again on devices without machine code. It uses
        # relocatable machine code only if the device link made none for this architecture.
        is_input = part.role == "relocatable" and image.kind == "elf"
        return "linked" if is_input and (part.backend.name, image.arch) in linked else None

    return find_cause


def _check_containers(
    path: str, part: _Part, find_cause: Callable[[StoredImage], Cause | None]
) -> None:
    """Check that each container that the runtime registers keeps an image."""
    for images in part.containers:
        if part.role == "executable" and images and all(map(find_cause, images)):
            arches = ", ".join(dict.fromkeys(image.arch for image in images))
            raise InputError(
                f"{path}: a container of {part.section.name} would lose all its images, and the "
                f"kernels in it could not run anywhere; also keep one of {arches}"
            )


def _remove(
    path: str,
    part: _Part,
    content: Buffer,
    find_cause: Callable[[StoredImage], Cause | None],
) -> Buffer:
    if not any(find_cause(image) for images in part.containers for image in images):
        return content
    remover = part.backend.removal
    if remover is None:
        raise InputError(
            f"{path}: removing images from {part.section.name} is not supported for "
            f"{part.backend.name}; keep all its architectures"
        )
    return remover.remove_images(content, lambda image: find_cause(image) is None)


def _list_stored(part: _Part, content: Buffer) -> Iterator[StoredImage]:
    reader = part.backend.read
    if reader is not None:
        for start, size in reader.divide(content):
            yield from reader.list_images(content[start : start + size], part.section.name).images


def _count(
    part: _Part, left: list[StoredImage], find_cause: Callable[[StoredImage], Cause | None]
) -> Iterator[RemovedImages]:
    """Yield what is no longer there, by architecture and cause."""
    remaining = Counter(map(_identify, left))
    gone: dict[tuple[str, Cause], list[int]] = {}
    for image in (i for images in part.containers for i in images):
        cause = find_cause(image)
        if remaining[_identify(image)] > 0:
            remaining[_identify(image)] -= 1
        elif cause is not None:
            gone.setdefault((image.arch, cause), []).append(image.stored_size)
    for (arch, cause), sizes in gone.items():
        yield RemovedImages(
            section=part.section.name, arch=arch, cause=cause, images=len(sizes), bytes=sum(sizes)
        )


def _identify(image: StoredImage) -> tuple[str, str, int]:
    # What happens to an image follows from its architecture and kind, so that two images with
    # the same description need no order.
    return image.arch, image.kind, image.stored_size
