"""Find places for containers that are smaller or larger than before.

A section with smaller containers keeps its address and becomes shorter, so that the pages behind
it can leave the file. One with larger containers moves to a new segment. Tools that read device
code expect one section, in which containers follow each other. Therefore, containers move, and the
records through which the runtime registers them lead to the new places. A container to which no
record leads stays where it is, because something else could know its address.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ContainerFacts, Place, Section
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.rewriting import ALIGNMENT, Addition, Edit, Patch, find_free_address
from kbuild.inspect.host.modules import find_modules
from kbuild.inspect.host.wrappers import read_wrappers
from kbuild.strip.device_sections import DeviceSection, StoredContainer
from kbuild.strip.pointers import redirect
from kbuild.values import dataclass

# The record's pointer to its container is behind the magic number and the version.
_POINTER: Final = 8
_CHUNK: Final = 1 << 20
_ZEROS: Final = bytes(_CHUNK)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewContainer:
    """A container with its new content, in parts."""

    section: DeviceSection
    old: StoredContainer
    parts: tuple[Buffer, ...]

    @property
    def size(self) -> int:
        """Its size in bytes, with the padding behind it."""
        return align_up(sum(map(len, self.parts)), ALIGNMENT)

    @property
    def place(self) -> Place:
        """Where it was."""
        return Place(section=self.section.section.index, offset=self.old.offset)

    @property
    def offset(self) -> int:
        """Where it was in the file."""
        return self.section.section.offset + self.old.offset


def find_slots(elf: Elf, containers: Sequence[NewContainer]) -> dict[Place, list[Place]]:
    """Return the pointers that lead to each container."""
    facts = tuple(
        ContainerFacts(
            backend=container.section.backend.name,
            place=container.place,
            size=container.old.size,
            is_damaged=False,
            alignment=ALIGNMENT,
        )
        for container in containers
    )
    slots: dict[Place, list[Place]] = {}
    for record in read_wrappers(elf, facts):
        if record.container is not None:
            slot = Place(section=record.place.section, offset=record.place.offset + _POINTER)
            slots.setdefault(facts[record.container].place, []).append(slot)
    for target in find_modules(elf)[0]:
        for extent in target.descriptor.containers if target.descriptor else ():
            if extent.row is not None:
                slots.setdefault(extent.place, []).append(extent.row)
    return slots


def shrink_in_place(elf: Elf, containers: Sequence[NewContainer], *, can_move: bool) -> Edit:
    """Return the changes that write smaller containers, each section from its old address on.

    Args:
        elf: The file.
        containers: All containers of the file, in order.
        can_move: Whether containers can move to the front of their section; if not, zeros take
            the place of what they do not need.
    """
    slots = find_slots(elf, containers) if can_move else {}
    patches: list[Patch] = []
    freed: list[tuple[int, int]] = []
    sizes: list[tuple[int, int]] = []
    moves: list[tuple[NewContainer, int]] = []
    for section, members in _group(containers):
        position = section.offset
        for container in members:
            at = position if container.place in slots else container.offset
            patches += _fill(position, at)
            position = at
            for part in container.parts:
                patches.append(Patch(offset=position, content=part))
                position += len(part)
            if at != container.offset:
                moves.append((container, section.address + at - section.offset))
            aligned = align_up(position - section.offset, ALIGNMENT) + section.offset
            patches += _fill(position, aligned)
            position = aligned
        end = section.offset + section.size
        if can_move:
            freed.append((position, end))
            sizes.append((section.index, position - section.offset))
        else:
            patches += _fill(position, end)
    return Edit(
        patches=(*patches, *_redirect(elf, slots, moves)),
        freed=tuple(freed),
        sizes=tuple(sizes),
        symbols=_list_symbols(elf, moves),
    )


def move_to_new_segment(path: str, elf: Elf, containers: Sequence[NewContainer]) -> Edit:
    """Return the changes that write the containers of some sections to a new segment.

    Args:
        path: The name of the file in messages.
        elf: The file.
        containers: All containers of the sections, in order.

    Raises:
        InputError: No record leads to a container with other images, so that it cannot move.
    """
    slots = find_slots(elf, containers)
    address = find_free_address(elf)
    freed: list[tuple[int, int]] = []
    additions: list[Addition] = []
    moves: list[tuple[NewContainer, int]] = []
    for section, members in _group(containers):
        content: list[Buffer] = []
        remains: list[tuple[int, int]] = []
        for container in members:
            span = container.offset, container.offset + container.old.size
            if container.place not in slots:
                if container.size > container.old.size:
                    raise InputError(
                        f"{path}: no record leads to the container at {section.name}+"
                        f"{container.old.offset:#x}, so it cannot have more images"
                    )
                remains.append(span)
                continue
            moves.append((container, address))
            freed.append(span)
            content += [*container.parts, bytes(container.size - sum(map(len, container.parts)))]
            address += container.size
        additions.append(
            Addition(section=section.index, content=tuple(content), remains=tuple(remains))
        )
    return Edit(
        patches=tuple(_redirect(elf, slots, moves)),
        freed=tuple(freed),
        additions=tuple(additions),
        symbols=_list_symbols(elf, moves),
    )


def _group(
    containers: Sequence[NewContainer],
) -> Iterator[tuple[Section, list[NewContainer]]]:
    """Yield each section with its containers, in the order of their addresses."""
    groups: dict[int, list[NewContainer]] = {}
    for container in containers:
        groups.setdefault(container.section.section.index, []).append(container)
    for members in groups.values():
        yield members[0].section.section, sorted(members, key=lambda member: member.offset)


def _fill(start: int, end: int) -> Iterator[Patch]:
    """Yield zeros from one offset to another."""
    for offset in range(start, end, _CHUNK):
        yield Patch(offset=offset, content=_ZEROS[: min(_CHUNK, end - offset)])


def _redirect(
    elf: Elf, slots: dict[Place, list[Place]], moves: Sequence[tuple[NewContainer, int]]
) -> Iterator[Patch]:
    targets = {slot: address for container, address in moves for slot in slots[container.place]}
    return redirect(elf, targets) if targets else iter(())


def _list_symbols(
    elf: Elf, moves: Sequence[tuple[NewContainer, int]]
) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (container.place.section, elf.address(container.place), address)
        for container, address in moves
    )
