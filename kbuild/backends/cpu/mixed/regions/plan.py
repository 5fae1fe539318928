"""How a kernel, or a device function, is divided."""

from __future__ import annotations

from collections.abc import Mapping

from kbuild.backends.cpu.mixed.regions.grammar.constants import is_probably_constant
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    Plain,
    Span,
    is_member,
    read_plain,
)
from kbuild.backends.cpu.mixed.regions.grammar.mentions import OF_GROUPS
from kbuild.backends.cpu.mixed.regions.model import KernelBody, Leave, Operation
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.backends.cpu.mixed.regions.variables import Kind, Variable, find_variable
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """How a kernel is divided.

    Attributes:
        kernel: The body of the kernel or function.
        divided: The blocks that contain operations.
        operations: The operations by the indices of their first tokens.
        leaves: The statements that leave divided blocks, by the index of their first token.
        variables: The parameters and the variables of divided blocks, in order.
        uses: What happens to them.
        kinds: What each of them becomes.
        common: The constant objects that all threads make of the same numbers.
        masked: The divided conditions and loops that threads take differently, as far as is known.
        steered: The masked loops whose heads are the same for all threads.
        written_out: The loops whose heads are written as statements.
        whole: The statements that are executed once for all threads.
        numbers: Variables that must be numbers or pointers, as operations run before their uses.
        shared: The names of shared memory.
        groups: The names of variables that stand for groups of threads.
        result: Its last statement, if it returns a value.
    """

    kernel: KernelBody
    divided: frozenset[Block]
    operations: Mapping[int, Operation]
    leaves: Mapping[int, Leave]
    variables: tuple[Variable, ...]
    uses: Uses
    kinds: Mapping[Variable, Kind]
    common: frozenset[Variable]
    masked: frozenset[Block]
    steered: frozenset[Block]
    written_out: frozenset[Block]
    whole: frozenset[Node]
    numbers: frozenset[Variable]
    shared: frozenset[str]
    groups: frozenset[str]
    result: Statement | None = None

    def resolve(self, name: str, index: int) -> Variable | None:
        """Return the variable that a name at an index stands for; None for other names."""
        return find_variable(self.variables, name, index)


def read_known(
    unit: Unit, span: Span, uses: Uses, groups: frozenset[str], shared: frozenset[str]
) -> Plain | None:
    """Read an expression of built-in operators whose names are variables, or probably constants.

    Args:
        unit: The text.
        span: The expression, with or without the ``=`` in front of an initializer.
        uses: The variables.
        groups: The names of variables that stand for groups of threads.
        shared: The names of shared memory.
    """
    first, last = span
    first += unit.get(first) == "="
    found = read_plain(unit, first, last, OF_GROUPS)
    if found is None or any(unit.words[index] not in groups for index in found.groups):
        return None
    for start, stop in found.names:
        word = unit.words[stop - 1]
        if is_member(unit.words[start:stop]):
            variable = uses.resolve(start)
            if variable is None or word not in variable.members:
                return None
            continue
        is_known = stop == start + 1 and (uses.resolve(start) is not None or uses.is_address(start))
        if not is_known and (word in shared or not is_probably_constant(unit, word)):
            return None
    return found
