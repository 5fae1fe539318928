"""The variables of a divided body, and what happens to them where their names are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from kbuild.backends.cpu.mixed.regions.declared_names import list_declared_names
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Known, Use, read_use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import Span, is_member, is_name
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import KernelBody, Operation, SharedMemory
from kbuild.backends.cpu.mixed.regions.variables import Variable, find_variable
from kbuild.cxx.statements import Block, list_statements
from kbuild.cxx.unit import Unit

_UNKNOWN: Final = Use("unknown")
# Words that a use can be behind.
_NO_TYPES: Final = frozenset(
    ("return", "else", "do", "case", "goto", "throw", "sizeof", "new", "delete", "co_return")
)


class Uses:
    """The uses of variables.

    Attributes:
        variables: The variables, in order.
        indices: The indices of the names that stand for each variable, after its declaration.
    """

    def __init__(
        self, kernel: KernelBody, variables: tuple[Variable, ...], shared: SharedMemory
    ) -> None:
        """Find the uses of variables in a body.

        Args:
            kernel: The body.
            variables: The variables.
            shared: The shared memory that it declares.
        """
        unit, body, operations = kernel.unit, kernel.body, kernel.needs.operations
        self._unit = unit
        self._known = Known(self._is_built_in, kernel.by_value)
        self._shared = shared
        known = {each.index for each in variables} | shared.declared
        self._redeclared = find_redeclared(unit, body, known)
        self._statements = sorted(list_statements(body), key=lambda statement: statement.start)
        self._starts = [statement.start for statement in self._statements]
        self.variables: Final = variables
        # Arguments of divided functions, which can refer to variables, are not brought by value.
        self._brought = frozenset(
            first
            for operation in operations.values()
            if not operation.referring
            for first, last in operation.arguments
            if last == first + 1
        )
        # A local variable can only be the value of a template parameter.
        self._template_arguments = frozenset(_list_template_arguments(unit, operations))
        self.indices: Final = {variable: list(self._find(variable)) for variable in variables}
        self._found: dict[int, Use] = {}

    def resolve(self, index: int) -> Variable | None:
        """Return the variable that a name stands for; None for other names."""
        return find_variable(self.variables, self._unit.words[index], index)

    def read(self, index: int) -> Use:
        """Return what happens to a variable where its name has an index."""
        if index not in self._found:
            found = self.resolve(index)
            is_object = found is not None and bool(found.members)
            stop = index + 3 if is_object else index + 1
            is_known = not is_object or is_member(self._unit.words[index:stop])
            if index in self._template_arguments:
                self._found[index] = Use("read")
            else:
                self._found[index] = self._read((index, stop)) if is_known else _UNKNOWN
        return self._found[index]

    def list_uses(self, variable: Variable) -> Iterator[Use]:
        """Yield what happens to a variable after its declaration."""
        return map(self.read, self.indices[variable])

    def is_only_read(self, variable: Variable) -> bool:
        """Return whether nothing but the value of a variable matters."""
        return all(use.kind == "read" for use in self.list_uses(variable))

    def is_private(self, variable: Variable) -> bool:
        """Return whether nothing can change a variable but the places that name it."""
        return all(use.kind != "unknown" for use in self.list_uses(variable))

    def reads_constant(self, index: int) -> bool:
        """Return whether a place only reads the value of a constant, or of one in an array."""
        stop = index + 1
        while self._unit.get(stop) == "[":
            stop = self._unit.partners[stop] + 1
        return self._read((index, stop)) == Use("read")

    def reads_index(self, index: int) -> bool:
        """Return whether a place reads the value of a part of an index, not its address."""
        return self._read((index, index + 3)).kind == "read"

    def _read(self, span: Span) -> Use:
        index = span[0]
        place = bisect_right(self._starts, index) - 1
        statement = self._statements[place] if place >= 0 else None
        if statement is None or not statement.start <= index < statement.stop:
            return _UNKNOWN
        return read_use(
            self._unit,
            statement,
            span,
            is_brought=index in self._brought,
            known=self._known,
        )

    def is_shared(self, index: int) -> bool:
        """Return whether a name is that of shared memory, and surely of no other variable."""
        return self._is_one_of(self._shared.names, index)

    def is_number_array(self, index: int) -> bool:
        """Return whether a name is that of an array of numbers in shared memory."""
        return self._is_one_of(self._shared.arrays, index)

    def is_address(self, index: int) -> bool:
        """Return whether a name surely is that of an array in shared memory."""
        first, last = self._shared.scopes.get(self._unit.words[index], (index, index))
        return first < index < last and self._is_one_of(self._shared.names, index)

    def _is_one_of(self, names: frozenset[str], index: int) -> bool:
        name = self._unit.words[index]
        return name in names and name not in self._redeclared and self.resolve(index) is None

    def _is_built_in(self, index: int) -> bool:
        found = self.resolve(index)
        if found is None:
            return self._is_one_of(self._shared.numbers, index)
        return found.is_built_in and found.name not in self._redeclared

    def _find(self, variable: Variable) -> Iterator[int]:
        for index in list_names(self._unit, variable.index + 1, variable.stop):
            is_named = self._unit.words[index] == variable.name
            if is_named and self.resolve(index) is variable:
                yield index


def _list_template_arguments(unit: Unit, operations: Mapping[int, Operation]) -> Iterator[int]:
    """Yield the names that are template arguments of divided functions."""
    for operation in operations.values():
        if operation.callee is None or unit.get(operation.callee + 1) != "<":
            continue
        for index in range(operation.callee + 2, operation.value[0] - 2):
            if unit.words[index - 1] in ("<", ",") and unit.words[index + 1] in (",", ">"):
                yield index


def find_redeclared(unit: Unit, body: Block, known: set[int]) -> frozenset[str]:
    """Return the names that can be declared in a body at places that are not known."""
    names = {
        unit.words[index]
        for statement in list_statements(body)
        for index in list_declared_names(unit, statement)
        if index not in known and unit.get(index - 1) not in _NO_TYPES
    }
    for index in list_names(unit, body.start, body.stop):
        before, outer = unit.get(index - 1), unit.get(index - 2)
        is_behind_mark = before in ("*", "&") and (is_name(outer) or outer in (">", "*", "&"))
        is_behind_mark |= (
            (before in ("*", "&") and outer == "(")
            and unit.get(index + 1) == ")"
            and unit.get(index + 2) in ("[", "(")
        )
        is_behind_type = is_name(before) and before not in _NO_TYPES
        if index not in known and (is_behind_type or before == ">" or is_behind_mark):
            names.add(unit.words[index])
    for index in unit.find(("auto",)):
        opening = index + 1
        while unit.get(opening) in ("&", "const"):
            opening += 1
        if body.start < index < body.stop and unit.get(opening) == "[":
            names.update(unit.words[opening : unit.partners[opening]])
    return frozenset(names)
