"""Decide how a kernel, or a device function, is divided.

Each thread evaluates each condition around an operation once, as it is written, and keeps each
variable that crosses a region in a place of its own. What is executed once for all threads, or
computed again, is a plain expression of variables whose every use is on the list of `contexts`. The
generated code proves what the text cannot know: types, and that names are constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kbuild.backends.cpu.mixed.annotations import INDEX, INDICES
from kbuild.backends.cpu.mixed.regions.branches import check_branches, meets_own_lanes
from kbuild.backends.cpu.mixed.regions.calls import list_parts_at_commas
from kbuild.backends.cpu.mixed.regions.declared_names import find_declared, is_declared_name
from kbuild.backends.cpu.mixed.regions.forms import (
    DIVIDABLE,
    check_statics,
    check_types,
    find_assignments,
    find_divided,
    find_leaves,
    find_result,
    find_shared,
    find_target,
    find_value,
    is_common_declaration,
    read_loop,
)
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import Plain, is_name
from kbuild.backends.cpu.mixed.regions.grammar.mentions import (
    KEYWORDS,
    asks_for_index,
    list_names,
)
from kbuild.backends.cpu.mixed.regions.grammar.order import check_order, is_apart
from kbuild.backends.cpu.mixed.regions.groups import find_group_name
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, KernelBody, Leave, Operation
from kbuild.backends.cpu.mixed.regions.plan import Division, read_known
from kbuild.backends.cpu.mixed.regions.ranges import RANGE, read_head
from kbuild.backends.cpu.mixed.regions.rounding import is_rounded
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.backends.cpu.mixed.regions.variables import (
    Kind,
    Variable,
    list_variables,
)
from kbuild.backends.cpu.mixed.regions.variables import find_value as find_value_at
from kbuild.cxx.statements import Block, Node, Statement, find_statement, list_statements
from kbuild.values import replace


def analyze(kernel: KernelBody) -> Division:
    """Return how a kernel is divided.

    Raises:
        CannotDivide: The kernel has a form that is not divided.
    """
    return _Analysis(kernel).find_division()


class _Analysis:
    def __init__(self, kernel: KernelBody) -> None:
        unit, body, needs = kernel.unit, kernel.body, kernel.needs
        self._kernel = kernel
        self._unit = unit
        self._operations = needs.operations
        self._groups = needs.groups
        self._group_names = frozenset(
            (
                *(find_group_name(unit, each) for each in needs.groups),
                *(each.name for each in kernel.parameters if each.group is not None),
            )
        )
        shared = find_shared(unit, body)
        self._shared = shared.names
        self._inner = find_declared(unit, body, shared)
        self._directives = [i for i in unit.find(("namespace",)) if unit.get(i - 1) == "using"]
        self._declared: dict[Statement, tuple[Variable, ...]] = {}
        self._divided = find_divided(unit, body, needs.operations)
        variables = (*kernel.parameters, *self._find_variables())
        self._uses = Uses(kernel, variables, shared)
        self._result = find_result(unit, body) if kernel.is_function else None
        self._leaves = {
            leave.statement.start: leave
            for leave in find_leaves(unit, body, self._divided, self._result)
        }
        if not kernel.is_function and any(leave.has_value for leave in self._leaves.values()):
            raise CannotDivide("a return statement has a value")
        self._numbers: set[Variable] = set()
        for operation in needs.operations.values():
            statement = find_statement(body, operation.index)
            if statement is not None:
                is_own = self._is_own_number if operation.callee is None else self._is_private
                made = check_order(unit, statement, operation, is_own)
                self._operations = {
                    **self._operations,
                    operation.index: replace(operation, made=made),
                }
        check_types(unit, body, self._uses)
        if kernel.is_function:
            check_statics(unit, body, self._uses)
        self._assignments = find_assignments(unit, self._divided, self._uses)
        self._uniform = {v for v in self._uses.variables if self._can_be_uniform(v)}
        self._masked: frozenset[Block] = frozenset()
        self._steered: frozenset[Block] = frozenset()

    def find_division(self) -> Division:
        while True:
            self._masked, self._steered = self._find_masked()
            wrong = {v for v in self._uniform if not self._is_uniform_variable(v)}
            if not wrong:
                break
            self._uniform -= wrong
        self._operations = {
            index: replace(
                operation,
                has_own_masks=self._has_own_masks(operation),
                meets_own_lanes=meets_own_lanes(
                    operation, self._kernel.needs.operations, self._uses
                ),
                destroys_nothing=self._must_destroy_nothing(operation),
            )
            for index, operation in self._operations.items()
        }
        self._uniform = self._find_needed()
        computed = self._find_computed()
        self._check_names()
        self._check_conditions(computed)
        check_branches(self._unit, self._kernel.body, self._masked, self._operations, self._uses)
        whole = frozenset(self._find_whole())
        kinds = {v: self._choose_kind(v, computed) for v in self._uses.variables}
        return Division(
            kernel=self._kernel,
            divided=self._divided,
            operations=self._operations,
            leaves=self._leaves,
            variables=self._uses.variables,
            uses=self._uses,
            kinds=kinds,
            common=frozenset(v for v in kinds if self._is_common_object(v, kinds)),
            masked=self._masked,
            steered=self._steered,
            written_out=frozenset(b for b in self._divided if self._is_written_out(b)),
            whole=whole,
            numbers=frozenset(self._numbers),
            shared=self._shared,
            groups=self._group_names,
            result=self._result,
        )

    def _is_own_number(self, index: int) -> bool:
        """Return whether a name is that of a number or a pointer of the thread, or of an array."""
        found = self._uses.resolve(index)
        if found is None:
            return self._uses.is_number_array(index)
        if found.is_scalar and self._kernel.is_optimized:
            self._numbers.add(found)
            return True
        return found.is_built_in

    def _is_private(self, index: int) -> bool:
        """Return the same for a name of what no function can change by its address."""
        found = self._uses.resolve(index)
        return self._is_own_number(index) and (found is None or self._uses.is_private(found))

    def _must_destroy_nothing(self, operation: Operation) -> bool:
        """Return whether the end of an object in an argument could be seen too early.

        The body of a divided function can see it.
        """
        statement = find_statement(self._kernel.body, operation.index)
        return (
            operation.callee is not None
            or statement is None
            or not is_apart(self._unit, statement, operation, self._is_private)
        )

    def _has_own_masks(self, operation: Operation) -> bool:
        if operation.mask is None or operation.is_of_object:
            return operation.is_of_object
        return not self._is_uniform(*operation.mask)

    def _check_names(self) -> None:
        """Refuse names of variables in declarations that are executed once, outside of regions."""
        names = {variable.name for variable in self._uses.variables}
        for node in self._find_whole():
            if not isinstance(node, Statement) or not is_common_declaration(self._unit, node):
                continue
            if self._unit.words[node.start : node.start + 2] == ["using", "enum"]:
                raise CannotDivide("a declaration hides names that it does not mention")
            for index in range(node.start, node.stop):
                word, found = self._unit.words[index], self._uses.resolve(index)
                if word not in names or self._unit.get(index - 1) in (".", "->"):
                    continue
                is_in_parentheses = self._unit.get(index + 1) == ")"
                if (
                    found not in self._uniform
                    or is_in_parentheses
                    or is_declared_name(self._unit, node, index)
                ):
                    raise CannotDivide(f"a declaration uses or hides '{word}'")

    def _is_hidden(self, span: tuple[int, int]) -> bool:
        """Return whether a name in a part can stand for something else elsewhere in the body."""
        words = {
            self._unit.words[index]
            for index in range(*span)
            if is_name(self._unit.words[index])
            and self._unit.get(index - 1) not in (".", "->")
            and self._uses.resolve(index) is None
        }
        words -= KEYWORDS.union(INDICES)
        has_directive = any(span[0] < index < self._kernel.body.stop for index in self._directives)
        return not words.isdisjoint(self._inner) or (bool(words) and has_directive)

    def _check_conditions(self, computed: frozenset[Variable]) -> None:
        """Leave programs to fibers whose barriers only some threads reach by intention."""
        operations = self._kernel.needs.operations.values()
        barriers = [operation.index for operation in operations if not operation.is_warp_wide]
        if self._kernel.is_function and barriers:
            for leave in self._leaves.values():
                if leave.keyword == "return" and not self._is_whole_leave(leave, self._masked):
                    raise CannotDivide("threads return before others reach a barrier")
        for block in self._masked - self._steered:
            if not any(block.start < index < block.stop for index in barriers):
                continue
            if any(self._names_index(*span, computed) for span in self._list_deciding(block)):
                raise CannotDivide("a barrier is under a condition with the thread's index")

    def _list_deciding(self, block: Block) -> Iterator[tuple[int, int]]:
        """Yield what decides which threads take a condition or a turn of a loop.

        Of the head of a ``for`` loop, that is the condition, and what happens to its variables.
        """
        if block.kind == RANGE:
            return
        if block.kind != "for":
            heads = (child for child in block.children if isinstance(child, Statement))
            yield from ((head.start, head.stop) for head in heads)
            return
        head = read_loop(block)
        condition, step = head.condition, head.step
        yield condition.start, condition.stop
        names = set(
            map(self._uses.resolve, list_names(self._unit, condition.start, condition.stop))
        )
        for variable in (v for start in head.starts for v in self._list_declared(block, start)):
            if variable in names and variable.initializer is not None:
                yield variable.initializer
        for first, stop in list_parts_at_commas(self._unit, step.start, step.stop):
            target = find_target(self._unit, Statement(first, stop))
            if target is None or self._uses.resolve(target) in names:
                yield first, stop

    def _names_index(self, first: int, last: int, computed: frozenset[Variable]) -> bool:
        """Return whether an expression depends on the index of the thread, not on memory alone."""
        if "[" in self._unit.words[first:last]:
            return False
        votes = [
            (each.index, each.close)
            for each in self._operations.values()
            if each.callee is None and not each.is_warp_wide and not each.owner
        ]
        for index in list_names(self._unit, first, last):
            if any(start <= index < close for start, close in votes):
                continue  # a vote has one result for the block
            found = self._uses.resolve(index)
            value = found.initializer if found in computed and found is not None else None
            is_group = found is not None and found.group is not None
            if self._unit.words[index] == INDEX or (is_group and asks_for_index(self._unit, index)):
                return True
            if value is not None and self._names_index(*value, computed):
                return True
        return False

    # Variables

    def _find_variables(self) -> Iterator[Variable]:
        for block in sorted(self._divided, key=lambda block: block.start):
            if block.kind in ("for", RANGE):
                starts = (
                    read_loop(block).starts
                    if block.kind == "for"
                    else (read_head(block.children[0]),)
                )
                for start in starts:
                    yield from self._list_declared(block, start)
            if block.kind:
                continue
            for child in block.children:
                if isinstance(child, Statement):
                    yield from self._list_declared(block, child)

    def _list_declared(self, block: Block, statement: Statement) -> tuple[Variable, ...]:
        """Return the variables that a statement of a divided block declares."""
        if statement not in self._declared:
            is_common = is_common_declaration(self._unit, statement)
            found = () if is_common else tuple(list_variables(self._unit, block, statement))
            if block.kind == RANGE:
                found = tuple(replace(each, is_element=True) for each in found)
            if statement in self._groups:
                found = tuple(replace(each, group=self._groups[statement]) for each in found)
            self._declared[statement] = found
        return self._declared[statement]

    # What is the same in all threads

    def _can_be_uniform(self, variable: Variable) -> bool:
        is_own = variable.is_parameter and self._kernel.is_function
        is_value = variable.is_scalar and variable.group is None and not variable.is_element
        if not self._kernel.is_optimized or not is_value or is_own:
            return False
        return all(
            use.kind == "read" or (use.kind == "changed" and index in self._assignments)
            for index, use in self._list_uses(variable)
        )

    def _list_uses(self, variable: Variable) -> Iterator[tuple[int, Use]]:
        return ((index, self._uses.read(index)) for index in self._uses.indices[variable])

    def _is_uniform_variable(self, variable: Variable) -> bool:
        if variable.initializer is not None and not self._is_uniform(*variable.initializer):
            return False
        own = None if variable.is_parameter else self._find_mask(variable.index)
        for index, use in self._list_uses(variable):
            if use.kind == "read":
                continue
            if self._find_mask(index) is not own or not self._is_uniform(
                *find_value(self._unit, self._assignments[index])
            ):
                return False
        return True

    def _read_plain(self, first: int, last: int) -> Plain | None:
        return read_known(self._unit, (first, last), self._uses, self._group_names, self._shared)

    def _is_uniform(self, first: int, last: int) -> bool:
        """Return whether an expression has the same value in all threads."""
        if first == last:
            return True
        found = self._read_plain(first, last)
        if found is None or INDEX in self._unit.words[first:last]:
            return False
        variables = (self._uses.resolve(name) for name, _ in found.names)
        return all(v is None or v in self._uniform for v in variables) and not any(
            asks_for_index(self._unit, index) for index in found.groups
        )

    def _find_mask(self, index: int) -> Block | None:
        """Return the innermost masked block around an index."""
        around = [block for block in self._masked if block.start <= index < block.stop]
        return max(around, key=lambda block: block.start, default=None)

    def _find_masked(self) -> tuple[frozenset[Block], frozenset[Block]]:
        """Return the divided blocks that threads take differently, and those with a common head."""
        conditions = [b for b in self._divided if b.kind and not b.is_constant]
        steered = {block for block in conditions if self._has_common_head(block)}
        masked = set(conditions) - steered
        while True:
            before = len(masked)
            for leave in self._leaves.values():
                if leave.loop is not None and not self._is_whole_leave(leave, masked):
                    masked.add(leave.loop)
            if len(masked) == before:
                common = {b for b in masked & steered if not self._is_written_out(b)}
                return frozenset(masked), frozenset(common)

    def _has_common_head(self, block: Block) -> bool:
        if block.kind == RANGE:
            return False
        if block.kind == "for":
            condition = read_loop(block).condition
            is_common = self._is_uniform(condition.start, condition.stop)
            return is_common and not (self._is_written_out(block) and self._is_continued(block))
        head = read_head(block.children[-1 if block.kind == "do" else 0])
        return self._is_uniform(head.start, head.stop)

    def _is_continued(self, loop: Block) -> bool:
        leaves = self._leaves.values()
        return any(each.keyword == "continue" and each.loop is loop for each in leaves)

    def _is_written_out(self, block: Block) -> bool:
        """Return whether the head of a loop consists of several statements.

        It does unless it declares one uniform variable at most, and changes one at most.
        """
        if block.kind != "for":
            return False
        head = read_loop(block)
        return len(head.starts) > 1 or not all(
            part.start == part.stop
            or self._is_uniform_assignment(part)
            or self._declares_uniform(block, part)
            for part in (*head.starts, head.step)
        )

    def _declares_uniform(self, block: Block, statement: Statement) -> bool:
        return self._uniform.issuperset(self._list_declared(block, statement) or (None,))

    def _is_uniform_assignment(self, statement: Statement) -> bool:
        target = find_target(self._unit, statement)
        if target is None or self._assignments.get(target) is not statement:
            return False
        found = self._uses.resolve(target)
        return found in self._uniform and self._is_uniform(*find_value(self._unit, statement))

    # Statements that leave blocks

    def _is_whole_leave(self, leave: Leave, masked: set[Block] | frozenset[Block]) -> bool:
        """Return whether all threads leave together."""
        if leave.has_value or (leave.loop is not None and leave.loop in masked):
            return False
        for block in leave.path:
            if block in masked:
                return False
            if block not in self._divided and not self._is_whole_block(block):
                return False
        return True

    def _is_whole_block(self, block: Block) -> bool:
        """Return whether a block does nothing but leave under a condition that is common."""
        if block.kind not in ("", "if") or (block.kind and block.heads != 1):
            return False
        if block.kind and not self._is_uniform(
            read_head(block.children[0]).start, read_head(block.children[0]).stop
        ):
            return False
        return all(
            self._is_whole_block(child) if isinstance(child, Block) else child.start in self._leaves
            for child in block.children[block.heads :]
        )

    def _find_whole(self) -> Iterator[Node]:
        """Yield what is executed once: common declarations, uniform variables, and exits."""
        for block in self._divided:
            if block.kind not in DIVIDABLE:
                continue
            heads = 0 if block.kind == "do" else block.heads
            starts = read_loop(block).starts if block.kind == "for" else ()
            for child in (*starts, *block.children[heads:]):
                if self._is_whole(block, child):
                    yield child

    def _is_whole(self, block: Block, node: Node) -> bool:
        if isinstance(node, Block):
            return (
                node not in self._divided
                and self._is_whole_block(node)
                and all(
                    self._is_whole_leave(self._leaves[each.start], self._masked)
                    for each in list_statements(node)
                    if each.start in self._leaves
                )
            )
        if node.start in self._leaves:
            return self._is_whole_leave(self._leaves[node.start], self._masked)
        if block.kind == "do" and node is block.children[-1]:
            return False
        if is_common_declaration(self._unit, node) or node in self._groups:
            return True
        declared = tuple(self._list_declared(block, node))
        if declared:
            return all(variable in self._uniform for variable in declared)
        return self._is_uniform_assignment(node)

    def _find_needed(self) -> set[Variable]:
        """Return the uniform variables that must exist outside of regions.

        The others would divide the region with their declaration.
        """
        needed = {
            v
            for v in self._uniform
            if v.is_parameter or any(i in self._assignments for i in self._uses.indices[v])
        }
        spans = [*self._list_common_spans()]
        while True:
            spans += [v.initializer for v in needed if v.initializer is not None]
            used = {self._uses.resolve(i) for span in spans for i in list_names(self._unit, *span)}
            new = {v for v in self._uniform if v in used} - needed
            if not new:
                return needed
            needed |= new

    def _list_common_spans(self) -> Iterator[tuple[int, int]]:
        """Yield the indices of what is executed once, except declarations of variables."""
        for operation in self._operations.values():
            if operation.mask is not None and not operation.has_own_masks:
                yield operation.mask
        for block in self._divided:
            if block.is_constant or (block.kind and block not in self._masked - self._steered):
                heads = [each for each in block.children if isinstance(each, Statement)]
                yield from ((each.start, each.stop) for each in heads)
        for variable in self._uses.variables:
            if not variable.is_scalar:  # whose arrays are declared outside of regions
                yield from (variable.base, variable.declarator)
        for node in self._find_whole():
            is_declaration = isinstance(node, Statement) and bool(self._declared.get(node))
            if not is_declaration:
                yield node.start, node.stop

    # What is computed again

    def _find_computed(self) -> frozenset[Variable]:
        found = {
            v
            for v in self._uses.variables
            if self._kernel.is_optimized
            and v not in self._uniform
            and v.group is None
            and v.values is not None
            and (v.is_scalar or v.members)
            and self._uses.is_only_read(v)
        }
        while True:
            wrong = {v for v in found if not self._can_compute(v, found)}
            if not wrong:
                return frozenset(found)
            found -= wrong

    def _can_compute(self, variable: Variable, computed: set[Variable]) -> bool:
        plains = [self._read_plain(*value) for value in variable.values or ()]
        if None in plains or is_rounded(self._unit, self._uses, variable):
            return False
        if self._is_hidden(variable.initializer or (0, 0)) or self._is_hidden(variable.base):
            return False  # its text would mean something else where it is computed again
        for first in (first for plain in plains if plain for first, _ in plain.names):
            used = self._uses.resolve(first)
            if used is None or used in computed:
                continue
            if used in self._uniform:
                if not self._is_fixed(used, variable):
                    return False
            elif not used.is_parameter or not self._is_constant_parameter(used):
                return False
        return True

    def _is_constant_parameter(self, variable: Variable) -> bool:
        """Return whether each thread has a number that it does not change."""
        return variable.is_scalar and self._uses.is_only_read(variable)

    def _is_fixed(self, used: Variable, variable: Variable) -> bool:
        """Return whether a uniform variable keeps its value while another variable exists."""
        block = variable.block
        return block is not None and not any(
            block.start <= index < block.stop and use.kind != "read"
            for index, use in self._list_uses(used)
        )

    # Constant objects

    def _is_common_object(self, variable: Variable, kinds: Mapping[Variable, Kind]) -> bool:
        """Return whether all threads make the same constant of values in braces.

        The generated code finds out whether it is an object that consists of numbers.
        """
        is_object = variable.is_constant and not variable.is_scalar and not variable.is_reference
        if not is_object or kinds[variable] != "kept" or not self._kernel.is_optimized:
            return False
        values, (_, stop) = variable.values, variable.initializer or (0, 0)
        has_braces = values is not None and self._unit.get(stop - 1) == "}"
        return has_braces and all(self._is_common_value(*v, kinds) for v in values or ())

    def _is_common_value(self, first: int, last: int, kinds: Mapping[Variable, Kind]) -> bool:
        """Return whether an expression has the same value in all threads that evaluate it."""
        found = self._read_plain(first, last)
        if found is None or INDEX in self._unit.words[first:last]:
            return False
        if any(asks_for_index(self._unit, index) for index in found.groups):
            return False
        for name, _ in found.names:
            variable = self._uses.resolve(name)
            if variable is None or kinds[variable] == "uniform":
                continue
            value = find_value_at(self._unit, variable, name)
            is_computed = kinds[variable] == "computed" and value is not None
            if not is_computed or value is None or not self._is_common_value(*value, kinds):
                return False
        return True

    def _choose_kind(self, variable: Variable, computed: frozenset[Variable]) -> Kind:
        if variable.group is not None:
            return "group"
        if variable in self._uniform:
            return "uniform"
        if variable in computed:
            return "computed"
        return "kept"
