"""Join the device code of linked files whose host code is the same.

Containers with new images do not fit where they were. They go to a new segment, and the records
through which the runtime registers them lead there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.backends import list_readers
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import SHF_ALLOC
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.rewriting import rewrite
from kbuild.formats.target_note import SECTION as NOTE
from kbuild.strip.device_sections import DeviceSection, StoredContainer, find_device_sections
from kbuild.strip.model import MergedFile
from kbuild.strip.placement import NewContainer, move_to_new_segment
from kbuild.values import dataclass

_VARYING: Final = frozenset({".note.gnu.build-id", ".gnu.hash", ".hash", ".relr.dyn"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The new content of a file in parts, and what was joined."""

    parts: tuple[Buffer, ...]
    file: MergedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A container with its section and its bytes, in one of the files."""

    part: DeviceSection
    container: StoredContainer
    content: Buffer


def join_files(path: str, data: Buffer, peers: Sequence[tuple[str, Buffer]]) -> Joined | None:
    """Join the device code of linked files.

    Args:
        path: The name of the file in messages.
        data: The content of the file, which provides all host code.
        peers: The names and the contents of the other files.

    Returns:
        The new content. None if the files have no device code.

    Raises:
        InputError: The files differ in more than device code, have different images for one
            architecture, or a container cannot move.
    """
    elf = Elf(data)
    own = _list_sources(path, elf)
    others = []
    for name, content in peers:
        peer = Elf(content)
        found = _list_sources(name, peer)
        _compare_host(path, elf, name, peer)
        if [s.part.section.name for s in own] != [s.part.section.name for s in found]:
            raise InputError(
                f"{path} and {name} have different numbers of containers: {len(own)} and "
                f"{len(found)}; their sources are not the same"
            )
        others.append(found)
    if not own:
        return None
    joined = [
        _join(path, source, [found[position] for found in others])
        for position, source in enumerate(own)
    ]
    grown = {source.part.section.index for source, (_, new) in zip(own, joined, strict=True) if new}
    containers = [
        NewContainer(section=source.part, old=source.container, parts=parts)
        for source, (parts, _) in zip(own, joined, strict=True)
        if source.part.section.index in grown
    ]
    parts: tuple[Buffer, ...] = (elf.data,)
    if containers:
        try:
            parts = tuple(rewrite(elf, move_to_new_segment(path, elf, containers)))
        except InputError as error:
            message = str(error)
            raise InputError(
                message if message.startswith(path) else f"{path}: {message}"
            ) from error
    return Joined(
        parts=parts,
        file=MergedFile(
            path=path,
            containers=sum(is_new for _, is_new in joined),
            architectures=tuple(dict.fromkeys(_list_architectures((own, *others)))),
        ),
    )


def _list_sources(path: str, elf: Elf) -> tuple[_Source, ...]:
    """Return the containers in the order in which the file was linked.

    Raises:
        InputError: kbuild built the file.
    """
    if elf.sections_named(NOTE):
        raise InputError(
            f"{path}: {NOTE} lists every image of this file, which kbuild built; build it again "
            "with other architectures (ARCHITECTURES, or 'architectures' in kbuild.toml)"
        )
    sections = sorted(
        find_device_sections(path, elf), key=lambda p: (p.section.name, p.section.address)
    )
    return tuple(
        _Source(
            part=part,
            container=container,
            content=elf.view(part.section)[container.offset : container.offset + container.size],
        )
        for part in sections
        for container in part.containers
    )


def _compare_host(path: str, elf: Elf, name: str, peer: Elf) -> None:
    """Check that two files differ only in what device code of other sizes changes."""
    for ours, theirs in zip(_list_host(elf), _list_host(peer), strict=False):
        if ours != theirs:
            raise InputError(
                f"{path} and {name} differ in more than device code: {ours[0]} has {ours[1]} "
                f"bytes, and {theirs[0]} has {theirs[1]}; build both from the same sources"
            )
    if len(_list_host(elf)) != len(_list_host(peer)):
        raise InputError(f"{path} and {name} have different sections")


def _list_host(elf: Elf) -> list[tuple[str, int, bytes]]:
    """Return the loaded sections without device code: name, size, and what has no addresses.

    If the program headers of a file moved, they have a section without a name.
    """
    device = {s.index for s in elf.sections if _is_device(s.name)}
    return [
        (s.name, s.size, elf.content(s) if s.name in {".dynstr", ".interp"} else b"")
        for s in elf.sections
        if s.name and s.flags & SHF_ALLOC and s.index not in device and s.name not in _VARYING
    ]


def _is_device(name: str) -> bool:
    return any(reader.find_role(name) for reader in list_readers())


def _join(path: str, own: _Source, others: Sequence[_Source]) -> tuple[tuple[Buffer, ...], bool]:
    """Return the parts of a container with the images of several, and whether one is new."""
    repacker = own.part.backend.repacking
    if repacker is None:
        raise InputError(
            f"{path}: joining images of {own.part.section.name} is not supported for "
            f"{own.part.backend.name}"
        )
    try:
        joined = repacker.join_containers([own.content, *(other.content for other in others)])
    except InputError as error:
        raise InputError(f"{path}: {error}; first remove one of them (kbuild strip)") from error
    # The sizes do not tell: stripped containers can have room.
    known = {(image.kind, image.arch) for image in own.container.images}
    found = {(i.kind, i.arch) for other in others for i in other.container.images}
    return joined, not found <= known


def _list_architectures(sources: Sequence[Sequence[_Source]]) -> Iterator[str]:
    for found in sources:
        for source in found:
            yield from (image.arch for image in source.container.images)
