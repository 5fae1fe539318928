"""Read calls in the body of a kernel: of CUDA's operations, and of divided functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.cxx.places import find_first, skip_arguments
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """The functions that need a thread.

    Attributes:
        divided: Those that can be called for many threads at once, and whether they contain nothing
            but operations of warps.
        referring: The places of their parameters that are not just numbers.
        meeting_own_lanes: Those in whose operations only lanes of one call meet.
        obstacles: Why others cannot.
    """

    divided: Mapping[str, bool]
    referring: Mapping[str, frozenset[int]]
    meeting_own_lanes: frozenset[str]
    obstacles: Mapping[str, str]

    def describe_obstacle(self, name: str) -> str:
        """Return why a body that mentions a name cannot be divided."""
        reason = self.obstacles.get(name)
        return f"it calls '{name}': {reason}" if reason else f"it uses '{name}'"


def read_call(unit: Unit, callee: int, functions: Functions) -> Operation:
    """Read a call of a divided function: its name can be qualified, and have template arguments.

    Raises:
        CannotDivide: It is no call, or that of a member.
    """
    first, opening = find_first(unit, callee), skip_arguments(unit, callee)
    is_member = unit.get(first - 1) in (".", "->", ">", "template")
    if unit.get(opening) != "(" or is_member:
        raise CannotDivide(f"it uses '{unit.words[callee]}'")
    return Operation(
        name=unit.words[callee],
        is_warp_wide=functions.divided[unit.words[callee]],
        has_value=True,
        index=first,
        arguments=tuple(list_arguments(unit, opening)),
        close=unit.partners[opening],
        callee=callee,
        referring=functions.referring.get(unit.words[callee], frozenset()),
        meets_own_lanes=unit.words[callee] in functions.meeting_own_lanes,
    )


def read_operation(unit: Unit, index: int, is_warp_wide: bool, has_value: bool) -> Operation:
    """Read a call of an operation of CUDA.

    Raises:
        CannotDivide: The call has too few arguments.
    """
    arguments = tuple(list_arguments(unit, index + 1))
    if arguments and len(arguments) < has_value * (1 + is_warp_wide):
        raise CannotDivide(f"a call of '{unit.words[index]}' has too few arguments")
    return Operation(
        name=unit.words[index],
        is_warp_wide=is_warp_wide,
        has_value=has_value,
        index=find_first(unit, index),
        arguments=arguments,
        close=unit.partners[index + 1],
        operand=int(is_warp_wide),
    )


def list_arguments(unit: Unit, opening: int) -> Iterator[tuple[int, int]]:
    """Yield the indices of the arguments of a call, which starts with a parenthesis."""
    yield from list_parts_at_commas(unit, opening + 1, unit.partners[opening])


def list_parts_at_commas(unit: Unit, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the indices of what is between commas that are not in brackets."""
    position = first
    for part in split_at_commas(unit.list_between(first, last)):
        if part:
            yield position, position + len(part)
        position += len(part) + 1
