"""Write regions: functions of a thread, which a set of threads calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from kbuild.backends.cpu.mixed.regions.calls import list_arguments
from kbuild.backends.cpu.mixed.regions.declared_names import find_possibly_declared
from kbuild.backends.cpu.mixed.regions.forms import is_common_declaration
from kbuild.backends.cpu.mixed.regions.grammar.expressions import list_operands
from kbuild.backends.cpu.mixed.regions.grammar.order import can_make_objects
from kbuild.backends.cpu.mixed.regions.guards import (
    Guard,
    find_guards,
    list_unguarded,
)
from kbuild.backends.cpu.mixed.regions.indices import THREAD_INDEX, Subscript, find_subscripts
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Leave, Operation
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.backends.cpu.mixed.regions.writing.bindings import Bindings, is_copied
from kbuild.backends.cpu.mixed.regions.writing.casts import REGIONS
from kbuild.backends.cpu.mixed.regions.writing.text import (
    FRAME,
    LIVE,
    THREAD,
    Frame,
    Frames,
    Span,
    Text,
    is_in,
    list_left,
    name_class,
    name_frame,
)
from kbuild.cxx.places import list_outside, starts_captures
from kbuild.cxx.statements import Node, Statement, list_statements, skip_attributes


class RegionWriter:
    """Writes the regions of a kernel, and the operations whose results they use.

    Attributes:
        left: The sets of threads that all threads can leave before the end of what they do.
    """

    def __init__(self, text: Text, bindings: Bindings) -> None:
        """Write into a text."""
        self._text = text
        self._bindings = bindings
        self.left: set[Frame] = set()

    def write(self, nodes: list[Node], frames: Frames, before: str = "") -> None:
        """Write a region with statements, behind the text ``before``."""
        nodes = [node for node in nodes if node.start < node.stop]
        if not nodes:
            if before:
                raise CannotDivide("an operation is in an unknown place")
            return
        group: list[list[Node]] = []
        for part in self._split(nodes):
            group.append(part)
            if any(map(self._has_leave, part)):
                self._write_rows(group, frames, before)
                group, before = [], ""
        if group:
            self._write_rows(group, frames, before)

    def _split(self, nodes: list[Node]) -> list[list[Node]]:
        """Divide statements into parts, of which those with guards are one statement each."""
        can_cut = len(nodes) > 1 and not self._text.division.kernel.is_checked
        cut = self._find_cut(nodes) if can_cut else None
        if cut is None:
            return [nodes] if nodes else []
        return [*self._split(nodes[:cut]), [nodes[cut]], *self._split(nodes[cut + 1 :])]

    def _has_leave(self, node: Node) -> bool:
        """Return whether threads can leave their sets in a statement."""
        return any(self._find_leave(statement) for statement in list_statements(node))

    def _find_leave(self, statement: Statement) -> Leave | None:
        leave = self._text.division.leaves.get(statement.start)
        return leave if leave is not None and leave.statement is statement else None

    def _write_rows(self, parts: list[list[Node]], frames: Frames, before: str) -> None:
        """Write parts of a region, which each row of threads executes one after the other.

        Threads can leave their sets only in the last part.
        """
        slots = [slot for nodes in parts for slot in self._write_declarations(nodes)]
        opening, closing = ("{ ", " }") if len(parts) > 1 else ("", "")
        opened = f" {before}{' '.join(slots)} __kbuild_each_row__({frames[-1].name}) {opening}"
        left = ""
        for nodes in parts:
            left = self._write_part(nodes, frames, opened)
            opened = " "
        end = self._text.get_end(self._text.find_end(parts[-1][-1]))
        self._text.insert(end, f"{closing}{left}")

    def _write_declarations(self, nodes: list[Node]) -> Iterator[str]:
        """Rename what statements declare for other regions, too; yield the declared slots."""
        spans = self._list_spans(nodes)
        self._force(nodes, spans)
        for node in nodes:
            if isinstance(node, Statement):
                yield from self._write_declaration(node, spans)

    def _list_spans(self, nodes: Iterable[Node]) -> list[Span]:
        return [(node.start, self._text.find_end(node)) for node in nodes]

    def _write_part(self, nodes: list[Node], frames: Frames, before: str) -> str:
        """Write what the threads of a row execute, or those that pass guards.

        The result is what follows behind all rows.
        """
        spans = self._list_spans(nodes)
        guards = self._find_guards(nodes[0]) if len(nodes) == 1 else ()
        subscripts = self._find_subscripts(nodes, guards)
        start = self._text.unit.get_end(nodes[0].start - 1)
        self._text.insert(start, f"{before}{self._open_row(spans, guards, subscripts)}")
        for guard in guards:
            self._text.replace(*guard.comparison, "true")
        for first, stop in list_unguarded(self._text.unit, nodes[0], guards):
            self._text.insert(self._text.unit.starts[first], f"{REGIONS}condition(")
            self._text.insert(self._text.get_end(stop), ")")
        for number, subscript in enumerate(subscripts):
            offset = subscript.offset
            index = f"__kbuild_index__({number})" if offset is None else f"__kbuild_x__ + {offset}"
            for (first, stop), base in zip(subscript.spans, subscript.bases, strict=True):
                kind = f"{REGIONS}subscript<decltype(({self._text.render(*base)}))>"
                checked = f"typename {kind}::has_only_numbers_or_pointers"
                self._text.replace(first, stop, f"static_cast<{checked}>({index})")
        replaced = [guard.comparison for guard in guards]
        replaced += [span for subscript in subscripts for span in subscript.spans]
        self._check_expressions(nodes)
        if not self._text.division.kernel.is_checked:
            self._write_atomics(nodes)
        self.write_results(nodes, replaced)
        left = self._write_leaves(nodes, frames)
        result = self._text.division.result
        if result is not None and result in nodes:
            self._write_leave(result, "", has_value=True)
        end = " __kbuild_region_end__"
        if self._text.division.kernel.is_checked:
            end = f"{self._bindings.keep_copies(spans)}{end}"
        self._text.insert(self._text.get_end(spans[-1][1]), end)
        return left

    def _write_declaration(self, statement: Statement, spans: list[Span]) -> Iterator[str]:
        """Rename what a statement declares for other regions, too; yield the declared slots."""
        declared = self._bindings.declared.get(statement, [])
        crossing = [v for v in declared if not self._bindings.is_local(v, spans)]
        is_element = any(variable.is_element for variable in declared)
        tail: list[str] = []
        proofs = [
            f"static_assert({REGIONS}is_built_in<decltype({variable.name})>);"
            for variable in declared
            if (variable not in crossing or variable in self._text.division.numbers)
            and variable.is_scalar
            and not variable.is_built_in
        ]
        for variable in crossing:
            if self._is_used_in(statement, variable):
                raise CannotDivide(f"'{variable.name}' is used in its declaration")
            kind = self._text.division.kinds[variable]
            is_copy = kind != "kept" or is_copied(self._text.unit, variable)
            if not is_copy and (variable.is_element or not variable.is_reference):
                yield self._bindings.declare_slot(variable)
                self._write_constructed(statement, variable, len(declared))
                is_element = False
                continue
            number = self._bindings.numbers[variable]
            renamed = f"__kbuild_n{number}__"
            self._text.replace(variable.index, variable.index + 1, renamed)
            if kind == "computed":
                tail.append(self._bindings.bind_computed(variable))
                continue
            yield self._bindings.declare_slot(variable)
            if variable.is_reference:
                tail.append(self._bindings.keep_reference(variable, renamed))
                continue
            slot = f"__kbuild_s{number}__[{THREAD}]"
            if variable.initializer is not None or variable.is_element:
                tail.append(f"{REGIONS}keep({slot}, {renamed});")
            else:
                tail.append(f"static_cast<void>({renamed});")
            tail.append(f"[[maybe_unused]] {self._bindings.bind_kept(variable)} = {slot};")
            if self._text.division.kernel.is_checked:
                tail[-2:] = [self._bindings.bind_copy(variable, renamed)]
        if is_element:
            tail.insert(0, f"= {self._bindings.find_value(declared[0])};")
        tail += proofs  # behind the names
        if tail:
            end = self._text.get_end(self._text.find_end(statement))
            self._text.insert(end, " " + " ".join(tail))

    def _is_used_in(self, statement: Statement, variable: Variable) -> bool:
        uses = self._text.division.uses.indices[variable]
        return any(statement.start <= index < statement.stop for index in uses)

    def _write_constructed(self, statement: Statement, variable: Variable, count: int) -> None:
        """Construct a variable in its slot."""
        if count > 1:
            raise CannotDivide("a declaration beside a barrier has an unknown form")
        before, behind = self._bindings.construct(variable)
        first = variable.initializer[0] if variable.initializer is not None else statement.stop
        is_assigned = self._text.unit.get(first) == "=" and first < statement.stop
        is_moved = is_assigned and self._bindings.is_moved(variable)
        self._text.drop_type(statement)
        self._text.replace(
            statement.start, statement.stop if is_moved else first + is_assigned, before
        )
        self._text.insert(self._text.get_end(statement.stop), behind)

    def _force(self, nodes: Iterable[Node], spans: list[Span]) -> None:
        """Keep the variables that tell the type of another one that is kept."""
        declared = [
            v
            for node in nodes
            if isinstance(node, Statement)
            for v in self._bindings.declared.get(node, [])
        ]
        for variable in reversed(declared):
            if not is_deduced(self._text.unit, variable) or self._bindings.is_local(
                variable, spans
            ):
                continue
            if self._text.division.kinds[variable] == "kept" and variable.initializer is not None:
                used = set(self._bindings.list_used(*variable.initializer)) & set(declared)
                self._bindings.forced |= {v for v in used if self._text.division.kinds[v] == "kept"}

    def _find_cut(self, nodes: list[Node]) -> int | None:
        """Return the index of a statement with a guard that can be a region.

        No variable that the others have for themselves must cross its borders.
        """
        spans = self._list_spans(nodes)
        declared = [
            (variable, index)
            for index, node in enumerate(nodes)
            if isinstance(node, Statement)
            for variable in self._bindings.declared.get(node, [])
            if self._text.division.kinds[variable] == "kept"
            and self._bindings.is_local(variable, spans)
        ]
        for cut, node in enumerate(nodes):
            if not self._find_guards(node):
                continue
            first = spans[cut][0]
            crossing = (
                use >= first
                for variable, index in declared
                if index < cut
                for use in self._text.division.uses.indices[variable]
            )
            if not any(crossing):
                return cut
        return None

    def _find_guards(self, node: Node) -> tuple[Guard, ...]:
        return find_guards(self._text.unit, self._text.division, node)

    def _find_subscripts(self, nodes: list[Node], guards: Sequence[Guard]) -> tuple[Subscript, ...]:
        """Return the subscripts that consecutive threads have consecutive values of."""
        if self._text.division.kernel.is_checked or any(guard.kind in _SINGLE for guard in guards):
            return ()
        operations = [o for node in nodes for o in self._text.list_operations(node)]
        replaced = [(operation.index, operation.close) for operation in operations]
        return find_subscripts(self._text.unit, self._text.division, nodes, replaced)

    def open(self, frames: Frames, spans: Iterable[Span]) -> str:
        """Return the start of a region, with the variables that it names."""
        spans = list(spans)
        if self._text.division.kernel.is_checked and self._bindings.keep_copies(spans):
            raise CannotDivide("a part of a statement changes a variable of a checked thread")
        return f"__kbuild_each_row__({frames[-1].name}) {self._open_row(spans)}"

    def _open_row(
        self,
        spans: Iterable[Span],
        guards: Sequence[Guard] = (),
        subscripts: Sequence[Subscript] = (),
    ) -> str:
        """Return the start of a loop over threads of a row, with the variables that it names."""
        spans = list(spans)
        replaced = [span for subscript in subscripts for span in subscript.spans]
        threads, named = "__kbuild_threads__", _subtract(spans, replaced)
        if self._text.division.kernel.is_checked:
            copies, bound = self._bindings.bind_copies(named)
            threads = f"__kbuild_checked_threads__({copies})"
        else:
            bound = self._bindings.bind(named)
        if self._text.division.kernel.stores_index:
            bound = f"const ::kbuild_cpu::stored_index __kbuild_stored__(threadIdx); {bound}"
        row = "__kbuild_whole_row__"
        if guards:
            row = f"__kbuild_guarded__({', '.join(map(self._write_guard, guards))})"
        functions = (
            (number, self._write_index(subscript.sums))
            for number, subscript in enumerate(subscripts)
            if subscript.offset is None
        )
        added = ", ".join(
            f"__kbuild_piece__.__add({number}, __kbuild_part__, {function})"
            for number, function in functions
        )
        if added:
            threads = f"__kbuild_pieces__({len(subscripts)}, {added})"
        return f"{row} {threads} {bound}"

    def _write_function(self, span: Span, function: str = "") -> str:
        """Return a function of the thread with the value of an expression."""
        return (
            f"__kbuild_function__ {{ {self._bindings.bind([span])} {self._bindings.prove(span)}"
            f"return {function}({self._text.render(*span, is_plain=True)}); }}"
        )

    def _write_index(self, sums: tuple[Span, ...]) -> str:
        """Return a function of the thread with an index that consists of sums."""
        if self._text.unit.words[slice(*sums[0])] == THREAD_INDEX:
            return f"{REGIONS}thread_index()"
        rendered = (self._text.render(*span, is_plain=True) for span in sums)
        types = ", ".join(f"decltype(+({sum_}))" for sum_ in rendered)
        return self._write_function(sums[0], f"{REGIONS}index_of<{types}>")

    def _write_guard(self, guard: Guard) -> str:
        """Return a call that finds the threads that pass a guard."""
        functions = [self._write_index(guard.sums)] if guard.sums else []
        spans = (*guard.rest, guard.value, guard.comparison)
        functions += [self._write_function(span) for span in spans if span[0] < span[1]]
        return f"{REGIONS}guard_{guard.kind}({', '.join(('__kbuild_part__', *functions))})"

    def _write_leaves(self, nodes: Iterable[Node], frames: Frames) -> str:
        """Let threads leave their sets; return what updates these."""
        changed: set[str] = set()
        for node in nodes:
            for statement in list_statements(node):
                leave = self._find_leave(statement)
                if leave is None:
                    continue
                names = list_left(frames, leave.keyword, leave.loop)
                changed.update(names)
                removals = " ".join(f"{name}.remove({THREAD});" for name in names)
                self._write_leave(statement, f"{removals} return", has_value=leave.has_value)
        if not changed:
            return ""
        updates = "".join(f" {frame.name}.update();" for frame in frames if frame.name in changed)
        return f"{updates} if ({frames[-1].name}.__size() == 0) {self._leave(frames[-1])}"

    def _write_leave(self, statement: Statement, leave: str, *, has_value: bool) -> None:
        """Replace a statement that leaves something, or the result of a function."""
        start = statement.start
        if has_value:
            self._text.replace(start, start + 1, f"{{ {FRAME}.put({THREAD}, (")
            self._text.insert(self._text.get_end(statement.stop), f")); {leave}")
        else:
            self._text.replace(start, start + 1, f"{{ {leave}")
        self._text.insert(self._text.get_end(statement.stop + 1), " }")

    def _leave(self, frame: Frame) -> str:
        """Return the statement that ends what the threads of a set do, if none are left in it."""
        if frame.kind == "live":
            return "return;"
        self.left.add(frame)
        return f"goto {frame.label};"

    def _write_atomics(self, nodes: Iterable[Node]) -> None:
        """Let atomic functions for shared memory have the scope of the block, which costs less."""
        unit, division = self._text.unit, self._text.division
        for node in nodes:
            for index in range(node.start, self._text.find_end(node)):
                has_scopes = f"{unit.words[index]}_block" in division.kernel.yielding - {
                    "atomicCAS_block"
                }
                if has_scopes and unit.words[index + 1] == "(":
                    for argument in islice(list_arguments(unit, index + 1), 1):
                        self._write_atomic(*argument)

    def _write_atomic(self, first: int, last: int) -> None:
        """Say that a pointer leads to shared memory if it is that of an element of an object."""
        unit = self._text.unit
        is_address = unit.words[first] == "&"
        name = first + is_address
        offset = list(list_operands(unit, first, last))[2:]
        if is_address:
            is_element = all(unit.words[i] == "[" for i in list_outside(unit, name + 1, last))
        else:
            is_element = unit.words[name + 1] == "+" and len(offset) == 1
        if is_element and self._text.division.uses.is_shared(name):
            kinds = [f"decltype({unit.words[name]})"]
            if not is_address:
                kinds.append(f"decltype(({self._text.render(offset[0].start, offset[0].stop)}))")
            self._text.insert(unit.starts[first], f"::kbuild_cpu::of_block<{', '.join(kinds)}>(")
            self._text.insert(self._text.get_end(last), ")")

    def write_operands(self, operations: list[Operation], frames: Frames) -> str:
        """Return the regions in which threads bring their values, and the operations."""
        parts = []
        for operation in operations:
            if operation.constructor is not None:
                parts.append(self._write_team(operation, frames))
                continue
            if operation.callee is not None:
                parts.append(self._write_call(operation, frames))
                continue
            if not operation.has_value:
                raise CannotDivide(f"the call of '{operation.name}' is a part of an expression")
            parts.append(self._write_operation(operation, frames))
        return " ".join(parts) + (" " if parts else "")

    def _write_operation(self, operation: Operation, frames: Frames) -> str:
        text, operands = self._text, f"__kbuild_o{operation.slot}__"
        mask = self._render_mask(operation)
        common, own = ("", mask) if operation.has_own_masks else (mask, "")
        brought = ", ".join(filter(None, (operands, THREAD, own, text.render(*operation.value))))
        names = ", ".join(filter(None, (frames[-1].name, LIVE, operands, common)))
        call = (operation.index, operation.close + 1)
        return (
            f"{self._prove_mask(operation)}"
            f"{operands}.begin({frames[-1].name}); {self.open(frames, [call])} "
            f"{self._check_destructors(operation)}"
            f"{name_class(operation)}::template put<{text.render_type(operation)}>({brought}); "
            f"__kbuild_region_end__ {name_class(operation)}::finish({names});"
        )

    def _check_destructors(self, operation: Operation) -> str:
        """Return checks of the objects that C++ makes before an operation, and destroys behind it.

        Nothing is executed to make those in front of it, and its arguments have no destructor.
        """
        arguments = [
            each
            for each in operation.arguments
            if operation.destroys_nothing
            and can_make_objects(self._text.unit, each)
            and not self._makes_lambda(each)
        ]
        proofs = [
            f"static_assert(__is_trivially_constructible({self._text.render(*each)}));"
            for each in operation.made
        ]
        proofs += [self._text.render_calls(*each) for each in arguments]
        return "".join(f"{each} " for each in proofs)

    def _render_mask(self, operation: Operation) -> str:
        """Return the mask of an operation; empty without one."""
        is_object = operation.is_of_object
        mask = self._text.render(*operation.mask, is_call=is_object) if operation.mask else ""
        return f"{REGIONS}mask_of({mask}, threadIdx)" if is_object else mask

    def _prove_mask(self, operation: Operation) -> str:
        if operation.mask is None or operation.has_own_masks:
            return ""
        return self._bindings.prove(operation.mask)

    def write_barrier(self, operation: Operation, frames: Frames, before: str) -> None:
        """Write an operation without a value, which is a statement, behind operations in it."""
        names = f"{frames[-1].name}, {LIVE}"
        text = f"{self._prove_mask(operation)}{name_class(operation)}::finish({names}"
        if operation.mask is None or not operation.has_own_masks:
            if before:
                raise CannotDivide(f"an argument of '{operation.name}' has an unknown form")
            first = operation.arguments[0][0] if operation.arguments else operation.close
            self._text.replace(operation.index, first, f"{text}, " if operation.arguments else text)
            return
        operands, mask = f"__kbuild_o{operation.slot}__", self._render_mask(operation)
        put = f"{name_class(operation)}::put({operands}, {THREAD}, {mask});"
        opened = self.open(frames, [operation.mask])
        written = f"{before}{opened} {put} __kbuild_region_end__ {text}, {operands}"
        self._text.replace(operation.index, operation.close, written)

    def _write_call(self, operation: Operation, frames: Frames) -> str:
        """Return the region in which threads bring their arguments, and the call for all of them.

        A lambda that nobody calls tells the types of the parameters and of the result.
        """
        text, frame = self._text, name_frame(operation)
        call = (operation.index, operation.close + 1)
        made = {
            place: each
            for place, each in enumerate(operation.arguments)
            if self._makes_lambda(each)
        }
        replaced = {i: "" for first, last in made.values() for i in range(first, last)}
        replaced |= {made[each][0]: _call_lambda(operation, each) for each in made}
        functions = "".join(
            f"auto {_name_lambda(operation, place)} = __kbuild_function__ {{ "
            f"{self._bindings.bind([each])} return {text.render(*each)}; }}; "
            for place, each in made.items()
        )
        arguments = text.render(*operation.value, replaced)
        before = ", " if arguments else ""
        split = text.render_callee(operation)
        called = text.render(*call, replaced, is_call=True)
        kinds = f"decltype({split}({REGIONS}no_frame(){before}{arguments})), decltype({called})"
        types = "".join(f", {each}" for each in self._list_types(operation))
        passed = f"{REGIONS}call_frame<decltype({frame}){types}>{{{frame}}}"
        tell = f"__kbuild_k{operation.slot}__"
        kind = f"decltype({tell}(::uint3{{}}, 0))"
        return (
            f"{functions}auto {tell} = __kbuild_function__ {{ {self._bindings.bind([call])} "
            f"return {REGIONS}divided_call<{kinds}>(); }}; "
            f"typename {kind}::template __frame<__kbuild_most__> {frame}; "
            f"{self._bindings.add_slot(frame)} {self.open(frames, [call])} "
            f"{self._check_destructors(operation)}"
            f"{split}({passed}, {REGIONS}thread_number{{{THREAD}}}{before}{arguments}); "
            f"__kbuild_region_end__ "
            f"{kind}::__callee::__run({frames[-1].name}, {LIVE}, {frame});"
        )

    def _write_team(self, operation: Operation, frames: Frames) -> str:
        """Return the region in which threads bring what they pass to a function of an object.

        A lambda returns that, so that the text of the call exists once.
        """
        frame, bring = name_frame(operation), f"__kbuild_k{operation.slot}__"
        call = (operation.index, operation.close + 1)
        stores = str(self._text.division.kernel.stores_index).lower()
        kind = f"{REGIONS}team<decltype({bring}(::uint3{{}}, 0)), {stores}>"
        return (
            f"auto {bring} = __kbuild_function__ {{ {self._bindings.bind([call])} "
            f"{self._check_destructors(operation)}return {self._text.render_entry(operation)}; }}; "
            f"typename {kind}::template __frame<__kbuild_most__> {frame}; "
            f"{self._bindings.add_slot(frame)} {self.open(frames, [])} "
            f"{frame}.bring({THREAD}, {bring}(threadIdx, {THREAD})); __kbuild_region_end__ "
            f"{kind}::run({frames[-1].name}, {LIVE}, {frame});"
        )

    def _makes_lambda(self, argument: Span) -> bool:
        """Return whether an argument is a lambda whose captures construct no object.

        It is written once, in a function of the thread, because each lambda has a type of its own.
        """
        unit, (first, last) = self._text.unit, argument
        if unit.words[first] != "[" or not starts_captures(
            unit.get(first - 1), unit.get(first + 1)
        ):
            return False
        behind = unit.partners[first]
        brace = next((i for i in list_outside(unit, behind, last) if unit.words[i] == "{"), last)
        is_whole = unit.partners.get(brace) == last - 1
        return is_whole and not {"(", "{"} & {*unit.words[first:behind]}

    def _list_types(self, operation: Operation) -> Iterator[str]:
        """Yield the types of the arguments of a call that can bind references to them."""
        for place, argument in enumerate(operation.arguments if operation.referring else ()):
            if self._makes_lambda(argument):
                value = _call_lambda(operation, place)
                yield f"{REGIONS}made_argument<decltype({value}), 1>"
                continue
            value = self._text.render(*argument)
            makes_objects = can_make_objects(self._text.unit, argument)
            kind = "number_" if place in operation.referring and makes_objects else ""
            size = f"sizeof({REGIONS}bind_argument({value}))"
            yield f"{REGIONS}{kind}argument<decltype(({value})), {size}>"

    def write_results(self, nodes: Iterable[Node], replaced: Iterable[Span] = ()) -> None:
        """Replace calls of operations by their results, and check uses of variables.

        Args:
            nodes: What a region contains.
            replaced: The parts of it that other edits replace.
        """
        nodes = list(nodes)
        operations = [o for node in nodes for o in self._text.list_operations(node)]
        for operation in operations:
            self._text.replace(
                operation.index, operation.value[1], self._text.render_result(operation)
            )
        calls = ((operation.index, operation.value[1]) for operation in operations)
        self._text.write_casts(self._list_spans(nodes), (*replaced, *calls))

    def _check_expressions(self, nodes: Iterable[Node]) -> None:
        """Let the compiler reject a declaration that was taken for an expression.

        No declaration can be in parentheses, except that ``T(x)`` means another thing in them. It
        cannot declare a name twice in a block, either.
        """
        for node in nodes:
            if not isinstance(node, Statement) or not self._is_expression(node):
                continue
            first = skip_attributes(self._text.unit, node.start)
            start, end = self._text.unit.starts[first], self._text.find_end(node)
            declared = find_possibly_declared(self._text.unit, node)
            if declared is None:
                self._text.insert(start, "(")
                self._text.insert(self._text.get_end(node.stop), ")")
                continue
            name = self._text.unit.words[declared]
            bound = f"auto& {_SAME} = {name}; {{ [[maybe_unused]] auto& {name} = {_SAME}; "
            self._text.insert(start, f"{{ {bound}")
            self._text.insert(self._text.get_end(end), " } }")

    def _is_expression(self, statement: Statement) -> bool:
        start = skip_attributes(self._text.unit, statement.start)
        first = self._text.unit.get(start)
        return (
            start < statement.stop
            and statement not in self._bindings.declared
            and not is_common_declaration(self._text.unit, statement)
            and self._find_leave(statement) is None
            and statement is not self._text.division.result
            and first not in _NO_EXPRESSIONS
        )


def _name_lambda(operation: Operation, place: int) -> str:
    """Return the name of the function that makes an argument, which is a lambda."""
    return f"__kbuild_l{operation.slot}_{place}__"


def _call_lambda(operation: Operation, place: int) -> str:
    return f"{_name_lambda(operation, place)}(threadIdx, {THREAD})"


_SINGLE: Final = ("at", "rest", "bits")  # guards that one thread passes at a time
_SAME: Final = "__kbuild_same__"
# Statements, and parts of heads, that the grammar of C++ does not put in parentheses.
_NO_EXPRESSIONS: Final = ("return", "break", "continue", "asm", "__asm__")


def _subtract(spans: list[Span], others: list[Span]) -> list[Span]:
    """Return what is left of spans without others in them."""
    left: list[Span] = []
    inner = sorted(others)
    for start, stop in spans:
        here = [span for span in inner if is_in(span, [(start, stop)])]
        begins = (start, *(last for _, last in here))
        left += zip(begins, (*(first for first, _ in here), stop), strict=True)
    return left
