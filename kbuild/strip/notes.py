"""The descriptor and the note of files that kbuild built, after images were removed."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import Place
from kbuild.formats import target_note
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.rewriting import Patch
from kbuild.inspect.host.descriptor import Extent
from kbuild.inspect.host.modules import Target, find_modules
from kbuild.model import TargetRecord
from kbuild.strip.placement import NewContainer
from kbuild.values import replace

_SIZE: Final = struct.Struct("<Q")
_SIZE_OFFSET: Final = 8

Kept = frozenset[tuple[str, str]]


def correct_notes(
    path: str, elf: Elf, containers: Sequence[NewContainer], kept: Mapping[Place, Kept]
) -> Iterator[Patch]:
    """Yield the changes after which notes and descriptors describe what is left.

    Args:
        path: The name of the file in messages.
        elf: The file.
        containers: All containers with their new content.
        kept: (kind, architecture) of the images that are left in each container.

    Raises:
        InputError: A note or a descriptor cannot be read.
    """
    if not elf.sections_named(target_note.SECTION):
        return
    targets, problems = find_modules(elf)
    if problems:
        raise InputError(f"{path}: {problems[0].where}: {problems[0].message}")
    sizes = {c.place: sum(map(len, c.parts)) for c in containers if c.place in kept}
    notes = [
        (section.offset, elf.content(section), note)
        for section in elf.sections_named(target_note.SECTION)
        for note in target_note.read_notes(elf.content(section))[0]
    ]
    for target, (offset, content, note) in zip(targets, notes, strict=True):
        for row in list_rows(path, target):
            if row.place in sizes and row.row is not None:
                where = elf.sections[row.row.section].offset + row.row.offset + _SIZE_OFFSET
                yield Patch(offset=where, content=_SIZE.pack(min(row.size, sizes[row.place])))
        record = _reduce(target.record, list_rows(path, target), kept)
        for start, data in target_note.replace_record(content, note, record):
            yield Patch(offset=offset + start, content=data)


def list_rows(path: str, target: Target) -> tuple[Extent, ...]:
    """Return where the descriptor of a target has its containers.

    Raises:
        InputError: The descriptor cannot be read.
    """
    if target.descriptor is None:
        raise InputError(f"{path}: {target.record.target}: {target.problem}")
    return target.descriptor.containers


def _reduce(
    record: TargetRecord, rows: Sequence[Extent], kept: Mapping[Place, Kept]
) -> TargetRecord:
    """Return a record without the images that are not left."""
    containers = tuple(
        replace(
            container,
            images=tuple(i for i in container.images if (i.kind, i.arch) in kept[row.place]),
        )
        if row.place in kept
        else container
        for container, row in zip(record.containers, rows, strict=True)
    )
    return replace(record, containers=containers)
