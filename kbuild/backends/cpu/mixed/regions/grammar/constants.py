"""Names that are probably constants, or types of numbers and pointers.

The generated code proves that they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.expressions import ARITHMETIC_WORDS, STANDARD_TYPES
from kbuild.cxx.declarators import GRID_CONSTANT, TYPE_WORDS
from kbuild.cxx.rewriting.type_keys import list_aliased
from kbuild.cxx.unit import Unit

_CONSTANT: Final = frozenset(("constexpr", "const"))
_BEHIND: Final = ("=", "{", ",", ">", ";", "(")
_COMPOUND: Final = frozenset(("&", "(", "[", "volatile"))
_TYPES: Final = ("class", "typename")
FLOATING: Final = frozenset(
    (
        *("float", "double", "half", "__half", "__nv_bfloat16"),
        *(f"{kind}{count}" for kind in ("float", "double") for count in range(1, 5)),
    )
)
_SPECIFIERS: Final = frozenset(
    ("const", "static", "constexpr", "register", "inline", GRID_CONSTANT)
)


@lru_cache(maxsize=4096)
def is_probably_constant(unit: Unit, name: str) -> bool:
    """Return whether a text declares a name as a constant, or as the number of a template."""
    return any(
        unit.get(index + 1) in _BEHIND and _declares_constant(unit, index)
        for index in unit.find((name,))
    )


def _declares_constant(unit: Unit, index: int) -> bool:
    """Return whether a name is declared with a word for constants, or in template parameters."""
    head = unit.words[unit.find_head(index) : index]
    if not _CONSTANT.isdisjoint(head) and ("=" not in head or head[-1] == ","):
        return True
    return "template" in head[:1] and unit.get(index - 1) not in _TYPES and len(head) > 2  # noqa: PLR2004 - template < TYPE


@lru_cache(maxsize=1024)
def names_scalar(unit: Unit, name: str) -> bool:
    """Return whether a text declares a name as another one of a type of numbers or pointers."""
    return any(
        words and (ARITHMETIC_WORDS.issuperset(words) or _is_pointer(words))
        for words in list_aliased(unit, name)
    )


def _is_pointer(words: Sequence[str]) -> bool:
    """Return whether the words of a type are those of a pointer that is not volatile."""
    return words[-1] in ("*", "const") and "*" in words and _COMPOUND.isdisjoint(words)


def is_scalar_type(unit: Unit, words: Iterable[str]) -> bool:
    """Return whether the words of a type suggest that it is a number, which is not volatile."""
    others = set(words) - _SPECIFIERS - {"std", "::"}
    if len(others) == 1 and not others & TYPE_WORDS:
        return bool(others & STANDARD_TYPES) or names_scalar(unit, *others)
    return is_built_in_type(others)


def is_floating_type(unit: Unit, words: Iterable[str]) -> bool:
    """Return whether the words of a type suggest that it is one of numbers that are rounded."""
    others = set(words)
    aliased = (each for name in others - TYPE_WORDS for each in list_aliased(unit, name))
    return any(not FLOATING.isdisjoint(each) for each in (others, *aliased))


@lru_cache(maxsize=4096)
def is_floating_constant(unit: Unit, name: str) -> bool:
    """Return whether a text declares a name with such a type, in an expression of constants."""
    return any(
        not FLOATING.isdisjoint(unit.words[unit.find_head(index) : index])
        for index in unit.find((name,))
        if unit.get(index + 1) in _BEHIND
    )


def is_built_in_type(words: Iterable[str]) -> bool:
    """Return whether a type without stars and brackets is a number without a doubt."""
    others = set(words) - _SPECIFIERS
    return bool(others) and others <= ARITHMETIC_WORDS
