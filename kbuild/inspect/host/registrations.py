"""What object files register, read off the relocations of the code that does it.

Between two calls of registration functions lie the arguments: the text of the kernel's
name, and the symbol that launches pass.  Nothing is disassembled; in what order a compiler
prepares arguments does not matter.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from kbuild.backends.interface.host import HostConventions
from kbuild.errors import InputError
from kbuild.facts import Place, Section
from kbuild.formats.elf.file import SHF_EXECINSTR, SHF_WRITE, Elf
from kbuild.formats.elf.relocation_entries import Relocation, RelocationKind

# On x86-64 these count from the end of the operand, and the addend makes up for that.
_FROM_END: Final[frozenset[RelocationKind | None]] = frozenset({"pc-relative-32", "got-slot"})
_OPERAND_SIZE: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One call that registers ``kernel``, and every place that its code mentions."""

    kernel: str
    places: frozenset[Place]


def read_registrations(
    elf: Elf, conventions: HostConventions, kernels: Iterable[str]
) -> tuple[Registration, ...] | None:
    """The registrations of these kernels in an object file; None where it registers none.

    Code that registers no kernel tells nothing: another file may do so.
    """
    names = {name.encode("utf-8", "surrogatepass"): name for name in kernels}
    texts = _Texts(elf, longest=max(map(len, names), default=0))
    found: list[Registration] = []
    is_any = False
    for relocations in _registering_functions(elf, conventions):
        is_any = True
        for window in _divide(relocations, conventions):
            places = frozenset(place for place in map(_target, window) if place)
            called = {names[text] for text in map(texts.read, places) if text in names}
            found.extend(Registration(kernel=kernel, places=places) for kernel in called)
    return tuple(found) if is_any else None


def _registering_functions(
    elf: Elf, conventions: HostConventions
) -> Iterator[tuple[Relocation, ...]]:
    """The relocations of each function that calls the one that registers a kernel."""
    by_section: dict[int, list[Relocation]] = {}
    for relocation in elf.relocations():
        by_section.setdefault(relocation.place.section, []).append(relocation)
    all_starts = _function_starts(elf)
    for section, relocations in by_section.items():
        if not any(_is_to(r, conventions.register_kernel) for r in relocations):
            continue
        relocations.sort(key=lambda r: r.place.offset)
        starts = all_starts.get(section, [])
        for _, group in groupby(
            relocations, key=lambda r: bisect.bisect_right(starts, r.place.offset)
        ):
            function = tuple(group)
            if any(_is_to(r, conventions.register_kernel) for r in function):
                yield function


def _function_starts(elf: Elf) -> dict[int, list[int]]:
    """Where functions start, in order, by section."""
    found: dict[int, set[int]] = {}
    for symbol in elf.symbols:
        if symbol.type == "function" and symbol.place:
            found.setdefault(symbol.place.section, set()).add(symbol.place.offset)
    return {section: sorted(starts) for section, starts in found.items()}


def _is_to(relocation: Relocation, name: str | None) -> bool:
    return relocation.symbol is not None and relocation.symbol.name == name


def _divide(
    relocations: Iterable[Relocation], conventions: HostConventions
) -> Iterator[list[Relocation]]:
    """The relocations between calls of registration functions."""
    window: list[Relocation] = []
    for relocation in relocations:
        if relocation.symbol and relocation.symbol.name in conventions.registrations:
            yield window
            window = []
        else:
            window.append(relocation)
    # Where all calls go through one pointer, everything follows it.
    yield window


def _target(relocation: Relocation) -> Place | None:
    place = relocation.target
    if place is None or relocation.kind not in _FROM_END:
        return place
    return Place(section=place.section, offset=place.offset + _OPERAND_SIZE)


class _Texts:
    """NUL-terminated texts in an object file's read-only data, up to the longest of them."""

    def __init__(self, elf: Elf, longest: int) -> None:
        self._elf = elf
        self._longest = longest
        self._contents: dict[int, bytes] = {}

    def read(self, place: Place) -> bytes | None:
        """The text at ``place``; None where there is none, or a longer one."""
        if place.section >= len(self._elf.sections):
            return None
        content = self._contents.get(place.section)
        if content is None:
            section = self._elf.sections[place.section]
            content = self._read_section(section)
            self._contents[place.section] = content
        start = place.offset
        end = content.find(b"\0", start, start + self._longest + 1) if start >= 0 else -1
        return content[start:end] if end >= 0 else None

    def _read_section(self, section: Section) -> bytes:
        if section.type != "SHT_PROGBITS" or section.flags & (SHF_WRITE | SHF_EXECINSTR):
            return b""
        try:
            return self._elf.content(section)
        except InputError:
            return b""
