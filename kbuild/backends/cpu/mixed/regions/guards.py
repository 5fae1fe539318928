"""Find conditions that hold for consecutive threads of a row, so that no other thread is tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from kbuild.backends.cpu.mixed.annotations import INDEX
from kbuild.backends.cpu.mixed.regions.mentions import asks_for_index, is_pure, list_names
from kbuild.backends.cpu.mixed.regions.model import Division
from kbuild.backends.cpu.mixed.regions.variables import Variable
from kbuild.cxx.declarators import TYPE_WORDS
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_OPENING: Final = frozenset("([{")
_Kind: TypeAlias = Literal["row", "below", "from", "at"]
_KINDS: Final[dict[str, _Kind]] = {
    "<": "below",
    "<=": "below",
    "==": "at",
    ">": "from",
    ">=": "from",
}
_COMPARISONS: Final = frozenset(("<", ">", "<=", ">="))
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}
_FACTORS: Final = frozenset("*/%~")  # a sign behind them belongs to a factor
_Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Guard:
    """A comparison at the start of a condition without ``else``.

    Attributes:
        kind: ``below`` holds for the first threads of a row, ``from`` for the last ones, ``at``
            for the thread whose index is a value, and ``row`` for all threads of a row or none.
        comparison: The tokens of the comparison.
        index: The tokens of the index of the thread, which grows by one from thread to thread
            unless it wraps around; empty for a row.
        value: The tokens of what the index is compared with; empty for a row.
    """

    kind: _Kind
    comparison: _Span
    index: _Span = (0, 0)
    value: _Span = (0, 0)


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


def _find_guard(unit: Unit, division: Division, span: _Span) -> Guard | None:
    """Read an operand as a guard; return None if it has another form."""
    first, last = _drop_parentheses(unit, span)
    found = _split_comparison(unit, first, last)
    if found is None:
        return None
    operator, position, after = found
    left, right = (first, position), (after, last)
    if not all(_is_plain(unit, division, side) for side in (left, right)):
        return None
    on_left, on_right = (_depends(unit, division, side) for side in (left, right))
    if not on_left and not on_right:
        return Guard("row", (first, last))
    if on_right:
        left, right, operator = right, left, _MIRRORED[operator]
    if (on_left and on_right) or not _is_index(unit, division, left):
        return None
    return Guard(_KINDS[operator], (first, last), left, right)


def _drop_parentheses(unit: Unit, span: _Span) -> _Span:
    """Return what is in the parentheses around an expression."""
    first, last = span
    while first < last and unit.words[first] == "(" and unit.partners[first] == last - 1:
        first, last = first + 1, last - 1
    return first, last


def _list_operands(unit: Unit, head: Statement) -> list[_Span]:
    """Return the operands of ``&&``; nothing if the condition has another form."""
    operands: list[_Span] = []
    first = index = head.start
    while index < head.stop:
        word = unit.words[index]
        if word in _OPENING:
            index = unit.partners[index]
        elif word in ("?", ",", ";") or (word == "|" and unit.get(index + 1) == "|"):
            return []
        elif word == "&" and unit.get(index + 1) == "&":
            operands.append((first, index))
            index += 1
            first = index + 1
        index += 1
    return [*operands, (first, head.stop)]


def _split_comparison(unit: Unit, first: int, last: int) -> tuple[str, int, int] | None:
    """Return the only comparison between two indices: its operator, and the indices around it."""
    found = None
    index = first
    while index < last:
        word = unit.words[index]
        if word in _OPENING:
            index = unit.partners[index]
        elif word == "=" or word in _COMPARISONS:
            is_double = word == "=" and unit.get(index + 1) == "="
            if found is not None or (word == "=" and not is_double):
                return None
            found = ("==" if is_double else word, index, index + 1 + is_double)
            index += is_double
        elif word in ("!", "<<"):
            return None
        index += 1
    return found


def _is_plain(unit: Unit, division: Division, span: tuple[int, int]) -> bool:
    """Return whether an expression depends on indices and on what all threads have in common."""
    is_simple = span[0] < span[1] and is_pure(unit, *span, division.groups)
    if not is_simple or division.reads_memory(unit.words[slice(*span)]):
        return False
    return all(
        found is None or division.kinds[found] != "kept"
        for found in _list_variables(unit, division, span)
    )


def _list_variables(unit: Unit, division: Division, span: tuple[int, int]) -> list[Variable | None]:
    return [division.resolve(unit.words[index], index) for index in list_names(unit, *span)]


def _depends(unit: Unit, division: Division, span: tuple[int, int]) -> bool:
    """Return whether an expression differs between the threads of a row."""
    for index in list_names(unit, *span):
        if unit.words[index] == INDEX and unit.words[index + 2] not in ("y", "z"):
            return True
    for index in list_names(unit, *span):
        found = division.resolve(unit.words[index], index)
        kind = None if found is None else division.kinds[found]
        if kind == "group" and asks_for_index(unit, index):
            return True
        value = found.initializer if found is not None and kind == "computed" else None
        if value is not None and _depends(unit, division, value):
            return True
    return False


def _is_index(unit: Unit, division: Division, span: _Span) -> bool:
    """Return whether an expression is the index of the thread, plus what a row has in common."""
    depending = [
        (sign, term)
        for sign, term in _list_terms(unit, _drop_parentheses(unit, span))
        if _depends(unit, division, term)
    ]
    if len(depending) != 1:
        return False
    sign, (first, last) = depending[0]
    if sign == "-":
        return False
    first, last = _drop_conversion(unit, (first, last))
    words = unit.words[first:last]
    if words[0] == "(":
        is_inner = unit.partners[first] == last - 1
        return is_inner and _is_index(unit, division, (first + 1, last - 1))
    found = division.resolve(words[0], first)
    if len(words) == 1 and found is not None and found.initializer is not None:
        start, stop = found.initializer
        return _is_index(unit, division, (start + (unit.words[start] == "="), stop))
    if words[1:] == [".", "thread_rank", "(", ")"]:
        return found is not None and found.group == "block"
    return words == [INDEX, ".", "x"]


def _drop_conversion(unit: Unit, span: _Span) -> _Span:
    """Return what is converted to a built-in type by ``type(...)`` or ``(type)...``."""
    first, last = span
    if unit.words[first] in TYPE_WORDS and unit.get(first + 1) == "(":
        first += 1
    elif unit.words[first] == "(":
        behind = unit.partners[first] + 1
        if behind < last and TYPE_WORDS.issuperset(unit.words[first + 1 : behind - 1]):
            first = behind
    return first, last


def _list_terms(unit: Unit, span: _Span) -> Iterator[tuple[str, _Span]]:
    """Yield the terms of a sum, with their signs."""
    first, last = span
    sign, index = "+", first
    while index < last:
        word = unit.words[index]
        if word in _OPENING:
            index = unit.partners[index]
        elif word in ("+", "-") and index == first:
            sign, first = word, index + 1
        elif word in ("+", "-") and unit.words[index - 1] not in _FACTORS:
            yield sign, (first, index)
            sign, first = word, index + 1
        index += 1
    yield sign, (first, last)
