"""Classes that probably consist of numbers and pointers, which values in braces initialize.

The generated code proves that, and which member gets which value; see ``number_objects.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.constants import is_scalar_type
from kbuild.backends.cpu.mixed.regions.grammar.expressions import is_name
from kbuild.cxx.places import list_outside
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit

_CLASSES: Final = frozenset(("struct", "class"))
# What starts a part of a class that is no member of an object.
_OTHERS: Final = frozenset(("static", "using", "typedef", "friend"))
# What a class with other members than numbers has, or one with constructors.
_REFUSED: Final = frozenset(
    ("private", "protected", "virtual", "union", "enum", "mutable", "[", "=", "&", "&&", ":")
)
_FUNCTION: Final = frozenset(("(", "operator"))
_MAKER: Final = "make_"


@lru_cache(maxsize=1024)
def list_members(unit: Unit, name: str) -> tuple[str, ...]:
    """Return the members of a class in order; nothing if it is unknown, or has other members."""
    found = [
        index
        for index in unit.find((name,))
        if unit.get(index + 1) == "{"
        and not _CLASSES.isdisjoint(unit.words[unit.find_head(index) : index])
    ]
    return tuple(_read_members(unit, name, found[0] + 1)) if len(found) == 1 else ()


def _read_members(unit: Unit, name: str, opening: int) -> list[str]:
    members: list[str] = []
    first = opening + 1
    for index in list_outside(unit, opening + 1, unit.partners[opening]):
        word = unit.words[index]
        if word == ":" and unit.words[first:index] == ["public"]:
            first = index + 1
        if word not in (";", "{"):
            continue
        words = unit.words[first:index]
        calls = [place for place, each in enumerate(words) if each in _FUNCTION]
        if calls:
            if words[calls[0] - 1] == name:
                return []  # a constructor
        elif word == "{" or not _REFUSED.isdisjoint(words):
            return []
        elif words and words[0] not in _OTHERS:
            parts = split_at_commas(unit.list_between(first, index))
            if "*" not in words and not is_scalar_type(unit, words[: len(parts[0]) - 1]):
                return []
            members += [part[-1].text for part in parts]
        first = unit.partners[index] + 1 if word == "{" else index + 1
    return members


def find_class(words: Sequence[str]) -> str:
    """Return the name of the class that the words of a type name; empty if there is none."""
    names = words[: words.index("<")] if "<" in words else words
    return next((word for word in reversed(names) if is_name(word) and word != "const"), "")


def is_maker(unit: Unit, name: str, kind: str) -> bool:
    """Return whether a function probably is that of CUDA that makes an object of a type."""
    if name != f"{_MAKER}{kind}":
        return False
    declared = (i for i in unit.find((name,)) if unit.get(i + 1) == "(" and unit.get(i - 1) == kind)
    return len(tuple(declared)) == 1
