"""The bytes of single images of a file that was inspected: read again, not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kbuild.backends.interface.read import StoredImage
from kbuild.formats import archive, wheel
from kbuild.formats.buffer import Buffer, release
from kbuild.formats.elf.file import Elf
from kbuild.inspect.containers import Container, find_containers
from kbuild.inspect.device import find_device_containers
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.modules import find_modules
from kbuild.inspect.images import bound_containers
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import is_artifact
from kbuild.model import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePlace:
    """Where an image is: its artifact's path as the facts have it, and its position in them.

    Archives may have members of one name; ``occurrence`` counts those before.
    """

    artifact: str
    occurrence: int
    position: int


def load_images(
    path: Path, wanted: frozenset[ImagePlace], options: ReadOptions
) -> Iterator[tuple[ImagePlace, Buffer]]:
    """Each wanted image of the file, in its order; one at a time in memory."""
    by_artifact: dict[tuple[str, int], dict[int, ImagePlace]] = {}
    for place in wanted:
        key = (place.artifact, place.occurrence)
        by_artifact.setdefault(key, {})[place.position] = place
    room = wheel.Room(left=options.archive_limit)
    seen: dict[str, int] = {}
    for name, content in _iterate_contents(str(path), open_content(path), room):
        occurrence = seen.get(name, 0)
        seen[name] = occurrence + 1
        places = by_artifact.get((name, occurrence))
        if places:
            yield from _load_from(name, content, places, options)


def iterate_artifacts(path: Path, options: ReadOptions) -> Iterator[tuple[str, Buffer]]:
    """Each file in ``path``, named ``outer!inner``, or it itself; InputError as of inspecting."""
    room = wheel.Room(left=options.archive_limit)
    return _iterate_contents(str(path), open_content(path), room)


def iterate_images(
    name: str, content: Buffer, options: ReadOptions
) -> Iterator[tuple[StoredImage, Buffer]]:
    """The device images of one such file that can be had, in its order; one in memory."""
    for container in bound_containers(_find_containers(name, content), options):
        listed = tuple(i for i in container.listing.images if not i.is_refused)
        loaded = container.reader.load_images(listed, container.content, options.image_limit)
        for stored, data in loaded:
            if not isinstance(data, Problem):
                yield stored, data


def _iterate_contents(name: str, content: Buffer, room: wheel.Room) -> Iterator[tuple[str, Buffer]]:
    """The files in the content, or itself; what inspect could not read has no wanted image."""
    front = bytes(content[: wheel.FRONT_BYTES])
    if archive.is_archive(front):
        for member in archive.read_members(content):
            if is_artifact(bytes(member.data[: wheel.FRONT_BYTES])):
                yield from _iterate_contents(f"{name}!{member.name}", member.data, room)
    elif wheel.is_wheel(front):
        for part in wheel.iterate_members(content, is_artifact, room=room):
            if part.problem is None:
                yield from _iterate_contents(f"{name}!{part.name}", part.data, room)
    else:
        yield name, content


def _load_from(
    name: str, content: Buffer, places: Mapping[int, ImagePlace], options: ReadOptions
) -> Iterator[tuple[ImagePlace, Buffer]]:
    first = 0
    for container in bound_containers(_find_containers(name, content), options):
        images = tuple(i for i in container.listing.images if not i.is_refused)
        chosen = {p - first: place for p, place in places.items() if 0 <= p - first < len(images)}
        numbers = sorted(chosen)
        listed = tuple(images[number] for number in numbers)
        loaded = container.reader.load_images(listed, container.content, options.image_limit)
        for number, (_, data) in zip(numbers, loaded, strict=True):
            if not isinstance(data, Problem):
                yield chosen[number], data
        first += len(container.listing.images)
        if numbers:
            release(container.content)


def _find_containers(name: str, content: Buffer) -> tuple[Container, ...]:
    found = find_device_containers(name, content)
    if found:
        return found[1]
    elf = Elf(content)
    targets, _ = find_modules(elf)
    claimed = {e for t in targets if t.descriptor for e in t.descriptor.containers}
    return tuple(find_containers(elf, claimed))
