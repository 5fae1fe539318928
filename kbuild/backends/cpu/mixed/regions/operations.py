"""Find the operations of a kernel that all threads of a block or warp take part in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, pairwise
from typing import Final

from kbuild.backends.cpu.mixed.annotations import ThreadWords
from kbuild.backends.cpu.mixed.regions.calls import Functions, read_call, read_operation
from kbuild.backends.cpu.mixed.regions.groups import (
    MAKERS,
    GroupVariable,
    PassesGroup,
    find_operations_of,
    find_operations_of_objects,
    read_group,
    read_this_block,
)
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Needs, Operation
from kbuild.backends.cpu.mixed.regions.primitives import find_operations_of_primitives
from kbuild.backends.cpu.mixed.regions.variables import Variable
from kbuild.cxx.lexer import Token
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import Block, Statement, find_statement, list_blocks
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass, replace

_CONDITIONAL: Final = frozenset(("?", "&&", "||"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What is known about the names in a body.

    Attributes:
        mentions: What needs a thread in the body.
        parameters: The parameters, some of which can stand for groups of threads.
        thread_words: The annotated names.
        functions: The functions that need a thread.
    """

    mentions: Iterable[Token]
    parameters: Iterable[Variable]
    thread_words: ThreadWords
    functions: Functions


def find_operations(unit: Unit, body: Block, names: Names) -> Needs:
    """Find the operations in the body of a kernel, and what else needs a thread there.

    Raises:
        CannotDivide: Something else needs a thread, or an operation is not in a plain statement.
    """
    search = _Search(unit, body, names)
    for word in names.mentions:
        search.add(word)
    search.add_groups()
    return Needs(
        operations=dict(_assign_slots(unit, body, search.found)),
        groups={statement: variable.group for statement, variable in search.groups.items()},
    )


class _Search:
    """The operations in a body, the declarations of groups, and the indices of other names."""

    def __init__(self, unit: Unit, body: Block, names: Names) -> None:
        self._unit = unit
        self._body = body
        self._names = names
        self.found: dict[int, Operation] = {}
        self.groups: dict[Statement, GroupVariable] = {}

    def add(self, word: Token) -> None:
        """Add what a word means that needs a thread."""
        functions, words = self._names.functions, self._names.thread_words
        index = self._unit.find_index(word.start)
        is_call = self._unit.get(index + 1) == "("
        if word.text in MAKERS:
            self._add_maker(index)
        elif is_call and word.text in words.operations:
            self._add_operation(read_operation(self._unit, index, *words.operations[word.text]))
        elif word.text in functions.divided:
            self._add_operation(read_call(self._unit, index, functions))
        else:
            raise CannotDivide(functions.describe_obstacle(word.text))

    def add_groups(self) -> None:
        """Add the operations of the groups that variables stand for."""
        whole = (self._body.start, self._body.stop)
        parameters = (
            GroupVariable(name=each.name, group=each.group, span=whole)
            for each in self._names.parameters
            if each.group is not None
        )
        for variable in parameters:
            self._add_operations(variable)
        known = dict(self.found)
        try:
            for variable in self.groups.values():
                self._add_operations(variable)
        except PassesGroup:
            self.groups, self.found = {}, known
        for operation in find_operations_of_objects(self._unit, self._body):
            self.found.setdefault(operation.index, operation)
        for operation in find_operations_of_primitives(
            self._unit, self._names.thread_words.primitives, self._body.start, self._body.stop
        ):
            self._add_operation(operation)

    def _add_operations(self, variable: GroupVariable) -> None:
        for operation in find_operations_of(self._unit, variable, self._names.functions):
            self._add_operation(operation)

    def _add_maker(self, index: int) -> None:
        declaration = read_group(self._unit, self._body, index)
        if declaration is not None:
            self.groups[declaration[0]] = declaration[1]
            return
        operation = read_this_block(self._unit, index, self._names.functions)
        if operation is not None:
            self._add_operation(operation)

    def _add_operation(self, operation: Operation) -> None:
        self.found[operation.index] = operation


def _assign_slots(
    unit: Unit, body: Block, found: Mapping[int, Operation]
) -> Iterator[tuple[int, Operation]]:
    """Yield the operations with numbers: those of CUDA within each statement, calls in the body."""
    statements = {index: _find_statement(unit, body, index) for index in found}
    slots: dict[Statement, int] = {}
    calls = count()
    for index in sorted(found, key=lambda index: found[index].close):
        operation, statement = found[index], statements[index]
        if operation.callee is not None:
            operation = replace(operation, slot=next(calls))
        elif operation.has_value or operation.mask is not None:
            slot = slots.get(statement, 0)
            slots[statement] = slot + 1
            operation = replace(operation, slot=slot)
        yield index, operation


def _find_statement(unit: Unit, body: Block, index: int) -> Statement:
    """Return the statement, or part of a head, with an operation that is always reached."""
    name = unit.words[index]
    statement = find_statement(body, index)
    inside = find_scopes(unit).around(unit.starts[index])
    outside = find_scopes(unit).around(unit.starts[body.start + 1])
    blocks = [block for block in list_blocks(body) if block.start < index < block.stop]
    braces = [block for block in blocks if unit.words[block.start] == "{"]
    if statement is None or len(inside) - len(outside) != len(braces) - 1:
        raise CannotDivide(f"'{name}' is in a lambda or a class")
    words = unit.words[statement.start : index]
    pairs = {a + b for a, b in pairwise(words) if a == b}
    if not _CONDITIONAL.isdisjoint({*words, *pairs}):
        raise CannotDivide(f"'{name}' is in a conditional expression")
    return statement
