"""Files of which only the device code is read: images, fat binaries, and Windows binaries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from kbuild.backends import list_readers
from kbuild.backends.interface.read import ImageReader
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts, FileKind, Place
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.portable_executable import (
    PortableSection,
    is_portable_executable,
    read_portable_executable,
)
from kbuild.inspect.containers import Container
from kbuild.inspect.file_content import hash_content
from kbuild.inspect.host.descriptor import Extent
from kbuild.inspect.images import describe_container, read_containers
from kbuild.inspect.options import ReadOptions
from kbuild.values import replace


def read_device_file(path: str, content: Buffer, options: ReadOptions) -> ArtifactFacts | None:
    """Return the facts of a file of device code, or None if no reader recognizes it."""
    found = find_device_containers(path, content)
    if found is not None:
        return _read(path, found[0], content, found[1], options)
    if not is_portable_executable(content):
        return None
    try:
        machine, sections = read_portable_executable(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    containers = tuple(_find_in_sections(sections))
    facts = _read(path, "windows-binary", content, containers, options)
    return replace(facts, machine=machine)


def _find_in_sections(sections: tuple[PortableSection, ...]) -> Iterator[Container]:
    numbers = itertools.count()
    for index, section in enumerate(sections):
        for reader in list_readers():
            role = reader.find_role(section.name)
            if role is None:
                continue
            start = skip_zeros(section.content, 0)
            for offset, size in reader.divide(section.content[start:]):
                part = section.content[start + offset : start + offset + size]
                yield Container(
                    reader=reader,
                    number=next(numbers),
                    extent=Extent(place=Place(section=index, offset=start + offset), size=size),
                    content=part,
                    listing=reader.list_images(part, section.name),
                    section=section.name,
                    is_relocatable=role == "relocatable",
                )


def find_device_containers(
    path: str, content: Buffer
) -> tuple[FileKind, tuple[Container, ...]] | None:
    """Find the kind and the containers of a file of device code.

    Returns:
        The file's kind and its containers, whose images are not read yet. None if no reader
        recognizes the file.

    Raises:
        InputError: The file is a damaged device image.
    """
    for reader in list_readers():
        if reader.is_fat_binary(content):
            return "fat-binary", tuple(_divide(reader, content))
        try:
            listing = reader.list_bare_image(content)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if listing is not None:
            extent = Extent(place=Place(section=0, offset=0), size=len(content))
            container = Container(
                reader=reader, number=0, extent=extent, content=content, listing=listing
            )
            return "image", (container,)
    return None


def _divide(reader: ImageReader, content: Buffer) -> Iterator[Container]:
    for number, (start, size) in enumerate(reader.divide(content)):
        part = content[start : start + size]
        yield Container(
            reader=reader,
            number=number,
            extent=Extent(place=Place(section=0, offset=start), size=size),
            content=part,
            listing=reader.list_images(part, ""),
        )


def _read(
    path: str,
    kind: FileKind,
    content: Buffer,
    containers: tuple[Container, ...],
    options: ReadOptions,
) -> ArtifactFacts:
    contents = read_containers(containers, options)
    return ArtifactFacts(
        path=path,
        kind=kind,
        machine=None,
        sha256=None if options.summary else hash_content(content),
        containers=tuple(map(describe_container, containers, contents)),
        images=tuple(image for read in contents for image in read.images),
        problems=tuple(problem for read in contents for problem in read.problems),
        is_summary=options.summary,
    )
