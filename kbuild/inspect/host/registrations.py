"""Find the kernels that object files register, from the relocations of the registering code.

The relocations between two calls of registration functions belong to the arguments: the text of
the kernel's name, and the symbol that launches pass. Nothing is disassembled, so the order in
which a compiler prepares the arguments does not matter.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from itertools import groupby

from kbuild.backends.interface.host import HostConventions
from kbuild.errors import InputError
from kbuild.facts import Place, Section
from kbuild.formats.elf.constants import SHF_EXECINSTR, SHF_WRITE
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.relocation_entries import Relocation
from kbuild.inspect.host.references import find_target
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A call that registers ``kernel``, and the places that the code of the call mentions."""

    kernel: str
    places: frozenset[Place]


def read_registrations(
    elf: Elf, conventions: HostConventions, kernels: Iterable[str]
) -> tuple[Registration, ...] | None:
    """Find the registrations of these kernels in an object file.

    Returns:
        The registrations, or None if the object does not register any kernel. In that case,
        another file might register these kernels.
    """
    names = {name.encode("utf-8", "surrogatepass"): name for name in kernels}
    texts = _Texts(elf, longest=max(map(len, names), default=0))
    found: list[Registration] = []
    registers_kernels = False
    for relocations in _registering_functions(elf, conventions):
        registers_kernels = True
        for window in _divide(relocations, conventions):
            places = frozenset(place for place in map(find_target, window) if place)
            called = {names[text] for text in map(texts.read, places) if text in names}
            found.extend(Registration(kernel=kernel, places=places) for kernel in called)
    return tuple(found) if registers_kernels else None


def _registering_functions(
    elf: Elf, conventions: HostConventions
) -> Iterator[tuple[Relocation, ...]]:
    """Yield the relocations of each function that registers a kernel."""
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
    """Return the sorted offsets of the functions, by section."""
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
    """Split the relocations at the calls of registration functions."""
    window: list[Relocation] = []
    for relocation in relocations:
        if relocation.symbol and relocation.symbol.name in conventions.registrations:
            yield window
            window = []
        else:
            window.append(relocation)
    # If all calls go through one pointer, all arguments come after it.
    yield window


class _Texts:
    """The NUL-terminated texts in an object file's read-only data, up to a length."""

    def __init__(self, elf: Elf, longest: int) -> None:
        self._elf = elf
        self._longest = longest
        self._contents: dict[int, bytes] = {}

    def read(self, place: Place) -> bytes | None:
        """Return the text at ``place``, or None if there is no text or it is too long."""
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
