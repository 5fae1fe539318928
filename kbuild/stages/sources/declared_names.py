"""List the names that declarations in namespaces declare."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

from kbuild.cxx.declarations import Declaration, read_declaration
from kbuild.cxx.declarators import CLASS_KEYS, TYPE_WORDS
from kbuild.cxx.outline import read_names
from kbuild.cxx.tokens import ATTRIBUTES, match_angle, match_brackets
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.device_words import is_template

NO_NAMES: Final = frozenset(
    (*TYPE_WORDS, *ATTRIBUTES, "asm", "decltype", "final", "static_assert", "template", "using")
)
OPERATOR: Final = "operator"
_DECLARED: Final = frozenset(("=", ";", ",", "(", "[", "{", ":", "]"))


def can_declare(declaration: Sequence[str], words: Collection[str]) -> bool:
    """Return whether tokens can declare one of some words, or an operator; in doubt, yes."""
    return any(
        (word in words and after in _DECLARED) or word == OPERATOR
        for word, after in pairwise((*declaration, ";"))
    )


def list_declared(
    unit: Unit, start: int, stop: int, classes: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the names that a declaration declares, and perhaps others.

    An operator that takes one of some classes is left out: whoever has an object of the class
    names the class, or something that mentions it.

    Args:
        unit: The text.
        start: The index of the first token.
        stop: The index after the ``;`` or the brace at the end.
        classes: The names of the classes.
    """
    if names := read_names(unit.list_between(start, stop - 1)):
        yield from names
        return
    found = read_declaration(unit, unit.starts[start])
    if found.kind != "function":
        yield from list_variables(found)
    elif all(token.text != OPERATOR for token in found.head) or (
        is_template(unit, found) and not _takes_class(unit, start, found, classes)
    ):
        yield found.name


def list_classes(unit: Unit) -> Iterator[str]:
    """Yield the names of the classes that a text declares."""
    for index in unit.find(CLASS_KEYS):
        if unit.get(index - 1) not in ("<", ","):  # a parameter of a template
            yield unit.get(index + 1)


def _takes_class(unit: Unit, start: int, found: Declaration, classes: frozenset[str]) -> bool:
    """Return whether an operator is a member of a class, or takes one of the classes."""
    words = [token.text for token in found.head]
    if words[words.index(OPERATOR) - 1] == "::":
        return True
    first, last = map(unit.find_index, found.parameters)
    header = unit.words[start : unit.find_index(found.head[0].start)]
    return not classes.isdisjoint({*unit.words[first:last]} - {*header})


def list_variables(found: Declaration) -> Iterator[str]:
    """Yield the names of variables, classes, and aliases, and perhaps others."""
    tokens = list(found.head)
    partners = match_brackets(tokens)
    is_value = False
    index = 0
    while index < len(tokens):
        before, word = tokens[index - 1].text if index else "", tokens[index].text
        after = tokens[index + 1].text if index + 1 < len(tokens) else ";"
        if word in ("=", ":"):
            is_value = True
        elif word in (",", "{"):
            is_value = False
        elif word == "<":
            index = match_angle(tokens, index) or index
        elif (word == "(" and after in ("*", "&")) or (word == "[" and before in ("auto", "&")):
            partners.pop(index, None)  # a declarator, or a structured binding
        elif tokens[index].is_word and not is_value and after in _DECLARED:
            yield word
        index = max(partners.get(index, index), index) + 1
