"""Find the kernel targets of a host file: notes, descriptors, and registration."""

from __future__ import annotations

import itertools
import re
from typing import Final

from kbuild.backends import find_backend
from kbuild.errors import InputError
from kbuild.facts import ModuleFacts, Place
from kbuild.formats import target_note
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.descriptor import Descriptor, read_descriptor
from kbuild.model import Problem, TargetRecord
from kbuild.values import dataclass, replace

_INITIALIZER_ARRAYS: Final = frozenset({"SHT_INIT_ARRAY", "SHT_PREINIT_ARRAY"})
_PRIORITY: Final = re.compile(r"\.init_array\.(\d{1,5})")
_SLOT: Final = 8
# Constructors of sanitizers, coverage, and checks of host code, and of the compiler's libraries:
# libgcc.a has one of the priority 101, and libstdc++.a since gcc 13 one of the priority 90. gcc
# gives these and those of sanitizers priorities that programs cannot use, or names of its own.
# Source: measured with gcc 12, clang 14, and clang 19; cpuinfo.c and lse-init.c of libgcc;
# ios_base_init.h of libstdc++.
_OF_COMPILERS: Final = re.compile(
    rb"(?:_GLOBAL_)?_sub_I[_.]00(?:0\d\d|100)_.*|\w+\.module_ctor.*|__llvm_gcov_init"
    rb"|__cpu_indicator_init|init_have_lse_atomics|kbuild_start_checks"
    rb"|__stack_split_initialize|__morestack_load_mmap"  # of -fsplit-stack
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A kernel target of a file whose containers are not numbered yet.

    ``problem`` says why the descriptor cannot be followed. ``earlier_constructors`` are the names
    of the constructors that run before the target's own, without those of other targets; a name
    is empty if no symbol has it.
    """

    record: TargetRecord
    place: Place | None
    descriptor: Descriptor | None
    problem: str | None
    constructor: Place | None
    unregister: Place | None
    is_constructor_reached: bool
    constructor_priority: int | None
    earlier_constructors: tuple[str, ...] | None = None

    def facts(self, containers: tuple[int | None, ...]) -> ModuleFacts:
        """Return the target's facts; ``containers`` are positions in the artifact's facts."""
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
    """Return the kernel targets in the file's notes, and a problem for each unreadable note."""
    targets: list[Target] = []
    problems: list[Problem] = []
    initializers: dict[Place, int | None] | None = None
    for section in elf.sections_named(target_note.SECTION):
        notes, unreadable = target_note.read_notes(elf.content(section))
        problems.extend(unreadable)
        if notes and initializers is None:
            initializers = _read_initializers(elf)
        targets.extend(_read_target(elf, section.index, n, initializers or {}) for n in notes)
        problems.extend(
            _unknown_backend(n.record) for n in notes if find_backend(n.record.backend).read is None
        )
    if elf.type != "relocatable":
        skipped = _find_compilers_own(elf) if targets else frozenset()
        others = [place for place in initializers or {} if place not in skipped]
        targets = [_find_earlier(elf, target, targets, others) for target in targets]
    return tuple(targets), tuple(problems)


def _find_compilers_own(elf: Elf) -> frozenset[Place]:
    """Return the constructors that compilers add to programs, if the file names them."""
    found = elf.find_symbols(lambda name, _: _OF_COMPILERS.fullmatch(name) is not None)
    return frozenset(
        symbol.place
        for symbol in found
        if symbol.place is not None and _OF_COMPILERS.fullmatch(symbol.name.encode())
    )


def _find_earlier(
    elf: Elf, target: Target, targets: list[Target], initializers: list[Place]
) -> Target:
    """Find the constructors before the target's own, without those of other targets."""
    if target.constructor not in initializers:
        return target
    before = itertools.takewhile(lambda place: place != target.constructor, initializers)
    own = {other.constructor for other in targets}
    found = [place for place in before if place not in own]
    return replace(target, earlier_constructors=_name(elf, found))


def _name(elf: Elf, places: list[Place]) -> tuple[str, ...]:
    """Return the names of functions; empty for those without a symbol."""
    symbols = elf.find_symbols(lambda _name, _value: True) if places else iter(())
    names = {s.place: s.name for s in symbols if s.place in places and s.type == "function"}
    return tuple(names.get(place, "") for place in places)


def _unknown_backend(record: TargetRecord) -> Problem:
    return Problem(
        where=f"kernel target {record.target}",
        message=f"unknown backend {record.backend!r}, so its device images cannot be read; "
        "try a newer kbuild",
    )


def _read_target(
    elf: Elf, section: int, found: target_note.Note, initializers: dict[Place, int | None]
) -> Target:
    def follow(offset: int) -> Place | None:
        return elf.distance_target(Place(section=section, offset=offset))

    place = follow(found.descriptor)
    descriptor, problem = _follow_descriptor(elf, place, found.record)
    constructor = follow(found.constructor)
    is_reached = constructor is not None and constructor in initializers
    return Target(
        record=found.record,
        place=place,
        descriptor=descriptor,
        problem=problem,
        constructor=constructor,
        unregister=follow(found.unregister),
        is_constructor_reached=is_reached,
        constructor_priority=initializers.get(constructor) if constructor else None,
    )


def _follow_descriptor(
    elf: Elf, place: Place | None, record: TargetRecord
) -> tuple[Descriptor | None, str | None]:
    if place is None:
        return None, "the note does not point to it"
    try:
        return read_descriptor(elf, place, record), None
    except InputError as error:
        return None, str(error)


def _read_initializers(elf: Elf) -> dict[Place, int | None]:
    """Return the functions in the initializer arrays in order, with the priority if known."""
    found: dict[Place, int | None] = {}
    for section in elf.sections:
        if section.type not in _INITIALIZER_ARRAYS:
            continue
        match = _PRIORITY.fullmatch(section.name)
        for offset in range(0, section.size - _SLOT + 1, _SLOT):
            slot = Place(section=section.index, offset=offset)
            target = elf.pointer_at(slot).place
            if target is not None:
                found[target] = int(match[1]) if match else None
    return found
