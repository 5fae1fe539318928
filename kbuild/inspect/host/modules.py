"""Kernel targets in a host file: each note, its descriptor and its registration."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import Final

from kbuild.backends import find_backend
from kbuild.errors import InputError
from kbuild.facts import ModuleFacts, Place
from kbuild.formats import note
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.descriptor import Descriptor, read_descriptor
from kbuild.model import Problem, TargetRecord

_INITIALISERS: Final = frozenset({"SHT_INIT_ARRAY", "SHT_PREINIT_ARRAY"})
_PRIORITY: Final = re.compile(r"\.init_array\.(\d{1,5})")
_SLOT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A kernel target while its file is being read."""

    record: TargetRecord
    place: Place | None
    descriptor: Descriptor | None
    problem: str | None
    constructor: Place | None
    unregister: Place | None
    is_constructor_reached: bool
    constructor_priority: int | None
    earlier_constructors: int | None = None

    def facts(self, containers: tuple[int | None, ...]) -> ModuleFacts:
        """The target as rules see it, its containers by their positions in the facts."""
        return ModuleFacts(
            record=self.record,
            descriptor=self.place,
            descriptor_problem=self.problem,
            constructor=self.constructor,
            unregister=self.unregister,
            is_constructor_reached=self.is_constructor_reached,
            constructor_priority=self.constructor_priority,
            earlier_constructors=self.earlier_constructors,
            containers=containers,
        )


def find_modules(elf: Elf) -> tuple[tuple[Target, ...], tuple[Problem, ...]]:
    """Every kernel target that the file's notes name, and the notes that cannot be read."""
    targets: list[Target] = []
    problems: list[Problem] = []
    initialisers: dict[Place, int | None] | None = None
    for section in elf.sections_named(note.SECTION):
        notes, unreadable = note.read_notes(elf.content(section))
        problems.extend(unreadable)
        if notes and initialisers is None:
            initialisers = _read_initialisers(elf)
        targets.extend(_read_target(elf, section.index, n, initialisers or {}) for n in notes)
        problems.extend(
            _unknown_backend(n.record) for n in notes if find_backend(n.record.backend).read is None
        )
    if elf.type != "relocatable":
        targets = [_count_earlier(target, targets, initialisers or {}) for target in targets]
    return tuple(targets), tuple(problems)


def _count_earlier(
    target: Target, targets: list[Target], initialisers: dict[Place, int | None]
) -> Target:
    """The target with the number of constructors before its own, other targets' left out."""
    if target.constructor not in initialisers:
        return target
    before = itertools.takewhile(lambda place: place != target.constructor, initialisers)
    own = {other.constructor for other in targets}
    return replace(target, earlier_constructors=sum(place not in own for place in before))


def _unknown_backend(record: TargetRecord) -> Problem:
    return Problem(
        where=f"kernel target {record.target}",
        message=f"its backend {record.backend!r} is not one that this kbuild knows, so its "
        "device images cannot be read; a newer kbuild may know it",
    )


def _read_target(
    elf: Elf, section: int, found: note.Note, initialisers: dict[Place, int | None]
) -> Target:
    def follow(offset: int) -> Place | None:
        return elf.distance_target(Place(section=section, offset=offset))

    place = follow(found.descriptor)
    descriptor, problem = _follow_descriptor(elf, place, found.record)
    constructor = follow(found.constructor)
    is_reached = constructor is not None and constructor in initialisers
    return Target(
        record=found.record,
        place=place,
        descriptor=descriptor,
        problem=problem,
        constructor=constructor,
        unregister=follow(found.unregister),
        is_constructor_reached=is_reached,
        constructor_priority=initialisers.get(constructor) if constructor else None,
    )


def _follow_descriptor(
    elf: Elf, place: Place | None, record: TargetRecord
) -> tuple[Descriptor | None, str | None]:
    if place is None:
        return None, "the note does not lead to it"
    try:
        return read_descriptor(elf, place, record), None
    except InputError as error:
        return None, str(error)


def _read_initialisers(elf: Elf) -> dict[Place, int | None]:
    """Every function that the file's initialiser arrays call, with its priority if known."""
    found: dict[Place, int | None] = {}
    for section in elf.sections:
        if section.type not in _INITIALISERS:
            continue
        match = _PRIORITY.fullmatch(section.name)
        for offset in range(0, section.size - _SLOT + 1, _SLOT):
            slot = Place(section=section.index, offset=offset)
            target = elf.pointer_at(slot).place
            if target is not None:
                found[target] = int(match[1]) if match else None
    return found
