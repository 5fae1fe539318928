"""Find conditions that hold for consecutive threads of a row, so that no other thread is tried."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from kbuild.backends.cpu.mixed.annotations import INDEX
from kbuild.backends.cpu.mixed.regions.mentions import asks_for_index, is_pure, list_names
from kbuild.backends.cpu.mixed.regions.model import Division
from kbuild.backends.cpu.mixed.regions.variables import Variable
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_OPENING: Final = frozenset("([{")
_Kind: TypeAlias = Literal["below", "from", "at"]
_KINDS: Final[dict[str, _Kind]] = {
    "<": "below",
    "<=": "below",
    "==": "at",
    ">": "from",
    ">=": "from",
}
_COMPARISONS: Final = frozenset(("<", ">", "<=", ">="))
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "=="}


@dataclass(frozen=True, slots=True)
class Guard:
    """A comparison at the start of a condition without ``else``.

    Attributes:
        kind: ``below`` holds for the first threads of a row, ``from`` for the last ones, and ``at``
            for the thread whose index is a value.
        comparison: The indices of the comparison.
        value: The indices of what the index is compared with.
    """

    kind: _Kind
    comparison: tuple[int, int]
    value: tuple[int, int]


def find_guard(unit: Unit, division: Division, node: Node) -> Guard | None:
    """Return the guard of a statement; None without one."""
    if not isinstance(node, Block) or node.kind != "if" or node.is_constant:
        return None
    head, *others = node.children
    if not isinstance(head, Statement) or node.heads != 1 or len(others) != 1:
        return None
    stop = _find_first_operand(unit, head)
    found = None if stop is None else _split_comparison(unit, head.start, stop)
    if stop is None or found is None:
        return None
    operator, position, after = found
    return _read_guard(unit, division, (head.start, position), operator, (after, stop))


def _read_guard(
    unit: Unit, division: Division, left: tuple[int, int], operator: str, right: tuple[int, int]
) -> Guard | None:
    """Return the guard with two sides, of which one is the index of the thread."""
    comparison = (left[0], right[1])
    if not all(_is_plain(unit, division, side) for side in (left, right)):
        return None
    on_left, on_right = (_depends(unit, division, side) for side in (left, right))
    if not on_left and not on_right:
        return Guard("below", comparison, right)
    if on_right:
        left, right, operator = right, left, _MIRRORED[operator]
    if (on_left and on_right) or not _is_index(unit, division, left):
        return None
    return Guard(_KINDS[operator], comparison, right)


def _find_first_operand(unit: Unit, head: Statement) -> int | None:
    """Return where the first operand of ``&&`` ends; None if the condition has another form."""
    stop = None
    index = head.start
    while index < head.stop:
        word = unit.words[index]
        if word in _OPENING:
            index = unit.partners[index]
        elif word in ("?", ",", ";") or (word == "|" and unit.get(index + 1) == "|"):
            return None
        elif word == "&" and unit.get(index + 1) == "&" and stop is None:
            stop = index
        index += 1
    return head.stop if stop is None else stop


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


def _is_index(unit: Unit, division: Division, span: tuple[int, int]) -> bool:
    """Return whether an expression is ``threadIdx.x`` or the rank in the block, or a variable."""
    first, last = span
    words = unit.words[first:last]
    if len(words) == 1:
        found = division.resolve(words[0], first)
        if found is None or found.initializer is None:
            return False
        start, stop = found.initializer
        return _is_index(unit, division, (start + (unit.words[start] == "="), stop))
    if words[1:] == [".", "thread_rank", "(", ")"]:
        found = division.resolve(words[0], first)
        return found is not None and found.group == "block"
    return words == [INDEX, ".", "x"]
