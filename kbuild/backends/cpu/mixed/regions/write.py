"""Write a divided kernel: regions, sets of threads, and what threads keep between regions.

The words are macros of ``native/device/cpu/mixed/kernel_text.h``, and the classes are those of
``kbuild_cpu/regions.h``. All edits are within lines, so that lines keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from kbuild.backends.cpu.mixed.regions.guards import Guard, find_guard
from kbuild.backends.cpu.mixed.regions.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Division, Operation
from kbuild.backends.cpu.mixed.regions.operations import list_statements
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.cxx.model import Edit
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_REGIONS: Final = "::kbuild_cpu::regions::"
_LIVE: Final = "__kbuild_live__"
_THREAD: Final = "__kbuild_t__"
_NOT_KEPT: Final = frozenset(("const", "constexpr", "register"))


@dataclass(frozen=True, slots=True)
class _Frame:
    """A set of threads: those that live, or that have entered a block.

    ``run`` are the threads that are in a loop, and ``turn`` those that are in this turn of it.
    """

    name: str
    kind: Literal["live", "branch", "run", "turn"]
    block: Block | None = None

    @property
    def label(self) -> str:
        """The label behind what the threads of the set do."""
        return f"__kbuild_end_of_{self.name.strip('_')}__"


_Frames = tuple[_Frame, ...]
_Span = tuple[int, int]


def write_kernel(unit: Unit, division: Division, prologue: str, bound: str) -> tuple[Edit, ...]:
    """Return the edits of the body of a divided kernel.

    Args:
        unit: The text.
        division: How the kernel is divided.
        prologue: What else belongs to the start of the body.
        bound: An expression for the largest number of threads; 0 if there is no limit.

    Raises:
        CannotDivide: A variable, or a place in the text, has a form that is not supported.
    """
    return _Writer(unit, division).write(f"{prologue}__kbuild_divided__({bound})")


class _Writer:
    def __init__(self, unit: Unit, division: Division) -> None:
        self._unit = unit
        self._division = division
        self._numbers = {v: number for number, v in enumerate(division.variables)}
        self._declared: dict[Statement | None, list[Variable]] = {}
        for variable in division.variables:
            self._declared.setdefault(variable.statement, []).append(variable)
        self._edits: list[Edit] = []
        self._slots: list[str] = []
        self._forced: set[Variable] = set()
        self._left: set[_Frame] = set()
        self._sets = 0

    def write(self, prologue: str) -> tuple[Edit, ...]:
        division = self._division
        frames = (_Frame(_LIVE, "live"),)
        texts = [prologue]
        is_left = any(
            leave.keyword == "return" and not self._is_whole(leave.statement)
            for leave in division.leaves.values()
        )
        kind = "__kbuild_set__" if is_left else f"const {_REGIONS}every_thread"
        texts.append(f"{kind} {_LIVE}(__kbuild_block__);")
        slots = 1 + max((o.slot for o in division.operations.values() if o.has_value), default=-1)
        texts += [f"__kbuild_operands__ __kbuild_o{slot}__;" for slot in range(slots)]
        for slot in range(slots):
            self._slots.append(f"__kbuild_o{slot}__")
        texts += self._write_parameters()
        # The braces are replaced, so that what others insert behind and before them is inside.
        brace = division.body.start
        self._replace(brace, brace + 1, f"{{{' '.join(texts)} {{")
        self._write_sequence(division.body.children, frames)
        self._replace(division.body.stop - 1, division.body.stop, "} __kbuild_divided_end__ }")
        return tuple(self._edits)

    def _write_parameters(self) -> Iterator[str]:
        for variable in self._declared.get(None, []):
            number = self._numbers[variable]
            if self._division.kinds[variable] == "uniform":
                yield f"[[maybe_unused]] const auto& __kbuild_u{number}__ = {variable.name};"
                continue
            kind = f"decltype({_REGIONS}copy({variable.name}))"
            slot = self._add_slot(number)
            yield (
                f"{kind} {slot}[__kbuild_most__]; {self._limit_slots()} __kbuild_region__({_LIVE}) "
                f"{slot}[{_THREAD}] = {variable.name}; __kbuild_region_end__"
            )

    # Sequences of statements

    def _write_sequence(self, nodes: Iterable[Node], frames: _Frames) -> None:
        region: list[Node] = []
        before = ""
        kept = len(self._slots)
        for node in nodes:
            operations = self._list_operations(node)
            if not operations and not self._is_whole(node):
                region.append(node)
                continue
            is_plain = isinstance(node, Statement) and not self._is_barrier(node, operations)
            if is_plain and not self._is_whole(node):
                self._write_region(region, frames, before)
                before = self._write_operands(operations, frames)
                region = [node]
                continue
            self._write_region(region, frames, before)
            region, before = [], ""
            if self._is_whole(node):
                self._write_whole(node)
            elif isinstance(node, Statement):
                self._write_barrier(operations[0], frames)
            else:
                self._write_divided(node, frames)
        self._write_region(region, frames, before)
        del self._slots[kept:]

    def _is_whole(self, node: Node) -> bool:
        return node in self._division.whole

    def _list_operations(self, node: Node) -> list[Operation]:
        stop = self._find_end(node)
        found = self._division.operations
        inside = (found[index] for index in sorted(found) if node.start <= index < stop)
        return sorted(inside, key=lambda operation: operation.close)

    def _is_barrier(self, node: Statement, operations: list[Operation]) -> bool:
        if all(operation.has_value for operation in operations):
            return False
        first = operations[0]
        if node.start != first.index or node.stop != first.close + 1:
            raise CannotDivide(f"the call of '{first.name}' is a part of an expression")
        return True

    def _write_whole(self, node: Node) -> None:
        """Leave what is executed once as it is; regions see its variables as constants."""
        declared = self._declared.get(node, []) if isinstance(node, Statement) else []
        if any(self._division.kinds[variable] == "group" for variable in declared):
            self._blank(node.start, node.stop)
        elif isinstance(node, Statement):
            alias = self._write_aliases(self._declared.get(node, []))
            self._insert(self._get_end(self._find_end(node)), alias)

    def _write_aliases(self, variables: Iterable[Variable]) -> str:
        return "".join(
            f" static_assert({_REGIONS}is_value<decltype({v.name})>); "
            f"[[maybe_unused]] const auto& __kbuild_u{self._numbers[v]}__ = {v.name};"
            for v in variables
            if self._division.kinds[v] == "uniform"
        )

    def _write_barrier(self, operation: Operation, frames: _Frames) -> None:
        text = f"{_REGIONS}{operation.name}::finish({frames[-1].name}, {_LIVE}"
        if operation.arguments:
            self._replace(operation.index, operation.arguments[0][0], f"{text}, ")
        else:
            self._replace(operation.index, operation.close, text)

    # Regions

    def _write_region(self, nodes: list[Node], frames: _Frames, before: str = "") -> None:
        nodes = [node for node in nodes if node.start < node.stop]
        if not nodes:
            if before:
                raise CannotDivide("an operation is in an unknown place")
            return
        spans = [(node.start, self._find_end(node)) for node in nodes]
        cut = self._find_cut(nodes, spans) if len(nodes) > 1 else None
        if cut is not None:
            self._write_region(nodes[:cut], frames, before)
            self._write_region(nodes[cut : cut + 1], frames)
            self._write_region(nodes[cut + 1 :], frames)
            return
        self._force(nodes, spans)
        slots: list[str] = []
        for node in nodes:
            if isinstance(node, Statement):
                slots += self._write_declaration(node, spans)
        start = self._unit.get_end(nodes[0].start - 1)
        guard = find_guard(self._unit, self._division, nodes[0]) if len(nodes) == 1 else None
        opened = self._open_region(frames, spans, guard)
        self._insert(start, f" {before}{' '.join(slots)} {opened}")
        if guard is not None:
            self._replace(*guard.comparison, "true")
        self._write_atomics(nodes)
        self._write_operation_results(nodes)
        left = self._write_leaves(nodes, frames)
        self._insert(self._get_end(spans[-1][1]), f" __kbuild_region_end__{left}")

    def _force(self, nodes: Iterable[Node], spans: list[_Span]) -> None:
        """Keep the variables that tell the type of another one that is kept."""
        declared = [v for node in nodes if isinstance(node, Statement) for v in self._declared.get(node, [])]
        for variable in reversed(declared):
            if not is_deduced(self._unit, variable) or self._is_local(variable, spans):
                continue
            if self._division.kinds[variable] == "kept" and variable.initializer is not None:
                used = set(self._list_used(*variable.initializer)) & set(declared)
                self._forced |= {v for v in used if self._division.kinds[v] == "kept"}

    def _find_cut(self, nodes: list[Node], spans: list[_Span]) -> int | None:
        """Return the index of a statement with a guard that can be a region.

        No variable that the others have for themselves must cross its borders.
        """
        declared = [
            (variable, index)
            for index, node in enumerate(nodes)
            if isinstance(node, Statement)
            for variable in self._declared.get(node, [])
            if self._division.kinds[variable] == "kept" and self._is_local(variable, spans)
        ]
        for cut, node in enumerate(nodes):
            if find_guard(self._unit, self._division, node) is None:
                continue
            first = spans[cut][0]
            crossing = (
                use >= first
                for variable, index in declared
                if index < cut
                for use in self._division.uses[variable]
            )
            if not any(crossing):
                return cut
        return None

    def _open_region(
        self, frames: _Frames, spans: Iterable[_Span], guard: Guard | None = None
    ) -> str:
        spans = list(spans)
        name, bound = frames[-1].name, self._bind(spans)
        if any(_is_in((index, index + 1), spans) for index in self._division.readers):
            bound = f"{_REGIONS}store_index(threadIdx); {bound}"
        if guard is None:
            return f"__kbuild_region__({name}) {bound}"
        test = f"return static_cast<bool>({self._render(*guard.comparison)});"
        value = f"return static_cast<long long>({self._render(*guard.value)});"
        bound_here = self._bind([guard.comparison])
        functions = f"__kbuild_function__ {{ {bound_here} {test} }}, "
        functions += f"__kbuild_function__ {{ {bound_here} {value} }}, "
        run = f"{_REGIONS}run_region_{guard.kind}({name}, {functions}"
        return f"{run}__kbuild_function__ __kbuild_inlined__ -> void {{ {bound}"

    def _write_atomics(self, nodes: Iterable[Node]) -> None:
        """Let atomic functions for shared memory have the scope of the block, which costs less."""
        unit, words = self._unit, self._unit.words
        for node in nodes:
            for index in range(node.start, self._find_end(node)):
                name = f"{words[index]}_block"
                is_shared = (
                    unit.get(index + 1) == "("
                    and unit.get(index + 2) == "&"
                    and unit.get(index + 3) in self._division.shared
                    and unit.get(index + 4) in ("[", ",")
                    and self._division.resolve(words[index + 3], index + 3) is None
                )
                if is_shared and name in self._division.yielding:
                    self._replace(index, index + 1, name)

    def _bind(self, spans: Iterable[_Span]) -> str:
        """Return the declarations of the variables that a part of the text names."""
        spans = list(spans)
        bound: set[Variable] = set()
        new = {v for span in spans for v in self._list_used(*span)}
        while new:
            bound |= new
            parts = (v.initializer for v in new if self._is_computed_elsewhere(v, spans))
            new = {v for part in parts if part is not None for v in self._list_used(*part)} - bound
        inside = {v for v in bound if v.statement and _is_in((v.index, v.index + 1), spans)}
        names = [v.name for v in bound]
        if len(set(names)) != len(names):
            raise CannotDivide("a variable hides another one that it depends on")
        order = sorted(bound - inside, key=lambda variable: self._numbers[variable])
        return " ".join(map(self._bind_variable, order))

    def _is_computed_elsewhere(self, variable: Variable, spans: list[_Span]) -> bool:
        is_inside = _is_in((variable.index, variable.index + 1), spans)
        return self._division.kinds[variable] == "computed" and not is_inside

    def _list_used(self, first: int, last: int) -> Iterator[Variable]:
        for index in list_names(self._unit, first, last):
            found = self._division.resolve(self._unit.words[index], index)
            if found is not None:
                yield found

    def _bind_variable(self, variable: Variable) -> str:
        number, name = self._numbers[variable], variable.name
        kind = self._division.kinds[variable]
        if kind == "uniform":
            reference = "" if variable.is_scalar else "&"
            return f"[[maybe_unused]] const auto{reference} {name} = __kbuild_u{number}__;"
        if kind == "group":
            return f"[[maybe_unused]] const {_REGIONS}thread_block {name}(threadIdx, {_THREAD});"
        if kind == "kept":
            return f"[[maybe_unused]] auto& {name} = __kbuild_s{number}__[{_THREAD}];"
        renamed = {variable.index: f"__kbuild_n{number}__"}
        parts = (variable.base, variable.declarator, variable.initializer or (0, 0))
        text = " ".join(self._render(*part, renamed) for part in parts)
        return f"{text}; {self._bind_computed(variable)}"

    def _bind_computed(self, variable: Variable) -> str:
        renamed = f"__kbuild_n{self._numbers[variable]}__"
        return (
            f"static_assert({_REGIONS}is_value<decltype({renamed})>); "
            f"[[maybe_unused]] const auto {variable.name} = {renamed};"
        )

    def _write_declaration(self, statement: Statement, spans: list[_Span]) -> Iterator[str]:
        """Rename what a statement declares for other regions, too; yield the declared slots."""
        declared = self._declared.get(statement, [])
        crossing = [v for v in declared if not self._is_local(v, spans)]
        if not crossing:
            return
        tail = []
        for variable in crossing:
            number = self._numbers[variable]
            renamed = f"__kbuild_n{number}__"
            self._replace(variable.index, variable.index + 1, renamed)
            for index in self._division.uses[variable]:
                if variable.index < index < statement.stop:
                    self._replace(index, index + 1, renamed)
            if self._division.kinds[variable] == "computed":
                tail.append(self._bind_computed(variable))
                continue
            yield self._declare_slot(variable)
            slot = f"__kbuild_s{number}__[{_THREAD}]"
            tail.append(f"[[maybe_unused]] auto& {variable.name} = {slot};")
            if variable.initializer is not None:
                tail.append(f"{_REGIONS}keep({variable.name}, {renamed});")
            else:
                tail.append(f"static_cast<void>({renamed});")
        self._insert(self._get_end(self._find_end(statement)), " " + " ".join(tail))

    def _is_local(self, variable: Variable, spans: list[_Span]) -> bool:
        """Return whether a variable is used only in the region that declares it."""
        uses = self._division.uses[variable]
        return variable not in self._forced and all(_is_in((i, i + 1), spans) for i in uses)

    def _declare_slot(self, variable: Variable) -> str:
        """Return the declaration of an array with an element per thread."""
        if variable.is_reference:
            raise CannotDivide(f"'{variable.name}' is a reference that is used behind a barrier")
        slot = self._add_slot(self._numbers[variable])
        if is_deduced(self._unit, variable):
            return f"{self._deduce(variable)} {slot}[__kbuild_most__]; {self._limit_slots()}"
        words = self._unit.words
        start, stop = variable.declarator
        is_pointer = "*" in words[start : variable.index]
        dropped: dict[int, str] = {variable.index: f"{slot}[__kbuild_most__]"}
        last_star = max((i for i in range(start, variable.index) if words[i] == "*"), default=start)
        dropped |= {i: "" for i in range(last_star, variable.index) if words[i] in _NOT_KEPT}
        base = {
            index: ""
            for index in range(*variable.base)
            if words[index] in _NOT_KEPT - ({"const"} if is_pointer else frozenset())
        }
        text = f"{self._render(*variable.base, base)} {self._render(start, stop, dropped)};"
        return f"{text} {self._limit_slots()}"

    def _deduce(self, variable: Variable) -> str:
        """Return a function with the type of a variable, and this type."""
        if variable.initializer is None:
            raise CannotDivide(f"the type of '{variable.name}' is unknown")
        first, last = variable.initializer
        if self._unit.words[first] == "=":
            first += 1
        value = self._render(first, last)
        name = f"__kbuild_f{self._numbers[variable]}__"
        return (
            f"auto {name} = [&]([[maybe_unused]] const ::uint3 threadIdx, "
            f"[[maybe_unused]] const int {_THREAD}) {{ {self._bind([(first, last)])} "
            f"return {value}; }}; decltype({name}(::uint3{{}}, 0))"
        )

    def _add_slot(self, number: int) -> str:
        slot = f"__kbuild_s{number}__"
        self._slots.append(slot)
        return slot

    def _limit_slots(self) -> str:
        total = " + ".join(f"sizeof({slot})" for slot in self._slots)
        return f"static_assert({total} <= {_REGIONS}most_bytes);"

    def _write_leaves(self, nodes: Iterable[Node], frames: _Frames) -> str:
        """Let threads leave their sets; return what updates these."""
        changed: set[str] = set()
        for node in nodes:
            for statement in list_statements(node):
                leave = self._division.leaves.get(statement.start)
                if leave is None or leave.statement is not statement:
                    continue
                names = _list_left(frames, leave.keyword, leave.loop)
                changed.update(names)
                removals = " ".join(f"{name}.remove({_THREAD});" for name in names)
                self._replace(statement.start, statement.start + 1, f"{{ {removals} return")
                self._insert(self._get_end(statement.stop + 1), " }")
        if not changed:
            return ""
        updates = "".join(f" {frame.name}.update();" for frame in frames if frame.name in changed)
        return f"{updates} if ({frames[-1].name}.count() == 0) {self._leave(frames[-1])}"

    def _leave(self, frame: _Frame) -> str:
        """Return the statement that ends what the threads of a set do, if none are left in it."""
        if frame.kind == "live":
            return "return;"
        self._left.add(frame)
        return f"goto {frame.label};"

    # Operations with values

    def _write_operands(self, operations: list[Operation], frames: _Frames) -> str:
        """Return the regions in which threads bring their values, and the operations."""
        parts = []
        for operation in operations:
            if not operation.has_value:
                raise CannotDivide(f"the call of '{operation.name}' is a part of an expression")
            operands = f"__kbuild_o{operation.slot}__"
            call = (operation.index, operation.close + 1)
            value = self._render(*operation.value)
            mask = f", {self._render(*operation.mask)}" if operation.mask else ""
            names = f"{frames[-1].name}, {_LIVE}, {operands}"
            parts.append(
                f"{operands}.begin({frames[-1].name}); {self._open_region(frames, [call])} "
                f"{_REGIONS}{operation.name}::put<{self._render_type(operation)}>"
                f"({operands}, {_THREAD}, {value}); __kbuild_region_end__ "
                f"{_REGIONS}{operation.name}::finish({names}{mask});"
            )
        return " ".join(parts) + (" " if parts else "")

    def _render_type(self, operation: Operation) -> str:
        if not operation.is_warp_wide:
            return "int"
        return f"decltype({self._render(operation.index, operation.close + 1, is_call=True)})"

    def _write_operation_results(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            for operation in self._list_operations(node):
                _, stop = operation.value
                self._replace(operation.index, stop, self._render_result(operation))

    def _render_result(self, operation: Operation) -> str:
        operands = f"__kbuild_o{operation.slot}__"
        kind = self._render_type(operation)
        return f"{_REGIONS}{operation.name}::get<{kind}>({operands}, {_THREAD}"

    # Conditions and loops

    def _write_divided(self, block: Block, frames: _Frames) -> None:
        if not block.kind:
            self._write_sequence(block.children, frames)
        elif block.kind == "if":
            self._write_condition(block, frames)
        elif block in self._division.masked - self._division.steered:
            self._write_masked_loop(block, frames)
        else:
            self._write_steered_loop(block, frames)

    def _write_body(self, node: Node, frames: _Frames, first: str = "", last: str = "") -> None:
        """Write the body of a condition or loop, with text at its start and end."""
        if isinstance(node, Block) and not node.kind:
            self._insert(self._unit.get_end(node.start), first)
            self._write_sequence(node.children, frames)
            self._insert(self._unit.starts[node.stop - 1], last)
            return
        self._insert(self._unit.get_end(node.start - 1), f" {{{first}")
        self._write_sequence((node,), frames)
        self._insert(self._get_end(self._find_end(node)), f"{last} }}")

    def _write_masked_body(self, node: Node, frames: _Frames, first: str, last: str) -> None:
        """Write a body that the threads of a set run, and text at its start and end."""
        is_compound = isinstance(node, Block) and not node.kind
        start = self._unit.get_end(node.start if is_compound else node.start - 1)
        self._insert(start, f"{first} {{" if is_compound else f" {{{first} {{")
        self._write_sequence(node.children if isinstance(node, Block) and is_compound else (node,), frames)
        label = f" {frames[-1].label}:;" if frames[-1] in self._left else ""
        if is_compound:
            self._insert(self._unit.starts[node.stop - 1], f" }}{label}{last}")
        else:
            self._insert(self._get_end(self._find_end(node)), f" }}{label}{last} }}")

    def _write_condition(self, block: Block, frames: _Frames) -> None:
        head, then, *others = block.children
        if block not in self._division.masked:
            self._write_body(then, frames)
            for other in others:
                self._write_body(other, frames)
            return
        branch = _Frame(self._name_set(), "branch", block)
        start, close = block.start, head.start - 1
        before = self._write_operands(self._list_operations(head), frames)
        self._replace(
            start,
            close + 1,
            f"{{ __kbuild_set__ {branch.name}({frames[-1].name}, false); {before}"
            f"{self._open_region(frames, [(head.start, head.stop)])} "
            f"{branch.name}.put({_THREAD}, static_cast<bool>(",
        )
        self._write_operation_results((head,))
        text = f")); __kbuild_region_end__ {branch.name}.update();"
        rest = _Frame(self._name_set(), "branch", block)
        if others:
            text += (
                f" __kbuild_set__ {rest.name}({frames[-1].name}, false); "
                f"{rest.name}.assign_rest({frames[-1].name}, {branch.name});"
            )
        self._replace(head.stop, head.stop + 1, f"{text} if ({branch.name}.count() != 0) {{")
        self._write_masked_body(then, (*frames, branch), "", "")
        end = self._find_end(then)
        self._insert(self._get_end(end), " }")
        for other in others:
            self._replace(end, end + 1, f"if ({rest.name}.count() != 0) {{")
            self._write_masked_body(other, (*frames, rest), "", "")
            self._insert(self._get_end(self._find_end(other)), " }")
        self._insert(self._get_end(block.stop), " }")

    def _write_steered_loop(self, block: Block, frames: _Frames) -> None:
        """Write a loop whose head is the same for all threads."""
        heads = [child for child in block.children if isinstance(child, Statement)]
        body = block.children[0 if block.kind == "do" else block.heads]
        aliases = self._write_aliases(self._declared.get(heads[0], [])) if block.kind == "for" else ""
        if block not in self._division.masked:
            self._write_body(body, frames, aliases)
            return
        frames, text = self._enter_loop(block, frames)
        self._drop_pragmas(block)
        self._replace(block.start, block.start + 1, f"{{ {text} {block.kind}")
        first = f"{aliases} {self._begin_turn(frames)}"
        self._write_masked_body(body, frames, first, f" {self._end_turn(frames)}")
        self._insert(self._get_end(block.stop), " }")

    def _write_masked_loop(self, block: Block, frames: _Frames) -> None:
        """Write a loop whose condition each thread evaluates."""
        outer = frames
        frames, text = self._enter_loop(block, frames)
        run = next(frame for frame in frames if frame.kind == "run" and frame.block is block)
        running = frames[: frames.index(run) + 1]
        self._drop_pragmas(block)
        if block.kind == "do":
            self._write_masked_do(block, frames, running, text)
            return
        opening = block.start + 1
        head, body = block.children[0], block.children[block.heads]
        step = ""
        if block.kind == "for":
            start, head, last = block.children[:3]
            self._replace(block.start, opening + 1, f"{{ {text}")
            self._write_start(start, outer)
            opening = head.start - 1  # the first semicolon
            step = self._write_step(last, running)
        else:
            self._replace(block.start, opening + 1, f"{{ {text}")
        test = self._open_test(head, running)
        self._insert(self._unit.get_end(opening), f" for (;;) {{ {test}")
        if head.start == head.stop:
            self._insert(self._unit.get_end(opening), "true")
        self._write_operation_results((head,))
        close = self._close_test(run)
        self._insert(self._get_end(head.stop), close)
        if block.kind == "for":
            self._blank(head.stop, body.start)
        else:
            self._blank(head.stop, head.stop + 1)
        self._write_masked_body(body, frames, f" {self._begin_turn(frames)}", "")
        self._insert(self._get_end(block.stop), f"{step} }} }}")

    def _write_start(self, start: Node, frames: _Frames) -> None:
        """Write the first part of the head of a loop, whose semicolon stays."""
        if not isinstance(start, Statement) or start.start == start.stop:
            return
        declared = self._declared.get(start, [])
        if declared and all(self._division.kinds[v] == "uniform" for v in declared):
            self._insert(self._get_end(start.stop + 1), self._write_aliases(declared))
            return
        self._write_region([start], frames)

    def _write_step(self, step: Node, frames: _Frames) -> str:
        """Return the last part of the head of a loop, as a region."""
        if step.start == step.stop:
            return ""
        if self._list_operations(step):
            raise CannotDivide("an operation is in the last part of the head of a loop")
        code = self._render(step.start, step.stop)
        names = list(self._list_used(step.start, step.stop))
        if names and all(self._division.kinds[v] == "uniform" and not v.is_parameter for v in names):
            return f" {code};"
        return f" {self._open_region(frames, [(step.start, step.stop)])} {code}; __kbuild_region_end__"

    def _write_masked_do(
        self, block: Block, frames: _Frames, running: _Frames, text: str
    ) -> None:
        body, head = block.children
        self._replace(block.start, block.start + 1, f"{{ {text} for (;;) {{")
        self._write_masked_body(body, frames, f" {self._begin_turn(frames)}", "")
        self._replace(head.start - 2, head.start, self._open_test(head, running))
        self._write_operation_results((head,))
        self._replace(head.stop, head.stop + 1, self._close_test(running[-1]))
        self._insert(self._get_end(block.stop), " } }")

    def _open_test(self, head: Node, running: _Frames) -> str:
        before = self._write_operands(self._list_operations(head), running)
        bound = self._open_region(running, [(head.start, head.stop)])
        return f"{before}{bound} if (!("

    def _close_test(self, run: _Frame) -> str:
        return (
            f")) {run.name}.remove({_THREAD}); __kbuild_region_end__ {run.name}.update(); "
            f"if ({run.name}.count() == 0) break;"
        )

    def _enter_loop(self, block: Block, frames: _Frames) -> tuple[_Frames, str]:
        run = _Frame(self._name_set(), "run", block)
        text = f"__kbuild_set__ {run.name}({frames[-1].name}, true);"
        continues = any(
            leave.keyword == "continue" and leave.loop is block
            for leave in self._division.leaves.values()
        )
        if not continues:
            return (*frames, run), text
        return (*frames, run, _Frame(self._name_set(), "turn", block)), text

    def _begin_turn(self, frames: _Frames) -> str:
        if frames[-1].kind != "turn":
            return ""
        return f"__kbuild_set__ {frames[-1].name}({frames[-2].name}, true);"

    def _end_turn(self, frames: _Frames) -> str:
        run = next(frame for frame in reversed(frames) if frame.kind == "run")
        return f"if ({run.name}.count() == 0) break;"

    def _name_set(self) -> str:
        self._sets += 1
        return f"__kbuild_set{self._sets}__"

    def _drop_pragmas(self, block: Block) -> None:
        """Drop pragmas in front of a loop that becomes something else."""
        start, end = self._unit.get_end(block.start - 1), self._unit.starts[block.start]
        for directive in self._unit.directives:
            is_before = start <= directive.start < end
            if is_before and directive.text.lstrip("# \t").startswith("pragma"):
                self._edits.append(Edit(start=directive.start, end=directive.end, text=""))

    # Text

    def _find_end(self, node: Node) -> int:
        """Return the index after a node and the semicolon behind it."""
        is_followed = isinstance(node, Statement) and self._unit.get(node.stop) == ";"
        return node.stop + is_followed

    def _get_end(self, stop: int) -> int:
        """Return the position after the token before an index."""
        return self._unit.get_end(stop - 1)

    def _insert(self, position: int, text: str) -> None:
        if text:
            self._edits.append(Edit(start=position, end=position, text=text))

    def _replace(self, first: int, stop: int, text: str) -> None:
        """Replace tokens; lines keep their numbers."""
        start, end = self._unit.starts[first], self._get_end(stop)
        old = self._unit.text[start:end]
        if "\n#" in old:
            raise CannotDivide("a statement around a barrier continues in another file")
        self._edits.append(Edit(start=start, end=end, text=text + "\n" * old.count("\n")))

    def _blank(self, first: int, stop: int) -> None:
        for index in range(first, stop):
            self._replace(index, index + 1, "")

    def _render(
        self,
        first: int,
        last: int,
        replaced: dict[int, str] | None = None,
        *,
        is_call: bool = False,
    ) -> str:
        """Return tokens on one line, with the results of operations in the place of their calls."""
        replaced = replaced or {}
        operations = self._division.operations
        parts: list[str] = []
        index = first
        while index < last:
            if parts and self._unit.starts[index] != self._unit.get_end(index - 1):
                parts.append(" ")
            operation = operations.get(index)
            if operation is not None and operation.has_value and not (is_call and index == first):
                parts.append(self._render_result(operation))
                index = operation.value[1]
                continue
            parts.append(replaced.get(index, self._unit.words[index]))
            index += 1
        return "".join(parts)


def _is_in(span: _Span, spans: Iterable[_Span]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in spans)


def _list_left(frames: _Frames, keyword: str, loop: Block | None) -> list[str]:
    """Return the sets that a thread leaves."""
    if keyword == "return":
        return [frame.name for frame in frames]
    run = next(i for i, f in enumerate(frames) if f.kind == "run" and f.block is loop)
    first = run if keyword == "break" else run + 1
    return [frame.name for frame in frames[first:]]
