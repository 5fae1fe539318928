"""Find the objects whose device code waits for a device link, also in archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kbuild import files
from kbuild.errors import InputError
from kbuild.formats.archive import MAGIC, read_members
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.inspect.containers import find_containers
from kbuild.model import Problem
from kbuild.nvcc.invocation import Invocation
from kbuild.values import dataclass

# No limit in practice: compilers wrote the objects.
_LARGEST_IMAGE = 1 << 40


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


def list_files(invocation: Invocation, objects: Iterable[Path]) -> tuple[Path, ...]:
    """List the objects and archives of a link, with the libraries of ``-l``."""
    libraries = (find_library(name, invocation) for name in invocation.libraries)
    return tuple(dict.fromkeys((*objects, *filter(None, libraries))))


def find_library(name: str, invocation: Invocation) -> Path | None:
    """Return the static library that a linker takes for ``-l``, or None.

    Libraries in the linker's own directories count as those of the system, without device code.
    """
    for directory in map(Path, invocation.library_directories):
        if (directory / f"lib{name}.so").is_file():
            return None
        if (found := directory / f"lib{name}.a").is_file():
            return found
    return None


def find_relocatable(paths: Iterable[Path], function: str) -> tuple[RelocatableObject, ...]:
    """Return the objects that wait for a device link, without those that one of the files links.

    Args:
        paths: Objects and archives. As with nvcc, all members of an archive count.
        function: The start of the functions that a device link defines.

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


def read_images(found: RelocatableObject) -> dict[str, tuple[bytes, ...]]:
    """Return the images of an object by their architecture.

    Raises:
        InputError: The images cannot be read.
    """
    images: dict[str, tuple[bytes, ...]] = {}
    for container in find_containers(Elf(found.content), ()):
        if not container.is_relocatable:
            continue
        problems = list(container.listing.problems)
        listed = container.listing.images
        for image, data in container.reader.load_images(listed, container.content, _LARGEST_IMAGE):
            if isinstance(data, Problem):
                problems.append(data)
            else:
                images[image.arch] = (*images.get(image.arch, ()), bytes(data))
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
        for symbol in elf.symbols:
            if symbol.name.startswith(function) and symbol.binding != "local":
                group = called if symbol.place is None else defined
                group.add(symbol.name.removeprefix(function))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    return called, defined
