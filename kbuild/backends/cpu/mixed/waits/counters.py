"""Whether something other than a loop itself can change what decides whether the loop ends.

A loop counts to a limit only if nothing else reaches its variables: no pointer, reference, object,
or lambda from before the loop refers to them, and no function that the loop calls changes them as
members or variables outside of functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final

from kbuild.backends.cpu.mixed.mentions import find_lambda
from kbuild.backends.cpu.mixed.regions.grammar.constants import is_probably_constant
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Known, read_use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import is_name
from kbuild.backends.cpu.mixed.regions.grammar.mentions import KEYWORDS, list_names
from kbuild.backends.cpu.mixed.regions.variables import is_deduced, list_variables
from kbuild.cxx.places import find_opening
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import Block, Statement, list_statements
from kbuild.cxx.unit import Unit

_KNOWN: Final = Known(lambda _: False, {})
_OWN: Final = ("__", "atomic")  # CUDA's functions change what they get, and nothing else


class Owner:
    """The function, or the lambda, that a loop is in."""

    def __init__(self, unit: Unit, body: Block, yielding: frozenset[str]) -> None:
        """Remember the text, the body, and the names of atomic functions and fences."""
        self.unit: Final = unit
        self._body = body
        self._yielding = yielding

    def can_change(self, name: str, loop: Block, *, is_counted: bool) -> bool:
        """Return whether something other than statements of a loop can change a variable in it.

        Args:
            name: The name of the variable.
            loop: The loop.
            is_counted: Whether the loop counts the variable.
        """
        if is_probably_constant(self.unit, name):
            return False
        if self._declares(name, loop):
            return self._is_lent(name, loop)
        return is_counted or self._calls(loop)

    @cached_property
    def _parameters(self) -> frozenset[str]:
        """The names in the parentheses in front of the body."""
        unit, brace = self.unit, self._body.start
        scope = find_scopes(unit).around(unit.starts[brace] + 1)[-1]
        captures = find_lambda(unit, scope)
        start = unit.find_head(brace) if captures is None else unit.find_index(captures[-1].start)
        return frozenset(
            unit.words[i]
            for i in list_names(unit, start, brace)
            if find_opening(unit, start, i) is not None and unit.get(i - 1) != "&"
        )

    def _list_before(self, name: str, loop: Block) -> Iterator[tuple[Statement, int]]:
        """Yield where a name is in statements in front of a loop, or at the start of its head."""
        start = loop.children[0].stop if loop.kind == "for" else loop.start
        for statement in list_statements(self._body):
            for index in list_names(self.unit, statement.start, min(statement.stop, start)):
                if self.unit.words[index] == name:
                    yield statement, index

    def _declares(self, name: str, loop: Block) -> bool:
        return name in self._parameters or any(
            index in self._list_values(statement)
            for statement, index in self._list_before(name, loop)
        )

    def _list_values(self, statement: Statement) -> list[int]:
        """Return the indices of the names of variables that a statement declares."""
        found = list_variables(self.unit, self._body, statement)
        return [each.index for each in found if not each.is_reference]

    def _is_lent(self, name: str, loop: Block) -> bool:
        """Return whether something can refer to a variable after a statement in front of a loop."""
        return any(
            read_use(self.unit, statement, (index, index + 1), known=_KNOWN).kind == "unknown"
            and index not in self._list_values(statement)
            and not self._is_passed(statement, index)
            for statement, index in self._list_before(name, loop)
        )

    def _is_passed(self, statement: Statement, index: int) -> bool:
        """Return whether a function gets a variable, and nothing keeps what it returns."""
        unit = self.unit
        opening = find_opening(unit, statement.start, index)
        is_argument = opening is not None and unit.words[opening] == "("
        if not is_argument or unit.get(index - 1) == "&":
            return False
        while opening is not None:
            if unit.words[opening] == "{":
                return False
            opening = find_opening(unit, statement.start, opening)
        found = tuple(list_variables(unit, self._body, statement))
        return all(each.is_scalar and not is_deduced(unit, each) for each in found)

    def _calls(self, loop: Block) -> bool:
        """Return whether a loop calls functions other than those of CUDA."""
        unit = self.unit
        return any(
            unit.get(index + 1) == "(" and not unit.words[index].startswith(_OWN)
            for index in range(loop.start, loop.stop)
            if is_name(unit.words[index]) and unit.words[index] not in KEYWORDS | self._yielding
        )
