"""Containers in a host file: fat binary sections, divided as the descriptors say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kbuild.backends import list_readers
from kbuild.backends.interface.read import ImageReader, Listing
from kbuild.facts import Place, Section
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.descriptor import Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container before its images are read; ``is_claimed`` by a kernel target's note."""

    reader: ImageReader
    number: int
    extent: Extent
    content: Buffer
    listing: Listing
    section: str = ""
    is_relocatable: bool = False
    is_claimed: bool = False


def find_containers(elf: Elf, claimed: set[Extent]) -> Iterator[Container]:
    """The containers of every fat binary section; ``claimed`` are those that notes describe."""
    number = 0
    for section in elf.sections:
        for reader in list_readers():
            role = reader.find_role(section.name)
            if role is None:
                continue
            content = elf.view(section)
            for extent in _divide(reader, section, content, claimed):
                start = extent.place.offset
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


def _divide(
    reader: ImageReader, section: Section, content: Buffer, claimed: set[Extent]
) -> Iterator[Extent]:
    """The containers in a section, in order, and between them what no target claims."""
    own = [e for e in claimed if e.place.section == section.index]
    position = 0
    for extent in sorted(own, key=lambda e: (e.place.offset, e.size)):
        # Those of a sound file do not overlap; forged ones would have their bytes read again.
        if extent.place.offset >= position:
            yield from _unclaimed(reader, section, content, (position, extent.place.offset))
            yield extent
            position = extent.place.offset + extent.size
    yield from _unclaimed(reader, section, content, (position, len(content)))


def _unclaimed(
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
