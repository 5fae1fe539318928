"""The variables of a divided body, and what happens to them where their names are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kbuild.backends.cpu.mixed.regions.mentions import Use, find_use, list_names
from kbuild.backends.cpu.mixed.regions.model import Operation, find_variable
from kbuild.backends.cpu.mixed.regions.variables import Variable
from kbuild.cxx.unit import Unit


class Uses:
    """The uses of variables.

    Attributes:
        variables: The variables, in order.
        lent: The indices of the names in arguments that divided functions can change.
        indices: The indices of the names that stand for each variable, after its declaration.
    """

    def __init__(
        self, unit: Unit, variables: tuple[Variable, ...], operations: Mapping[int, Operation]
    ) -> None:
        """Find the uses of variables in a text with these operations."""
        self._unit = unit
        self.variables: Final = variables
        self.lent: Final = frozenset(
            index
            for operation in operations.values()
            for first, last in (operation.arguments if operation.can_change else ())
            for index in list_names(unit, first, last)
        )
        self.indices: Final = {variable: list(self._find(variable)) for variable in variables}

    def resolve(self, index: int) -> Variable | None:
        """Return the variable that a name stands for; None for other names."""
        return find_variable(self.variables, self._unit.words[index], index)

    def find_use(self, variable: Variable, index: int) -> Use:
        """Return what happens to a variable where its name has an index."""
        if index in self.lent:
            return "shared"
        return find_use(self._unit, index, is_pointer=variable.is_pointer)

    def is_own(self, variable: Variable | None) -> bool:
        """Return whether nothing but a divided function refers to a variable of the thread."""
        return variable is not None and all(
            find_use(self._unit, index, is_pointer=variable.is_pointer) != "shared"
            for index in self.indices[variable]
        )

    def list_inside(self, variable: Variable, first: int, last: int) -> list[int]:
        """Return the indices of a variable's names in a part of the text."""
        return [index for index in self.indices[variable] if first <= index < last]

    def _find(self, variable: Variable) -> Iterator[int]:
        for index in list_names(self._unit, variable.index + 1, variable.stop):
            is_named = self._unit.words[index] == variable.name
            if is_named and self.resolve(index) is variable:
                yield index
