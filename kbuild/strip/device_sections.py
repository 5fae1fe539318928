"""The sections with device code of a linked file, and the containers in them."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.backends import BACKENDS
from kbuild.backends.interface.backend import Backend
from kbuild.backends.interface.read import ImageReader, SectionRole, StoredImage
from kbuild.errors import InputError
from kbuild.facts import Section
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.elf.file import Elf
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredContainer:
    """A container: ``size`` bytes from ``offset`` of its section, with the padding behind it."""

    offset: int
    size: int
    images: tuple[StoredImage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSection:
    """A section with device code."""

    backend: Backend
    section: Section
    role: SectionRole
    containers: tuple[StoredContainer, ...]


def find_device_sections(path: str, elf: Elf) -> tuple[DeviceSection, ...]:
    """Return the sections with device code of a file; none if it has no images.

    Args:
        path: The name of the file in messages.
        elf: The file.

    Raises:
        InputError: The file is not linked, or a container is damaged.
    """
    found = tuple(_find(path, elf))
    if not any(container.images for part in found for container in part.containers):
        return ()
    if not elf.is_linked:
        raise InputError(f"{path}: a relocatable file; link it first, then change the result")
    return found


def _find(path: str, elf: Elf) -> Iterator[DeviceSection]:
    for section in elf.sections:
        if section.type == "SHT_NOBITS":
            continue
        for backend in BACKENDS.values():
            reader = backend.read
            role = reader.find_role(section.name) if reader else None
            if reader and role:
                yield DeviceSection(
                    backend=backend,
                    section=section,
                    role=role,
                    containers=tuple(_list_containers(path, reader, section, elf.view(section))),
                )


def _list_containers(
    path: str, reader: ImageReader, section: Section, content: Buffer
) -> Iterator[StoredContainer]:
    for start, size in reader.divide(content):
        listing = reader.list_images(content[start : start + size], section.name)
        broken = [*listing.problems, *(i for i in listing.images if i.problem)]
        if broken:
            raise InputError(
                f"{path}: the container at byte {start:#x} of {section.name} is damaged, so its "
                "images cannot be told apart; 'kbuild inspect' says more"
            )
        # A container without images has a place among the others; padding has none.
        if skip_zeros(content[start : start + size], 0) < size:
            yield StoredContainer(offset=start, size=size, images=listing.images)


def is_empty(reader: ImageReader, image: StoredImage, data: Buffer) -> bool:
    """Return whether an image is known to have no kernel."""
    if image.kind not in ("elf", "ptx"):
        return False
    try:
        return not reader.read_image(data, image.kind).kernels
    except InputError:
        return False  # a reader that does not know its format cannot tell


def view_container(elf: Elf, part: DeviceSection, container: StoredContainer) -> Buffer:
    """Return the bytes of a container."""
    return elf.view(part.section)[container.offset : container.offset + container.size]
