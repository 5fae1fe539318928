"""Conditions whose branches can meet in one warp operation.

Lanes of a warp can call the same operation with the same mask at different places, such as
``__syncwarp()`` in both branches of a condition (CUDA C++ Programming Guide, "Warp Vote Functions"
and "Synchronization Functions"). Regions run one place after the other, so that only fibers can do
that, unless each warp takes one branch. A kernel that reads ``threadIdx.y`` or ``.z`` can have
warps of several rows, so that ``threadIdx.x`` does not tell the warp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDEX
from kbuild.backends.cpu.mixed.regions.grammar.expressions import Span, is_literal
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.cxx.statements import Block, Node, list_blocks, list_statements
from kbuild.cxx.unit import Unit

_LEAVING: Final = ("return", "break", "continue")
_LANES: Final = 32
_EVERY_LANE: Final = "0xffffffff"
_COMPARISONS: Final = ("<", ">=")
# What binds less than a comparison, so that nothing else is a part of one beside it.
_BINDING_LESS: Final = ("=", "&", "|", "^", "?", ",", ";")


def check_branches(
    unit: Unit,
    body: Block,
    masked: Iterable[Block],
    operations: Mapping[int, Operation],
    uses: Uses,
) -> None:
    """Raise CannotDivide if lanes of different branches can meet in an operation."""
    masked = frozenset(masked)
    has_rows = _names_rows(unit, body)
    for block in list_blocks(body):
        for place, child in enumerate(block.children):
            if not isinstance(child, Block) or child.kind != "if" or child not in masked:
                continue
            branches: list[list[Node]] = [[each] for each in child.children[child.heads :]]
            if len(branches) == 1 and _leaves(unit, child):
                branches.append([*block.children[place + 1 :]])
            shared = _find_shared(unit, branches, operations)
            head = child.children[0]
            is_common = not has_rows and _is_common_in_warps(unit, (head.start, head.stop), uses)
            if shared and not is_common:
                raise CannotDivide(f"lanes of two branches can meet in '{shared}'")


def meets_own_lanes(operation: Operation, operations: Mapping[int, Operation], uses: Uses) -> bool:
    """Return whether no lane waits in an operation but those that execute the call.

    They do in one without arguments, which returns these lanes, and in one whose mask or group is
    its result. If something else is in that variable, the launch ends with an error.
    """
    if operation.callee is not None or operation.mask is None:
        return operation.meets_own_lanes or _finds_lanes(operation)
    first, last = operation.mask
    found = uses.resolve(first) if last == first + 1 else None
    if found is None or found.initializer is None or found.is_reference:
        return False
    start, stop = found.initializer
    maker = operations.get(start + 1)
    is_changed = any(use.kind == "changed" for use in uses.list_uses(found))
    is_whole = maker is not None and _finds_lanes(maker) and maker.close == stop - 1
    return is_whole and not is_changed


def _finds_lanes(operation: Operation) -> bool:
    is_of_warp = operation.is_warp_wide and operation.callee is None and not operation.owner
    return is_of_warp and operation.has_value and not operation.arguments


def _names_rows(unit: Unit, body: Block) -> bool:
    """Return whether a body reads another part of the index than the place in a row."""
    return any(
        unit.words[index] == INDEX and unit.get(index + 2) in ("y", "z")
        for index in range(body.start, body.stop)
    )


def _leaves(unit: Unit, block: Block) -> bool:
    return any(unit.get(each.start) in _LEAVING for each in list_statements(block))


def _find_shared(
    unit: Unit, branches: list[list[Node]], operations: Mapping[int, Operation]
) -> str:
    """Return the name of an operation that two branches can call with the same mask."""
    known: set[tuple[str, ...]] = set()
    for branch in branches:
        called = {key for node in branch for key in _list_called(unit, node, operations)}
        for name, *mask in sorted(called):
            if any(name == other and _can_be_equal(mask, own) for other, *own in known):
                return name
        known |= called
    return ""


def _can_be_equal(mask: list[str], other: list[str]) -> bool:
    """Return whether two masks can have one value: not if they are different literals."""
    masks = [words or [_EVERY_LANE] for words in (mask, other)]
    literals = [words[0] for words in masks if len(words) == 1 and is_literal(words[0])]
    return len(literals) < len(masks) or len({*map(_read_literal, literals)}) == 1


def _read_literal(word: str) -> int | str:
    """Return the value of an integer literal; other literals are the word."""
    try:
        return int(word.rstrip("uUlL"), 0)
    except ValueError:
        return word


def _list_called(
    unit: Unit, node: Node, operations: Mapping[int, Operation]
) -> Iterator[tuple[str, ...]]:
    """Yield the names and masks of the warp operations in a node."""
    for index, operation in operations.items():
        is_here = node.start <= index < node.stop
        if is_here and operation.is_warp_wide and not operation.meets_own_lanes:
            yield operation.name, *unit.words[slice(*(operation.mask or (0, 0)))]


def _is_common_in_warps(unit: Unit, span: Span, uses: Uses) -> bool:
    """Return whether all lanes of a warp have the same value, for blocks of whole warps."""
    for index in list_names(unit, *span):
        found = uses.resolve(index)
        if unit.words[index] == INDEX and not _names_warp(unit, index):
            return False
        if found is None:
            continue
        if not found.is_scalar or found.initializer is None or not uses.is_only_read(found):
            return False
        if not _is_common_in_warps(unit, found.initializer, uses):
            return False
    return "[" not in unit.words[slice(*span)] and "(" not in unit.words[slice(*span)]


def _names_warp(unit: Unit, index: int) -> bool:
    """Return whether the number of the warp is computed from an index."""
    words = [unit.get(place) for place in range(index - 1, index + 7)]
    operator, number, behind = words[4:7]
    is_first = words[0] in ("(", *_BINDING_LESS)
    if words[2:4] != [".", "x"]:
        return False
    if operator == "/":
        return number in ("warpSize", str(_LANES)) and (is_first or words[0] == "+")
    if operator == ">" and number == ">":
        is_shift = behind == "5" and words[7] in (")", *_BINDING_LESS)
        return is_first and is_shift
    is_multiple = number.isdigit() and int(number) % _LANES == 0
    is_whole = is_first and behind in (")", *_BINDING_LESS)
    return operator in _COMPARISONS and is_multiple and is_whole
