"""Spell types so that most equal types have the same spelling.

Declarations of one kernel can spell its types in different ways: ``unsigned`` and ``unsigned int``,
``const T*`` and ``T const*``, or a type and its alias.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from kbuild.cxx.declarators import QUALIFIERS, TYPE_WORDS
from kbuild.cxx.lexer import Token
from kbuild.cxx.unit import Unit

Words: TypeAlias = tuple[str, ...]

_SIGNS: Final = frozenset({"signed", "unsigned", "__signed__"})
_SIZES: Final = frozenset({"char", "short", "long", "int"})
_DROPPED: Final = QUALIFIERS - {"const", "volatile"}
_LONGEST_CHAIN: Final = 8  # aliases of aliases


def spell_type(before: list[Token], after: list[Token]) -> Words:
    """Return the words of a parameter's type, in one spelling for all declarations of a kernel.

    Args:
        before: The tokens before the parameter's name, without attributes.
        after: The tokens after it, without attributes and names of a function's parameters.
    """
    words: list[str] = []
    for token in (*before, *after):
        is_leading = token.text == "::" and (not words or words[-1] in ("<", ",", "("))
        if not is_leading and token.text not in _DROPPED:
            words.append(token.text)
    if after and after[0].text == "[" and before[-1].text != "(":
        words = [*words[: _index(words, "[")], "*", *words[_index(words, "]") + 1 :]]
    return _order(words)


def _index(words: list[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


def expand_type(unit: Unit, words: Words) -> Words:
    """Replace the names of a type by the types that they are aliases of in the text."""
    for _ in range(_LONGEST_CHAIN):
        expanded: list[str] = []
        for word in words:
            is_name = word.isidentifier() and word not in TYPE_WORDS
            expanded += _find_aliased(unit, word) or [word] if is_name else [word]
        if tuple(expanded) == words:
            break
        words = _order(expanded)
    return words


def _find_aliased(unit: Unit, name: str) -> Sequence[str]:
    """Return the words of the first type that a name stands for; empty if it is not an alias."""
    known = _remember_aliases(unit)
    if name not in known:
        known[name] = next(list_aliased(unit, name), ())
    return known[name]


@lru_cache(maxsize=2)
def _remember_aliases(unit: Unit) -> dict[str, Sequence[str]]:  # noqa: ARG001 - the key
    """Return the aliases of a unit that are known. Its kernels have many types in common."""
    return {}


def list_aliased(unit: Unit, name: str) -> Iterator[Sequence[str]]:
    """Yield the words of the types that a text declares a name as another one of."""
    for index in unit.find((name,)):
        following = unit.get(index + 1)
        if following == "=" and unit.get(index - 1) == "using":
            last = unit.find_declaration_end(index, ";")
            yield unit.words[index + 2 : (last or index) - 1]
        # Names are common, and looking for the head of a declaration takes long.
        elif following == ";" and unit.get(first := unit.find_head(index)) == "typedef":
            yield unit.words[first + 1 : index]


def _order(words: list[str]) -> Words:
    """Return the words in an order that does not depend on how the type is spelled.

    A ``const`` or ``volatile`` of the parameter itself is not part of the kernel's type.
    """
    end = next((index for index, word in enumerate(words) if word in ("*", "&", "(")), len(words))
    first, rest = words[:end], words[end:]
    qualifiers = sorted({word for word in first if word in ("const", "volatile")})
    numbers = _name_integer([word for word in first if word in _SIGNS | _SIZES])
    names = [word for word in first if word not in _SIGNS | _SIZES | set(qualifiers)]
    while rest[-1:] in (["const"], ["volatile"]):
        rest = rest[:-1]
    return (*(qualifiers if rest else ()), *numbers, *names, *rest)


def _name_integer(numbers: list[str]) -> list[str]:
    """Return an order of the words of an integer type that all its spellings have in common."""
    if "char" not in numbers and "signed" in numbers:
        numbers = [word for word in numbers if word != "signed"] or ["int"]
    if {"short", "long"} & set(numbers):
        numbers = [word for word in numbers if word != "int"]
    if numbers == ["unsigned"]:
        numbers = ["unsigned", "int"]
    return sorted(numbers)
