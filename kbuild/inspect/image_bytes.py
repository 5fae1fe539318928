"""The bytes of device images in files whose facts are known; they are read again, not kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from kbuild.backends.interface.read import StoredImage
from kbuild.errors import InputError
from kbuild.formats import wheel
from kbuild.formats.buffer import Buffer, release
from kbuild.formats.elf.file import Elf
from kbuild.inspect.containers import Container, find_containers
from kbuild.inspect.device import find_device_containers
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.modules import find_modules
from kbuild.inspect.images import limit_decompression
from kbuild.inspect.members import Nesting, find_members
from kbuild.inspect.options import ReadOptions
from kbuild.model import Problem
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePlace:
    """The place of an image: the path of its artifact, and its position in the artifact's facts.

    An archive can have several members of one name. ``occurrence`` counts those before this one.
    """

    artifact: str
    occurrence: int
    position: int


def load_images(
    path: Path, places: frozenset[ImagePlace], options: ReadOptions
) -> Iterator[tuple[ImagePlace, Buffer]]:
    """Yield each requested image of a file in file order, with one image in memory at a time."""
    by_artifact: dict[tuple[str, int], dict[int, ImagePlace]] = {}
    for place in places:
        key = (place.artifact, place.occurrence)
        by_artifact.setdefault(key, {})[place.position] = place
    seen: dict[str, int] = {}
    for name, content in iterate_artifacts(path, options):
        occurrence = seen.get(name, 0)
        seen[name] = occurrence + 1
        requested = by_artifact.get((name, occurrence))
        if requested:
            for position, _, data in _iterate_images(name, content, options, requested):
                yield requested[position], data


def iterate_artifacts(path: Path, options: ReadOptions) -> Iterator[tuple[str, Buffer]]:
    """Yield the name and bytes of each artifact in a file.

    The artifacts of an archive or wheel are its members, named ``outer!inner``. Any other file
    is one artifact.

    Raises:
        InputError: The file cannot be read.
    """
    nesting = Nesting(room=wheel.Room(left=options.archive_limit))
    return _iterate_contents(str(path), open_content(path), nesting)


def iterate_images(
    name: str, content: Buffer, options: ReadOptions
) -> Iterator[tuple[StoredImage, Buffer]]:
    """Yield the readable device images of one artifact in file order, one in memory at a time."""
    for _, stored, data in _iterate_images(name, content, options):
        yield stored, data


def _iterate_contents(name: str, content: Buffer, nesting: Nesting) -> Iterator[tuple[str, Buffer]]:
    try:
        members = find_members(name, content, nesting)
    except InputError:
        # Other members of the outer archive might still be readable.
        if nesting.depth == 0:
            raise
        members = None
    if members is None:
        yield name, content
        return
    for member in members:
        if member.problem is None:
            yield from _iterate_contents(member.path, member.data, nesting.deeper())


def _iterate_images(
    name: str, content: Buffer, options: ReadOptions, positions: Collection[int] | None = None
) -> Iterator[tuple[int, StoredImage, Buffer]]:
    """Yield the images at the given positions, or all images if ``positions`` is None."""
    first = 0
    for container in limit_decompression(_find_containers(name, content), options):
        images = [image for image in container.listing.images if not image.is_refused]
        chosen = {
            position: image
            for position, image in enumerate(images, first)
            if positions is None or position in positions
        }
        loaded = container.reader.load_images(
            tuple(chosen.values()), container.content, options.image_limit
        )
        for position, (stored, data) in zip(chosen, loaded, strict=True):
            if not isinstance(data, Problem):
                yield position, stored, data
        first += len(container.listing.images)
        if chosen:
            release(container.content)


def _find_containers(name: str, content: Buffer) -> tuple[Container, ...]:
    found = find_device_containers(name, content)
    if found:
        return found[1]
    elf = Elf(content)
    targets, _ = find_modules(elf)
    return tuple(find_containers(elf, targets))
