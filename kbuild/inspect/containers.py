"""The containers in a host file: fat binary sections, split where the descriptors say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.backends import find_backend, list_readers
from kbuild.backends.interface.read import ImageReader, Listing
from kbuild.facts import Place, Section
from kbuild.formats.buffer import KEPT, Buffer, release, skip_zeros
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.descriptor import Extent
from kbuild.inspect.host.modules import Target
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container whose images are listed, but not read.

    ``is_claimed`` says whether the note of a kernel target describes it.
    """

    reader: ImageReader
    number: int
    extent: Extent
    content: Buffer
    listing: Listing
    section: str = ""
    is_relocatable: bool = False
    is_claimed: bool = False


def find_containers(elf: Elf, targets: Iterable[Target]) -> Iterator[Container]:
    """Yield the containers of every fat binary section, in file order.

    Args:
        elf: The host file.
        targets: The kernel targets of the file, whose descriptors say where containers start.
    """
    claimed = {e for t in targets if t.descriptor for e in t.descriptor.containers}
    readers = [reader for reader in list_readers() if not _is_split(elf, reader)]
    number = 0
    for section in elf.sections:
        for reader in readers:
            role = reader.find_role(section.name)
            if role is None:
                continue
            content = elf.view(section)
            released = 0
            for extent in _divide(reader, section, content, claimed):
                start = extent.place.offset
                if start - released > KEPT:  # listing reads pages around each header
                    release(content)
                    released = start
                part = content[start : start + extent.size]
                yield Container(
                    reader=reader,
                    number=number,
                    extent=extent,
                    content=part,
                    listing=reader.list_images(part, section.name),
                    section=section.name,
                    is_relocatable=role == "relocatable",
                    is_claimed=extent in claimed,
                )
                number += 1


def _is_split(elf: Elf, reader: ImageReader) -> bool:
    """Return whether a tool moved the images to other files, and left only parts of them."""
    conventions = find_backend(reader.NAME).host
    wrapper = conventions.wrapper if conventions else None
    section = wrapper.split_section if wrapper else None
    return section is not None and bool(elf.sections_named(section))


def _divide(
    reader: ImageReader, section: Section, content: Buffer, claimed: set[Extent]
) -> Iterator[Extent]:
    """Yield the containers of a section in order, claimed or not."""
    own = [e for e in claimed if e.place.section == section.index]
    position = 0
    for extent in sorted(own, key=lambda e: (e.place.offset, e.size)):
        # Extents overlap only in forged files, which could have the same bytes read many times.
        if extent.place.offset >= position:
            yield from _divide_unclaimed(reader, section, content, (position, extent.place.offset))
            yield extent
            position = extent.place.offset + extent.size
    yield from _divide_unclaimed(reader, section, content, (position, len(content)))


def _divide_unclaimed(
    reader: ImageReader, section: Section, content: Buffer, span: tuple[int, int]
) -> Iterator[Extent]:
    # The linker pads with zeros between the fat binaries of two objects.
    start, end = span
    first = min(skip_zeros(content, start), end)
    start += first - start & -reader.find_alignment(section.name)
    if first < end:
        for offset, size in reader.divide(content[start:end]):
            place = Place(section=section.index, offset=start + offset)
            yield Extent(place=place, size=size)
