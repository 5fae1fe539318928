"""Find what refers to variables, so that they must stay where they are, or keep fibers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kbuild.backends.cpu.mixed.annotations import INDICES
from kbuild.backends.cpu.mixed.regions.mentions import is_argument, list_names, names_type
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.cxx.declarators import TYPE_OPERATORS
from kbuild.cxx.statements import Block, Statement, list_statements
from kbuild.cxx.unit import Unit


def check_types(unit: Unit, body: Block, uses: Uses) -> None:
    """Raise CannotDivide if a body asks for types, which are other ones in regions."""
    for operator in unit.find(TYPE_OPERATORS):
        is_inside = body.start < operator < body.stop
        if is_inside and unit.words[operator + 1 : operator + 4] == ["(", "auto", ")"]:
            raise CannotDivide("it contains 'decltype(auto)'")
    for variable, indices in uses.indices.items():
        if any(names_type(unit, index) for index in indices):
            raise CannotDivide(f"it asks for the type of '{variable.name}'")


def check_parameters(uses: Uses) -> None:
    """Raise CannotDivide if others can refer to what a function can change."""
    for variable in uses.variables:
        if variable.is_parameter and variable.is_reference and not uses.is_own(variable):
            raise CannotDivide(f"it takes the address of '{variable.name}'")


def find_referred(unit: Unit, body: Block, uses: Uses) -> Iterator[Variable]:
    """Yield the variables that a pointer or an object of a class can refer to.

    They are named where such a variable gets its value.

    Raises:
        CannotDivide: An object can contain a lambda.
    """
    for statement in list_statements(body):
        targets = list(_list_targets(unit, statement, uses))
        is_object = any(not variable.is_scalar for variable in targets)
        if is_object and _contains_lambda(unit, statement):
            raise CannotDivide("a lambda can be used behind a barrier")
        for variable in uses.variables if targets else ():
            inside = uses.list_inside(variable, statement.start, statement.stop)
            if any(is_object and is_argument(unit, i) for i in inside) or (
                inside and not variable.is_scalar
            ):
                yield variable


def _list_targets(unit: Unit, statement: Statement, uses: Uses) -> Iterator[Variable]:
    """Yield the pointers and objects that a statement declares with a value, or changes."""
    for variable in uses.variables:
        is_declared = variable.statement is statement and variable.initializer is not None
        can_refer = not variable.is_scalar or variable.is_pointer or is_deduced(unit, variable)
        if can_refer and (
            is_declared
            or any(
                uses.find_use(variable, index) != "read"
                for index in uses.list_inside(variable, statement.start, statement.stop)
            )
        ):
            yield variable


def _contains_lambda(unit: Unit, statement: Statement) -> bool:
    """Return whether a bracket of a statement can start a lambda."""
    return any(
        unit.words[index] == "[" and unit.get(index - 1) in ("=", "(", ",", "{", "return")
        for index in range(statement.start, statement.stop)
    )


def check_references(
    unit: Unit,
    operations: Iterable[Operation],
    uses: Uses,
    depends_on_variables: Callable[[int, int], bool],
) -> None:
    """Raise CannotDivide if a reference of a call can refer to what other threads change.

    Divided functions get a copy of what they cannot change.
    """
    for operation in operations:
        for first, last in operation.arguments if operation.has_references else ():
            names = list_names(unit, first, last)
            variables = {uses.resolve(i) for i in names if unit.words[i] not in INDICES}
            variables = {v for v in variables if v is None or v.group is None}
            if not (depends_on_variables(first, last) and all(map(uses.is_own, variables))):
                raise CannotDivide(f"'{operation.name}' can refer to memory of several threads")
