"""Find conditions that hold for consecutive threads of a row, so that no other thread is tried."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from kbuild.backends.cpu.mixed.regions.grammar.expressions import Span, is_member
from kbuild.backends.cpu.mixed.regions.indices import (
    differs,
    drop_parentheses,
    find_sums,
    has_other_operators,
    is_plain,
)
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.variables import find_value
from kbuild.cxx.places import list_outside
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_Kind: TypeAlias = Literal["row", "below", "from", "at", "rest", "bits"]
_KINDS: Final[dict[str, _Kind]] = {
    "<": "below",
    "<=": "below",
    "==": "at",
    ">": "from",
    ">=": "from",
}
_COMPARISONS: Final = frozenset(("<", ">", "<=", ">="))
_RESTS: Final[dict[str, _Kind]] = {"%": "rest", "&": "bits"}
# Numbers from 15 on, such as the number of the threads in a warp.
_LARGE: Final = re.compile(
    r"warpSize|(?:0[xX][fF]|1[5-9]|0[xX][1-9a-fA-F][\da-fA-F]+|[1-9]\d{2,}|[2-9]\d)[uU]?"
)
_OPERATORS: Final = frozenset("+-*/%&|^?:<>=,!~")
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}


@dataclass(frozen=True, slots=True)
class Guard:
    """A comparison at the start of a condition without ``else``.

    Attributes:
        kind: ``below`` holds for the first threads of a row, ``from`` for the last ones, ``at``
            for the thread whose index is a value, ``rest`` and ``bits`` for those whose index has a
            value as its rest or as its last bits, and ``row`` for all threads of a row or none.
        comparison: The tokens of the comparison.
        sums: The tokens of the index of the thread, and of the sums that it consists of. It grows
            by one from thread to thread unless it wraps around. Empty for a row.
        value: The tokens of what the index is compared with; empty for a row.
        rest: The tokens of the rest or the last bits, and of what the index is divided by, or the
            bits are selected with.
    """

    kind: _Kind
    comparison: Span
    sums: tuple[Span, ...] = ()
    value: Span = (0, 0)
    rest: tuple[Span, ...] = ()


def find_guards(unit: Unit, division: Division, node: Node) -> tuple[Guard, ...]:
    """Return the guards of a statement: the first operands of ``&&`` in its condition."""
    if not isinstance(node, Block) or node.kind != "if" or node.is_constant:
        return ()
    head, *others = node.children
    if not isinstance(head, Statement) or node.heads != 1 or len(others) != 1:
        return ()
    guards: list[Guard] = []
    for operand in _list_operands(unit, head):
        guard = _find_guard(unit, division, operand)
        if guard is None:
            break
        guards.append(guard)
    return tuple(guards)


def list_unguarded(unit: Unit, node: Node, guards: Sequence[Guard]) -> list[Span]:
    """Return the operands of ``&&`` behind the guards of a statement."""
    head = node.children[0] if isinstance(node, Block) and guards else None
    return _list_operands(unit, head)[len(guards) :] if isinstance(head, Statement) else []


def _find_guard(unit: Unit, division: Division, span: Span) -> Guard | None:
    """Read an operand as a guard; return None if it has another form."""
    first, last = drop_parentheses(unit, span)
    found = _split_comparison(unit, first, last)
    if found is None:
        return None
    operator, position, after = found
    left, right = (first, position), (after, last)
    if not all(is_plain(unit, division, side) for side in (left, right)):
        return None
    on_left, on_right = (differs(unit, division, side) for side in (left, right))
    if not on_left and not on_right:
        return Guard("row", (first, last))
    if any(has_other_operators(unit, side) for side in (left, right)):
        return None  # the comparison is only a part of the operand
    if on_right:
        left, right, operator = right, left, _MIRRORED[operator]
    sums = () if on_left and on_right else find_sums(unit, division, left)
    if sums or operator != "==" or (on_left and on_right):
        return Guard(_KINDS[operator], (first, last), sums, right) if sums else None
    return _find_rest(unit, division, (left, right), (first, last))


def _find_rest(
    unit: Unit, division: Division, sides: tuple[Span, Span], comparison: Span
) -> Guard | None:
    """Read a comparison of a rest or of bits of the index, or of a variable with this value.

    If many threads pass, it is faster to try all of them.
    """
    left = drop_parentheses(unit, sides[0])
    words = unit.words[slice(*left)]
    if len(words) == 1 or is_member(words):
        found = division.resolve(words[0], left[0])
        left = drop_parentheses(unit, find_value(unit, found, left[0]) or left)
    places = [i for i in list_outside(unit, *left) if unit.words[i] in _OPERATORS]
    if len(places) != 1 or unit.words[places[0]] not in _RESTS:
        return None
    index, other = (left[0], places[0]), (places[0] + 1, left[1])
    is_large = _LARGE.fullmatch(" ".join(unit.words[slice(*other)])) is not None
    sums = find_sums(unit, division, index) if is_large else ()
    kind = _RESTS[unit.words[places[0]]]
    return Guard(kind, comparison, sums, sides[1], (sides[0], other)) if sums else None


def _list_operands(unit: Unit, head: Statement) -> list[Span]:
    """Return the operands of ``&&``; nothing if the condition has another form."""
    operands: list[Span] = []
    first = head.start
    for index in list_outside(unit, head.start, head.stop):
        word, following = unit.words[index], unit.get(index + 1)
        if word in ("?", ",", ";") or word == following == "|":
            return []
        if index >= first and word == following == "&":
            operands.append((first, index))
            first = index + 2
    return [*operands, (first, head.stop)]


def _split_comparison(unit: Unit, first: int, last: int) -> tuple[str, int, int] | None:
    """Return the only comparison between two indices: its operator, and the indices around it."""
    found = None
    for index in list_outside(unit, first, last):
        word = unit.words[index]
        if found is not None and index < found[2]:
            continue  # the second character of the operator
        if word == "=" or word in _COMPARISONS:
            is_double = word == "=" and unit.get(index + 1) == "="
            if found is not None or (word == "=" and not is_double):
                return None
            found = ("==" if is_double else word, index, index + 1 + is_double)
        elif word in ("!", "<<"):
            return None
    return found
