"""Find the device functions that call themselves, in which a thread can wait as in a loop.

A compiler often makes a loop of such a function, and no text shows it. The rule is one of names, in
doubt for recursion. Calls with explicit template arguments, and those that expand a pack, are of
other functions, and end when the compiler has made all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, TypeAlias

from kbuild.backends.cpu.mixed.regions.grammar.expressions import is_name, names_built_in_type
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Span
from kbuild.cxx.places import starts_captures
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit

_Function: TypeAlias = tuple[str, str]  # the class, and the name
_MEMBER: Final = (".", "->")
# What can be between a type and the name of a variable.
_DECLARED_WITH: Final = ("*", "&", "const", "volatile", "__restrict__")


def find_recursive(
    unit: Unit, functions: Iterable[tuple[Declaration, Span]], *, are_virtual: bool = False
) -> frozenset[int]:
    """Return the indices of the bodies of functions that can call themselves, also through others.

    Args:
        unit: The text.
        functions: The functions, and the indices of their bodies' braces.
        are_virtual: Whether members can be virtual functions.
    """
    search = _Search(unit, tuple(functions), are_virtual=are_virtual)
    return frozenset(search.find())


class _Search:
    def __init__(
        self, unit: Unit, functions: tuple[tuple[Declaration, Span], ...], *, are_virtual: bool
    ) -> None:
        self._unit = unit
        self._are_virtual = are_virtual
        self._spans = sorted(
            (*body, self._find_class(found), found.name) for found, body in functions
        )
        self._owners: dict[str, set[str]] = defaultdict(set)
        for _, _, owner, name in self._spans:
            self._owners[name].add(owner)

    def find(self) -> Iterator[int]:
        calls: dict[_Function, set[_Function]] = defaultdict(set)
        starts = [start for start, *_ in self._spans]
        addressed: set[_Function] = set()
        for index in self._unit.find(self._owners):
            name, place = self._unit.words[index], bisect_right(starts, index) - 1
            owners = set(self._list_owners(index))
            if self._unit.get(index + 1) in (")", ",", ";", "}"):
                addressed |= {(owner, name) for owner in owners}
            elif place >= 0 and index < self._spans[place][1] and self._unit.get(index + 1) == "(":
                calls[self._spans[place][2:]] |= {(owner, name) for owner in owners}
        for start, stop, *function in self._spans:
            if self._calls_pointer(start, stop):
                calls[function[0], function[1]] |= addressed
        for start, _, owner, name in self._spans:
            if (owner, name) in _list_reached(calls, (owner, name)):
                yield start

    def _find_class(self, found: Declaration) -> str:
        """Return the name of the class of a function; empty for other functions."""
        words = [token.text for token in found.head]
        if words[-2:-1] == ["::"] and is_name(words[-3]):
            return words[-3]
        scopes = find_scopes(self._unit).around(found.start)
        return next((scope.name for scope in reversed(scopes) if scope.kind == "class"), "")

    def _list_owners(self, index: int) -> Iterable[str]:
        """Return the classes whose function a name can be, where it is called."""
        unit, owners = self._unit, self._owners[self._unit.words[index]]
        close = unit.partners.get(index + 1, index)
        if unit.get(close - 1) == "..." or unit.get(index - 1) == "::":
            return ()
        if unit.get(index - 1) not in _MEMBER or unit.get(index - 2) == "this":
            return owners
        place = index - 2
        while unit.get(place) in ("]", ")") and place in unit.partners:
            place = unit.partners[place] - 1
        declared = self._list_types(unit.words[place]) if is_name(unit.get(place)) else {"auto"}
        members = owners - {""}
        return members if "auto" in declared or self._are_virtual else members & declared

    def _list_types(self, name: str) -> set[str]:
        """Return the words in front of a name, of which some are the types of its declarations."""
        unit, found = self._unit, set()
        for index in unit.find((name,)):
            before = index - 1
            while unit.get(before) in _DECLARED_WITH:
                before -= 1
            depth = 0
            while before > 0 and (depth > 0 or unit.words[before] == ">"):
                depth += (unit.words[before] == ">") - (unit.words[before] == "<")
                before -= 1
            found.add(unit.get(before))
        return found

    def _calls_pointer(self, start: int, stop: int) -> bool:
        """Return whether a body seems to call a function through a pointer."""
        unit = self._unit
        for index in range(start + 1, stop):
            if unit.words[index] != "(":
                continue
            before, opening = unit.words[index - 1], unit.partners.get(index - 1, 0)
            if before == ")" and not names_built_in_type(unit, opening + 1, index - 1):
                return True
            if before == "]" and not starts_captures(unit.get(opening - 1), unit.get(opening + 1)):
                return True
            if before in self._pointers:
                return True
        return False

    @cached_property
    def _pointers(self) -> frozenset[str]:
        """The names behind `(*`, which declares a pointer to a function."""
        unit = self._unit
        return frozenset(
            unit.get(index + 1) for index in unit.find(("*",)) if unit.get(index - 1) == "("
        )


def _list_reached(calls: Mapping[_Function, set[_Function]], function: _Function) -> set[_Function]:
    reached: set[_Function] = set()
    new = {function}
    while new := {called for caller in new for called in calls.get(caller, ())} - reached:
        reached |= new
    return reached
