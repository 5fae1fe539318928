"""Find the groups of threads of a kernel, and the operations in which their threads wait.

A group is a block, or a tile of a warp. A variable stands for a group if kbuild knows all its uses:
a use asks for a property, is an operation, or passes the group to a function by value. Any other
group is an object like others, which each thread brings to an operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed.regions.calls import Functions, list_arguments, read_call
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.backends.cpu.mixed.regions.variables import Group, find_group
from kbuild.cxx.places import find_angle, find_first, find_opening
from kbuild.cxx.statements import Block, Statement, find_statement, list_blocks
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

THIS_BLOCK: Final = "this_thread_block"
TILE: Final = "tiled_partition"
MAKERS: Final = frozenset((THIS_BLOCK, TILE))
_SYNC: Final = "sync"
_WAIT: Final = "wait"
_REDUCE: Final = "reduce"
GROUP_FUNCTIONS: Final = (_SYNC, _WAIT, _REDUCE)
GROUP_TYPES: Final = ("thread_group", "coalesced_group")  # of groups that are objects
# The members in which threads wait, apart from `sync`: each thread brings a value.
_EXCHANGES: Final = frozenset(("shfl", "shfl_up", "shfl_down", "shfl_xor", "ballot", "any", "all"))
# Those of groups that are objects; programs use the other names for other things, too.
_OF_OBJECTS: Final = (_SYNC, "shfl", "shfl_up", "shfl_down", "shfl_xor", "ballot")
# What takes a group by value, or as if it did.
_TAKING: Final = (TILE, "memcpy_async")
_LARGER: Final = frozenset(("this_grid", "this_cluster", "grid_group", "cluster_group"))
_BLOCK: Final = "::kbuild_cpu::regions::block_group"
_OBJECT: Final = "::kbuild_cpu::regions::group_object"


class PassesGroup(CannotDivide):
    """Something happens to a group for which each thread needs an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupVariable:
    """A variable that stands for a group.

    Attributes:
        name: Its name.
        group: The kind of the group.
        span: The indices of the part of the text in which the name stands for it.
    """

    name: str
    group: Group
    span: tuple[int, int]


def read_group(unit: Unit, body: Block, index: int) -> tuple[Statement, GroupVariable] | None:
    """Return the declaration of a group around the name of a function that makes groups.

    The declarations are ``thread_block NAME = this_thread_block();`` and
    ``thread_block_tile<N> NAME = tiled_partition<N>(...);``, also with ``auto``.
    """
    statement = find_statement(body, index)
    words = unit.words[statement.start : statement.stop] if statement is not None else []
    if statement is None or "=" not in words:
        return None
    equals = statement.start + words.index("=")
    maker = equals + 1
    while unit.get(maker + 1) == "::":
        maker += 2
    is_tile = unit.get(maker) == TILE and unit.get(maker + 1) == "<"
    is_block = unit.words[maker : statement.stop] == [THIS_BLOCK, "(", ")"]
    kind = unit.words[statement.start : equals - 1]
    group: Group = "tile" if is_tile else "block"
    is_known = find_group(kind) == group or [w for w in kind if w != "const"] == ["auto"]
    if not (is_tile or is_block) or not is_known or unit.words[statement.stop - 1] != ")":
        return None
    around = [b for b in list_blocks(body) if b.start < statement.start < b.stop]
    stop = max(around, key=lambda block: block.start).stop
    span = (statement.stop, stop)
    return statement, GroupVariable(name=unit.words[equals - 1], group=group, span=span)


def find_group_name(unit: Unit, declaration: Statement) -> str:
    """Return the name of the variable that a declaration declares for a group."""
    return unit.words[unit.words.index("=", declaration.start) - 1]


def find_operations_of(
    unit: Unit, variable: GroupVariable, functions: Functions
) -> Iterator[Operation]:
    """Yield the operations of a group, and the calls of divided functions with it.

    Raises:
        CannotDivide: Something else happens to the group.
    """
    for index in range(*variable.span):
        if unit.words[index] != variable.name or unit.get(index - 1) in (".", "->", "::"):
            continue
        owner = f"decltype({variable.name})"
        found = _read_use(unit, (index, index + 1), variable.group, owner, functions)
        if found is not None:
            yield found
            continue
        callee = _find_callee(unit, find_opening(unit, 0, index))
        is_taken = callee is not None and unit.words[callee] in _TAKING
        if not is_taken and (unit.get(index + 1) != "." or unit.get(index + 3) != "("):
            raise PassesGroup(f"it passes '{variable.name}' on")


def read_this_block(unit: Unit, index: int, functions: Functions) -> Operation | None:
    """Read a use of ``this_thread_block()`` in an expression; return None for other uses."""
    first, stop = find_first(unit, index), index + 3
    is_call = unit.words[index:stop] == [THIS_BLOCK, "(", ")"]
    return _read_use(unit, (first, stop), "block", _BLOCK, functions) if is_call else None


def find_calls_of_objects(unit: Unit) -> Iterator[int]:
    """Yield the indices of the names of functions that can be those of groups that are objects."""
    if "thread_group" in unit.vocabulary:
        yield from (index for index in unit.find(_OF_OBJECTS) if unit.get(index + 1) == "(")


def find_operations_of_objects(unit: Unit, body: Block) -> Iterator[Operation]:
    """Yield the calls that can be operations of groups that are objects.

    The generated code does not compile if what is in front of the point is no such group.

    Raises:
        CannotDivide: Such a group can be the whole grid.
    """
    for index in find_calls_of_objects(unit):
        name, opening = unit.words[index], index + 1
        if not body.start < index < body.stop:
            continue
        arguments = list(list_arguments(unit, opening))
        if unit.get(index - 1) == ".":
            first = _find_object(unit, index - 1)
            arguments.insert(0, (first, index - 1))
        elif name == _SYNC and len(arguments) == 1:
            first = find_first(unit, index)
        else:
            continue
        start, stop = arguments[0]
        if start == stop or _find_object(unit, stop) != start:
            continue
        if not _LARGER.isdisjoint(unit.words[body.start : body.stop]):
            raise CannotDivide("a group can be the whole grid")
        has_value = name != _SYNC
        if has_value and len(arguments) < 2:  # noqa: PLR2004 - a group and a value
            raise CannotDivide(f"a call of '{name}' has too few arguments")
        yield Operation(
            name=name,
            is_warp_wide=True,
            has_value=has_value,
            index=first,
            arguments=tuple(arguments),
            close=unit.partners[opening],
            operand=1,
            owner=_OBJECT,
            is_of_object=True,
        )


def _find_object(unit: Unit, stop: int) -> int:
    """Return where a name with members in front of an index starts; the index without one."""
    first = stop
    while unit.get_token(first - 1).is_word:
        first -= 1
        if unit.get(first - 1) not in (".", "->"):
            return stop if unit.get(first - 1) == "::" else first
        first -= 1
    return stop


def _read_use(
    unit: Unit, span: tuple[int, int], group: Group, owner: str, functions: Functions
) -> Operation | None:
    """Return the operation that a use of a group belongs to; None for other uses.

    Args:
        unit: The text.
        span: The indices of the expression for the group.
        group: The kind of the group.
        owner: The name of the class with the operations.
        functions: What is known about the functions that need a thread.
    """
    first, stop = span
    method = unit.get(stop + 1)
    if unit.get(stop) == ".":
        is_operation = method == _SYNC or method in _EXCHANGES
        if not is_operation or unit.get(stop + 2) != "(":
            return None
        return _make_operation(unit, (first, stop + 2), method, group, owner)
    opening = find_opening(unit, 0, first)
    name = _find_callee(unit, opening)
    if opening is None or name is None or (first, stop) not in list_arguments(unit, opening):
        return None
    callee = _SYNC if unit.words[name] == _WAIT else unit.words[name]  # copies are complete
    if callee in functions.divided:
        return read_call(unit, name, functions)
    if callee in functions.obstacles:
        raise CannotDivide(functions.describe_obstacle(callee))
    is_reduction = callee == _REDUCE and group == "tile"
    if (callee != _SYNC and not is_reduction) or opening != first - 1 or opening != name + 1:
        return None
    return _make_operation(unit, (find_first(unit, name), opening), callee, group, owner)


def _make_operation(
    unit: Unit, span: tuple[int, int], name: str, group: Group, owner: str
) -> Operation:
    """Return an operation whose call starts, and has its parenthesis, at two indices."""
    first, opening = span
    has_value = name != _SYNC
    arguments = tuple(list_arguments(unit, opening)) if has_value else ()
    operand = int(name == _REDUCE)
    if has_value and len(arguments) <= operand:
        raise CannotDivide(f"a call of '{name}' has too few arguments")
    return Operation(
        name=name,
        is_warp_wide=group == "tile",
        has_value=has_value,
        index=first,
        arguments=arguments,
        close=unit.partners[opening],
        operand=operand,
        owner=owner,
    )


def _find_callee(unit: Unit, opening: int | None) -> int | None:
    """Return the index of the name of the function whose arguments start with a parenthesis."""
    if not opening or unit.words[opening] != "(":
        return None
    name = opening - 1
    if unit.words[name] == ">":
        name = (find_angle(unit, name) or 0) - 1
    return name if name >= 0 and unit.get_token(name).is_word else None
