"""The words that mark device code in preprocessed text, and what is compiled where it is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.scopes import Scope
from kbuild.cxx.tokens import ATTRIBUTES
from kbuild.cxx.unit import Unit

_KERNEL_WORDS: Final = frozenset(("__kbuild_global__", "global", "__global__"))
DEVICE_WORDS: Final = frozenset(
    (
        *("__kbuild_device__", "__kbuild_constant__", "__kbuild_managed__"),
        *("device", "constant", "managed", "shared"),
        *("__device__", "__constant__", "__managed__", "__shared__"),
    )
)
# Finds kernels in texts that are too large to be split into tokens.
KERNEL_ATTRIBUTE: Final = re.compile(
    r"__kbuild_global__\b|__attribute__\s*\(\(\s*(?:__)?global(?:__)?\s*\)\)"
)
_OWN_WORD: Final = "__kbuild_"
_DEDUCED: Final = frozenset(("auto", "constexpr", "consteval", "decltype", "template", "concept"))


def find_device_words(unit: Unit) -> Iterator[tuple[int, bool]]:
    """Yield the index of each word that marks device code, and whether it marks a kernel.

    In a text for nvcc, the words are attributes. Then the index is that of the attribute.
    """
    for index in unit.find(_KERNEL_WORDS | DEVICE_WORDS):
        word = unit.words[index]
        if word.startswith(_OWN_WORD):
            yield index, word in _KERNEL_WORDS
        elif unit.get(index - 3) in ATTRIBUTES and unit.get(index - 1) == "(":
            yield index - 3, word in _KERNEL_WORDS


def is_template(unit: Unit, found: Declaration, around: Iterable[Scope] = ()) -> bool:
    """Return whether a function is instantiated, or evaluated, where it is used."""
    is_function = found.kind == "function"
    end = found.body[0] if found.body else found.parameters[1] if is_function else found.end
    words = {token.text for token in unit.list_tokens(found.start, end)}
    return not words.isdisjoint(_DEDUCED) or any(
        unit.words[unit.find_index(scope.head)] == "template"
        for scope in around
        if scope.kind == "class"
    )
