"""Find calls of functions that the threads of a block or warp execute together, with objects.

The device headers annotate the classes, such as ``cub::BlockReduce``. A source gives them names of
its own. The text finds places: the generated code does not compile if an object has another type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from kbuild.backends.cpu.mixed.mentions import is_own
from kbuild.backends.cpu.mixed.regions.calls import list_arguments
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.cxx.places import find_first, skip_arguments
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_OPENING: Final = ("(", "{")
_BEHIND_NAME: Final = ("(", "{", ";", "=", ",")  # of a variable


@dataclass(frozen=True, slots=True)
class Names:
    """The names for classes and objects. The values say whether threads are those of a warp."""

    classes: Mapping[str, bool]
    objects: Mapping[str, bool]


def find_calls(unit: Unit, annotated: Mapping[str, bool]) -> Iterator[int]:
    """Yield the indices of the names of functions that threads can call together."""
    for _, callee, _ in _find_calls(unit, _find_names(unit, tuple(annotated.items()))):
        yield callee


def find_operations_of_primitives(
    unit: Unit, annotated: Mapping[str, bool], first: int, last: int
) -> Iterator[Operation]:
    """Yield the calls of such functions between two indices.

    Raises:
        CannotDivide: The name of a class has an unknown form.
    """
    for index, callee, is_warp_wide in _find_calls(
        unit, _find_names(unit, tuple(annotated.items()))
    ):
        if not first < index < last:
            continue
        start = find_first(unit, index)
        if unit.get(start) == "::" and unit.get(start - 1) == ">":
            raise CannotDivide(f"the class with '{unit.words[callee]}' has a name of unknown form")
        start -= unit.get(start - 1) == "typename"
        opening = skip_arguments(unit, index)
        yield Operation(
            name=unit.words[callee],
            is_warp_wide=is_warp_wide,
            has_value=True,
            index=start,
            arguments=tuple(list_arguments(unit, callee + 1)),
            close=unit.partners[callee + 1],
            callee=callee,
            constructor=(start, opening if unit.words[opening] in _OPENING else start),
        )


def _find_calls(unit: Unit, names: Names) -> Iterator[tuple[int, int, bool]]:
    """Yield where the names of an object's class, or of an object, and of its function are."""
    for index in unit.find({*names.classes, *names.objects}):
        word, end = unit.words[index], index + 1
        if word in names.classes:
            opening = skip_arguments(unit, index)
            if unit.get(opening) in _OPENING:
                end = unit.partners[opening] + 1
        is_member = unit.get(index - 1) in (".", "->")
        if not is_member and unit.get(end) == "." and unit.get(end + 2) == "(":
            is_warp_wide = names.classes.get(word, names.objects.get(word, False))
            yield index, end + 1, is_warp_wide


@lru_cache(maxsize=1)
def _find_names(unit: Unit, annotated: tuple[tuple[str, bool], ...]) -> Names:
    """Return the names that a source gives classes, and objects of them."""
    classes, objects = dict(annotated), dict[str, bool]()
    definitions = [*_find_aliases(unit)] if classes else []
    while True:
        new = {
            name: all(classes[word] for word in words & classes.keys())
            for name, words in definitions
            if name not in classes and not words.isdisjoint(classes)
        }
        if not new:
            break
        classes |= new
    for index in unit.find(classes.keys()):
        if is_own(unit, unit.starts[index]):
            name = _find_object(unit, index)
            if name:
                objects[name] = objects.get(name, True) and classes[unit.words[index]]
    return Names(classes, objects)


def _find_aliases(unit: Unit) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names of types that a source defines, and the words of the definitions."""
    for index in unit.find(("using", "typedef")):
        end = unit.find_declaration_end(index, ";")
        if end is None or not is_own(unit, unit.starts[index]):
            continue
        words = unit.words[index + 1 : end - 1]
        if unit.words[index] == "using" and unit.get(index + 2) == "=":
            yield words[0], frozenset(words[2:])
        elif unit.words[index] == "typedef" and words:
            yield words[-1], frozenset(words[:-1])


def _find_object(unit: Unit, index: int) -> str:
    """Return the name of the object that is declared behind the name of a class; or nothing."""
    end = skip_arguments(unit, index)
    if unit.get(end).isidentifier() and unit.get(end + 1) in _BEHIND_NAME:
        return unit.words[end]
    first = find_first(unit, index)
    first -= unit.get(first - 1) == "typename"
    close = unit.partners.get(end, end) if unit.get(end) in _OPENING else end
    is_initializer = unit.get(first - 1) == "=" and unit.get(close + 1) == ";"
    return unit.get(first - 2) if is_initializer and close > end else ""
