"""Names that a statement can declare, although the text cannot tell whether it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.expressions import is_name
from kbuild.backends.cpu.mixed.regions.grammar.mentions import KEYWORDS
from kbuild.backends.cpu.mixed.regions.model import SharedMemory
from kbuild.cxx.declarators import TYPE_OPERATORS
from kbuild.cxx.places import find_opening, list_outside
from kbuild.cxx.statements import Block, Statement, list_statements, skip_attributes
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit

# What can be between a type and the name of a variable that it declares in parentheses.
_DECLARED_WITH: Final = ("(", "*", "&", "const", "volatile", "__restrict__")
# What is in front of a name in parentheses that a declaration declares behind a comma or a star.
_IN_PARENTHESES: Final = frozenset((("(", ","), ("*", "("), ("&", "(")))


def find_possibly_declared(unit: Unit, statement: Statement) -> int | None:
    """Return the index of the name that a statement declares if it starts with a type.

    ``f(x);`` declares ``x`` if ``f`` is a type ([stmt.ambig]). The result is None if no name of a
    type can make the statement a declaration.
    """
    start = index = skip_attributes(unit, statement.start)
    while index < statement.stop and unit.words[index] != "(":
        word = unit.words[index]
        if word == "<":
            tokens = unit.list_between(index, statement.stop)
            index += match_angle(tokens, 0) or 0
        elif word in TYPE_OPERATORS:
            index = unit.partners.get(index + 1, index)
        elif not is_name(word) and word not in ("::", ">"):
            return None
        index += 1
    opening = index
    while unit.get(index) in _DECLARED_WITH:
        index += 1
    is_declarable = is_name(unit.get(index)) and unit.get(index) not in KEYWORDS
    end = index + 1
    while unit.get(end) == "[" and end in unit.partners:
        end = unit.partners[end] + 1
    # With a comma, the parentheses are around arguments.
    is_whole = unit.get(end) == ")" and start < opening and index < statement.stop
    return index if is_declarable and is_whole else None


def is_declared_name(unit: Unit, statement: Statement, index: int) -> bool:
    """Return whether a declaration can declare a name where it is."""
    before, behind = unit.get(index - 1), unit.get(index + 1)
    if behind == ")" and (before, unit.get(index - 2)) in _IN_PARENTHESES:
        return True  # as in `int a, (b);`
    opening = find_opening(unit, statement.start, index)
    is_first = index == statement.start and statement.base is None
    if before == "*" and unit.get(index - 2) == "=":
        return False  # what a pointer leads to
    if is_first or (opening is not None and not _can_declare(unit, statement, opening)):
        return False
    is_last = index + 1 == statement.stop or behind in ("=", ";", "[", "(", "{", ",", "}", ":")
    return is_last and (is_name(before) or before in ("*", "&", ">", "::", "{", ","))


def _can_declare(unit: Unit, statement: Statement, opening: int) -> bool:
    """Return whether a bracket is around declarations: not around the values of a list."""
    if unit.words[opening] != "{" or "enum" in unit.words[statement.start : opening]:
        return unit.words[opening] == "{"
    return any(
        unit.words[i] == ";" for i in list_outside(unit, opening + 1, unit.partners[opening])
    )


def list_declared_names(unit: Unit, statement: Statement) -> Iterator[int]:
    """Yield the indices of the names that a statement declares, and of some others."""
    declared = find_possibly_declared(unit, statement)
    for index in range(statement.start, statement.stop):
        if is_name(unit.words[index]) and (
            index == declared or is_declared_name(unit, statement, index)
        ):
            yield index


def find_declared(unit: Unit, body: Block, shared: SharedMemory) -> frozenset[str]:
    """Return the names that statements of a body declare, and some others.

    The only declaration of an array in shared memory does not count, as it hides no other one.
    """
    return frozenset(
        unit.words[index]
        for statement in list_statements(body)
        for index in list_declared_names(unit, statement)
        if not (index in shared.declared and unit.words[index] in shared.scopes)
    )
