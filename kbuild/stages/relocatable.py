"""Find the objects whose device code waits for a device link, also in archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.errors import InputError
from kbuild.formats.archive import MAGIC, read_members
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.inspect.containers import find_containers
from kbuild.model import ImageKind, Problem
from kbuild.values import dataclass

# No limit in practice: compilers wrote the objects.
_LARGEST_IMAGE: Final = 1 << 40
# A symbol of the device link that a static library has for programs without one.
_REPLACEABLE: Final = b"kbuild_replaceable_link"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelocatableObject:
    """An object whose device code waits for a device link.

    Attributes:
        name: Its path, or that of an archive, ``!``, and its name in the archive.
        ids: What identifies it. A file that a linker made of several objects has several.
        content: Its bytes.
    """

    name: str
    ids: tuple[str, ...]
    content: bytes


def find_relocatable(paths: Iterable[Path], function: str) -> tuple[RelocatableObject, ...]:
    """Return the objects that wait for a device link, without those that one of the files links.

    Args:
        paths: Objects and archives. As with nvcc, all members of an archive count.
        function: The start of the functions that a device link defines; see `Traits`.

    Raises:
        InputError: A file cannot be read.
    """
    waiting: dict[str, RelocatableObject] = {}
    linked: set[str] = set()
    for path in paths:
        for name, content in list_objects(path, function.encode()):
            called, defined = _list_ids(name, content, function)
            linked.update(defined)
            if called - defined:
                found = RelocatableObject(name=name, ids=tuple(sorted(called)), content=content)
                waiting.setdefault(found.ids[0], found)
    return tuple(found for found in waiting.values() if linked.isdisjoint(found.ids))


def read_images(found: RelocatableObject) -> dict[tuple[str, ImageKind], tuple[bytes, ...]]:
    """Return the images of an object by their architecture and kind.

    Raises:
        InputError: The images cannot be read.
    """
    images: dict[tuple[str, ImageKind], tuple[bytes, ...]] = {}
    for container in find_containers(Elf(found.content), ()):
        if not container.is_relocatable:
            continue
        problems = list(container.listing.problems)
        listed = container.listing.images
        for image, data in container.reader.load_images(listed, container.content, _LARGEST_IMAGE):
            if isinstance(data, Problem):
                problems.append(data)
            else:
                key = (image.arch, image.kind)
                images[key] = (*images.get(key, ()), bytes(data))
        if problems:
            raise InputError(f"{found.name}: {problems[0].message}")
    return images


def list_objects(path: Path, text: bytes = b"") -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the objects in a file that contain a text."""
    content = files.read_file(path)
    if text not in content:
        return
    if content.startswith(ELF_MAGIC):
        yield str(path), content
    elif content.startswith(MAGIC):
        for member in read_members(content):
            data = bytes(member.data)
            if data.startswith(ELF_MAGIC) and text in data:
                yield f"{path}!{member.name}", data


def _list_ids(name: str, content: bytes, function: str) -> tuple[set[str], set[str]]:
    """Return the ids of the objects that wait, and of those that are linked."""
    called: set[str] = set()
    defined: set[str] = set()
    try:
        elf = Elf(content)
        if elf.type != "relocatable":
            return called, defined
        is_replaceable = _REPLACEABLE in content
        for symbol in elf.symbols:
            if symbol.name.startswith(function) and symbol.binding != "local":
                if symbol.place is None:
                    called.add(symbol.name.removeprefix(function))
                elif not is_replaceable:
                    defined.add(symbol.name.removeprefix(function))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return called, defined
