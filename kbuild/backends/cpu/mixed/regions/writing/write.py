"""Write a divided kernel or device function: regions, sets, and what threads keep between regions.

The words are macros of ``native/device/cpu/mixed/kernel_text.h``, and the classes are those of
``kbuild_cpu/regions``. All edits are within lines, so that lines keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.backends.cpu.mixed.regions.forms import (
    find_target,
    find_value,
    is_common_declaration,
    list_steps,
    read_loop,
)
from kbuild.backends.cpu.mixed.regions.groups import THIS_BLOCK, TILE
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.ranges import RANGE, read_range
from kbuild.backends.cpu.mixed.regions.variables import Variable
from kbuild.backends.cpu.mixed.regions.writing.bindings import Bindings
from kbuild.backends.cpu.mixed.regions.writing.casts import REGIONS
from kbuild.backends.cpu.mixed.regions.writing.region import RegionWriter
from kbuild.backends.cpu.mixed.regions.writing.text import (
    ENTERED,
    LIVE,
    THREAD,
    Frame,
    Frames,
    Text,
    name_range,
)
from kbuild.cxx.model import Edit
from kbuild.cxx.places import find_first
from kbuild.cxx.statements import Block, Node, Statement, list_statements
from kbuild.cxx.unit import Unit


def write_kernel(unit: Unit, division: Division, prologue: str) -> tuple[Edit, ...]:
    """Return the edits of the body of a divided kernel.

    Args:
        unit: The text.
        division: How the kernel is divided.
        prologue: The start of the body.

    Raises:
        CannotDivide: A variable, or a place in the text, has a form that is not supported.
    """
    return _KernelWriter(Text(unit, division)).write(prologue, "__kbuild_divided_end__")


def write_function(unit: Unit, division: Division) -> tuple[Edit, ...]:
    """Return the edits of the body of a divided device function, as that of ``__run``.

    Raises:
        CannotDivide: A variable, or a place in the text, has a form that is not supported.
    """
    return _KernelWriter(Text(unit, division)).write("__kbuild_divided_function__", "")


class _KernelWriter:
    def __init__(self, text: Text) -> None:
        self._text = text
        self._bindings = Bindings(text)
        self._regions = RegionWriter(text, self._bindings)
        self._sets = 0

    def write(self, prologue: str, epilogue: str) -> tuple[Edit, ...]:
        kernel = self._text.division.kernel
        frames = (Frame(ENTERED if kernel.is_function else LIVE, "live"),)
        texts = [prologue, self._declare_threads()]
        texts += self._declare_operands()
        texts += self._bindings.declare_parameters()
        # The braces are replaced, so that what others insert behind and before them is inside.
        brace = kernel.body.start
        self._text.replace(brace, brace + 1, f"{{{' '.join(texts)} {{")
        self._write_sequence(kernel.body.children, frames)
        self._text.replace(kernel.body.stop - 1, kernel.body.stop, f"}} {epilogue} }}")
        return self._text.finish()

    def _declare_operands(self) -> Iterator[str]:
        """Yield the declarations of what threads bring to operations."""
        found = [o for o in self._text.division.operations.values() if o.callee is None]
        masked = {o.slot for o in found if o.has_own_masks}
        for slot in sorted({o.slot for o in found if o.has_value} | masked):
            self._bindings.slots.append(f"__kbuild_o{slot}__")
            kind = "masked" if slot in masked else "operands"
            yield f"__kbuild_{kind}__ __kbuild_o{slot}__;"

    def _declare_threads(self) -> str:
        """Return the declaration of the set of all threads."""
        is_left = any(
            leave.keyword == "return" and not self._is_whole(leave.statement)
            for leave in self._text.division.leaves.values()
        )
        if self._text.division.kernel.is_function:
            if is_left:
                return f"__kbuild_set__ {ENTERED}(__kbuild_callers__, true);"
            return f"[[maybe_unused]] const auto& {ENTERED} = __kbuild_callers__;"
        kind = "__kbuild_set__" if is_left else f"const {REGIONS}every_thread"
        return f"{kind} {LIVE}(__kbuild_block__);"

    def _write_sequence(self, nodes: Iterable[Node], frames: Frames) -> None:
        kept = len(self._bindings.slots)
        self._write_nodes(nodes, frames)
        del self._bindings.slots[kept:]

    def _write_nodes(self, nodes: Iterable[Node], frames: Frames) -> None:
        """Write statements whose variables are known behind them, too."""
        region: list[Node] = []
        before = ""
        for node in nodes:
            operations = self._text.list_operations(node)
            if not operations and not self._is_whole(node):
                region.append(node)
                continue
            is_plain = isinstance(node, Statement) and not self._is_barrier(node, operations)
            if is_plain and not self._is_whole(node):
                self._regions.write(region, frames, before)
                before = self._regions.write_operands(operations, frames)
                region = [node]
                continue
            self._regions.write(region, frames, before)
            region, before = [], ""
            if self._is_whole(node):
                self._write_whole(node)
            elif isinstance(node, Statement):
                *inner, barrier = operations
                brought = self._regions.write_operands(inner, frames)
                self._regions.write_barrier(barrier, frames, brought)
            else:
                self._write_divided(node, frames)
        self._regions.write(region, frames, before)

    def _is_whole(self, node: Node) -> bool:
        return node in self._text.division.whole

    def _is_barrier(self, node: Statement, operations: list[Operation]) -> bool:
        if all(operation.has_value for operation in operations):
            return False
        *inner, barrier = operations
        is_whole = (node.start, node.stop) == (barrier.index, barrier.close + 1)
        first = next((o for o in operations if not o.has_value), barrier)
        if not is_whole or barrier.has_value or not all(each.has_value for each in inner):
            raise CannotDivide(f"the call of '{first.name}' is a part of an expression")
        return True

    def _write_whole(self, node: Node) -> None:
        """Leave what is executed once as it is; regions see its variables as constants."""
        for part in list_statements(node):
            if part.start not in self._text.division.leaves:
                self._prove(node, part)
        if not isinstance(node, Statement):
            return
        declared = self._bindings.declared.get(node, [])
        if any(variable.group is not None for variable in declared):
            self._write_group(node, declared[0])
        else:
            alias = self._bindings.alias(declared)
            self._text.insert(self._text.get_end(self._text.find_end(node)), alias)

    def _prove(self, node: Node, part: Statement) -> None:
        """Check in front of a node what a part of it takes for granted."""
        unit, declared = self._text.unit, self._bindings.declared.get(part, [])
        if is_common_declaration(unit, part) or any(v.group is not None for v in declared):
            return
        spans = [v.initializer for v in declared]
        if not declared and (part.start, part.stop) != (0, 0):
            is_changed = find_target(unit, part) is not None
            spans = [find_value(unit, part) if is_changed else (part.start, part.stop)]
        checks = self._bindings.prove(*spans)
        self._text.insert(self._text.unit.get_end(node.start - 1), checks and f" {checks}")

    def _write_group(self, node: Statement, variable: Variable) -> None:
        """Let the declaration of a group declare what is the same for all threads."""
        unit = self._text.unit
        self._text.replace(node.start, variable.index, "[[maybe_unused]] constexpr auto ")
        for index in range(variable.index, node.stop):
            first = find_first(unit, index)
            if unit.words[index] == TILE:
                self._text.replace(first, index + 1, f"{REGIONS}divide")
            elif unit.words[index] == THIS_BLOCK:
                self._text.replace(first, index + 3, f"{REGIONS}block_group{{}}")

    def _write_divided(self, block: Block, frames: Frames) -> None:
        kept = len(self._bindings.slots)
        self._write_block(block, frames)
        del self._bindings.slots[kept:]

    def _write_block(self, block: Block, frames: Frames) -> None:
        if not block.kind:
            self._write_sequence(block.children, frames)
        elif block.kind == "if":
            self._write_condition(block, frames)
        elif block.kind == RANGE:
            self._write_range_loop(block, frames)
        elif block in self._text.division.masked - self._text.division.steered:
            self._write_masked_loop(block, frames)
        else:
            self._write_steered_loop(block, frames)

    def _write_body(self, node: Node, frames: Frames, first: str = "", last: str = "") -> None:
        """Write the body of a condition or loop, with text at its start and end."""
        if isinstance(node, Block) and not node.kind:
            self._text.insert(self._text.unit.get_end(node.start), first)
            self._write_sequence(node.children, frames)
            self._text.insert(self._text.unit.starts[node.stop - 1], last)
            return
        self._text.insert(self._text.unit.get_end(node.start - 1), f" {{{first}")
        self._write_sequence((node,), frames)
        self._text.insert(self._text.get_end(self._text.find_end(node)), f"{last} }}")

    def _write_masked_body(self, node: Node, frames: Frames, first: str, last: str) -> None:
        """Write a body that the threads of a set run, and text at its start and end."""
        is_compound = isinstance(node, Block) and not node.kind
        start = self._text.unit.get_end(node.start if is_compound else node.start - 1)
        self._text.insert(start, f"{first} {{" if is_compound else f" {{{first} {{")
        self._write_sequence(
            node.children if isinstance(node, Block) and is_compound else (node,), frames
        )
        label = f" {frames[-1].label}:;" if frames[-1] in self._regions.left else ""
        if is_compound:
            self._text.insert(self._text.unit.starts[node.stop - 1], f" }}{label}{last}")
        else:
            self._text.insert(self._text.get_end(self._text.find_end(node)), f" }}{label}{last} }}")

    def _write_condition(self, block: Block, frames: Frames) -> None:
        head, then, *others = block.children
        if block not in self._text.division.masked:
            if not block.is_constant and isinstance(head, Statement):
                self._prove(block, head)
            self._write_body(then, frames)
            for other in others:
                self._write_body(other, frames)
            return
        branch = Frame(self._name_set(), "branch", block)
        start, close = block.start, head.start - 1
        before = self._regions.write_operands(self._text.list_operations(head), frames)
        self._text.replace(
            start,
            close + 1,
            f"{{ __kbuild_set__ {branch.name}({frames[-1].name}, false); {before}"
            f"{self._regions.open(frames, [(head.start, head.stop)])} "
            f"{branch.name}.put({THREAD}, static_cast<bool>(",
        )
        self._regions.write_results((head,))
        text = f")); __kbuild_region_end__ {branch.name}.update();"
        rest = Frame(self._name_set(), "branch", block)
        if others:
            text += (
                f" __kbuild_set__ {rest.name}({frames[-1].name}, false); "
                f"{rest.name}.assign_rest({frames[-1].name}, {branch.name});"
            )
        self._text.replace(head.stop, head.stop + 1, f"{text} if ({branch.name}.__size() != 0) {{")
        self._write_masked_body(then, (*frames, branch), "", "")
        end = self._text.find_end(then)
        self._text.insert(self._text.get_end(end), " }")
        for other in others:
            self._text.replace(end, end + 1, f"if ({rest.name}.__size() != 0) {{")
            self._write_masked_body(other, (*frames, rest), "", "")
            self._text.insert(self._text.get_end(self._text.find_end(other)), " }")
        self._text.insert(self._text.get_end(block.stop), " }")

    def _write_steered_loop(self, block: Block, frames: Frames) -> None:
        """Write a loop whose head is the same for all threads."""
        if block in self._text.division.written_out:
            self._write_common_loop(block, frames)
            return
        heads = block.children[-1:] if block.kind == "do" else block.children[: block.heads]
        for head in heads:
            if isinstance(head, Statement) and head.start < head.stop:
                self._prove(block, head)
        body = block.children[0 if block.kind == "do" else block.heads]
        aliases = (
            self._bindings.alias(self._bindings.declared.get(heads[0], []))
            if block.kind == "for" and isinstance(heads[0], Statement)
            else ""
        )
        if block not in self._text.division.masked:
            self._write_body(body, frames, aliases)
            return
        frames, text = self._enter_loop(block, frames)
        self._text.drop_pragmas(block)
        self._text.replace(block.start, block.start + 1, f"{{ {text} {block.kind}")
        first = f"{aliases} {self._begin_turn(frames)}"
        self._write_masked_body(body, frames, first, f" {self._end_turn(frames)}")
        self._text.insert(self._text.get_end(block.stop), " }")

    def _write_common_loop(self, block: Block, frames: Frames) -> None:
        """Write a `for` loop whose condition is the same for all threads, as statements."""
        head, body = read_loop(block), block.children[block.heads]
        condition = head.condition
        self._text.drop_pragmas(block)
        self._prove(block, condition)
        self._write_starts(block, frames, "{")
        opening = self._text.unit.get_end(condition.start - 1)
        is_endless = condition.start == condition.stop
        self._text.insert(opening, f" for (;;) {{ if (!({'true' if is_endless else ''}")
        self._text.insert(self._text.get_end(condition.stop), ")) break;")
        self._text.blank(condition.stop, body.start)
        self._write_body(body, frames)
        self._text.insert(
            self._text.get_end(block.stop), f"{self._write_steps(block, frames)} }} }}"
        )

    def _write_starts(self, block: Block, frames: Frames, before: str) -> None:
        """Write the first part of the head of a loop as statements; its semicolon stays."""
        self._text.replace(block.start, block.start + 2, before)
        starts = [each for each in read_loop(block).starts if each.start < each.stop]
        self._write_nodes(starts, frames)

    def _write_masked_loop(self, block: Block, frames: Frames) -> None:
        """Write a loop whose condition each thread evaluates."""
        outer = frames
        frames, text = self._enter_loop(block, frames)
        run = next(frame for frame in frames if frame.kind == "run" and frame.block is block)
        running = frames[: frames.index(run) + 1]
        self._text.drop_pragmas(block)
        if block.kind == "do":
            self._write_masked_do(block, frames, running, text)
            return
        opening = block.start + 1
        head, body = block.children[0], block.children[block.heads]
        step = ""
        if block.kind == "for":
            head = read_loop(block).condition
            self._write_starts(block, outer, f"{{ {text}")
            opening = head.start - 1  # the first semicolon
            step = self._write_steps(block, running)
        else:
            self._text.replace(block.start, opening + 1, f"{{ {text}")
        test = self._open_test(head, running)
        self._text.insert(self._text.unit.get_end(opening), f" for (;;) {{ {test}")
        if head.start == head.stop:
            self._text.insert(self._text.unit.get_end(opening), "true")
        self._regions.write_results((head,))
        close = self._close_test(run)
        self._text.insert(self._text.get_end(head.stop), close)
        if block.kind == "for":
            self._text.blank(head.stop, body.start)
        else:
            self._text.blank(head.stop, head.stop + 1)
        self._write_masked_body(body, frames, f" {self._begin_turn(frames)}", "")
        self._text.insert(self._text.get_end(block.stop), f"{step} }} }}")

    def _write_range_loop(self, block: Block, frames: Frames) -> None:
        """Write a loop over a range, with a range and iterators for each thread."""
        (declaration, initializer), body = read_range(block), block.children[block.heads]
        if self._text.list_operations(declaration):
            raise CannotDivide("an operation is in the declaration of a loop over a range")
        inner, text = self._enter_loop(block, frames)
        run = next(frame for frame in inner if frame.kind == "run" and frame.block is block)
        running = inner[: inner.index(run) + 1]
        self._text.drop_pragmas(block)
        own = name_range(block)
        before = self._regions.write_operands(self._text.list_operations(initializer), frames)
        value = self._text.render(initializer.start, initializer.stop)
        opened = self._regions.open(frames, [(initializer.start, initializer.stop)])
        # Ranges are made in a loop of their own: g++ 12 with -ftree-loop-distribution reads members
        # of a slot before it writes them, if one loop uses the slot by address and by subscript.
        started = (
            f"{before}{self._bindings.declare_range(block)} {opened} "
            f"::new ({own}.place({THREAD})) typename decltype({own})::__kept(({value})); "
            "__kbuild_region_end__ "
            f"{self._regions.open(frames, [])} {own}.start({THREAD}); __kbuild_region_end__"
        )
        test = (
            f"{self._regions.open(running, [])} "
            f"{run.name}.put({THREAD}, static_cast<bool>("
            f"{own}.begin({THREAD}) != {own}.end({THREAD})"
            f"{self._close_test(run)}"
        )
        begin = f"{self._begin_turn(inner)} {{"
        head = f"{{ {started} {text} for (;;) {{ {test} {{{begin}"
        self._text.replace(block.start, declaration.start, head)
        is_compound = isinstance(body, Block) and not body.kind
        nodes = body.children if isinstance(body, Block) and is_compound else (body,)
        self._text.blank(declaration.stop, body.start + is_compound)
        self._write_sequence((declaration, *nodes), inner)
        label = f" {inner[-1].label}:;" if inner[-1] in self._regions.left else ""
        if is_compound:
            self._text.insert(self._text.unit.starts[body.stop - 1], f" }}{label}")
        else:
            self._text.insert(self._text.get_end(self._text.find_end(body)), f" }}{label} }}")
        step = f"{self._regions.open(running, [])} static_cast<void>(++{own}.begin({THREAD}));"
        end = f" {step} __kbuild_region_end__ }} }}"
        self._text.insert(self._text.get_end(block.stop), end)

    def _write_steps(self, block: Block, frames: Frames) -> str:
        """Return the last part of the head of a loop as statements."""
        step = read_loop(block).step
        if self._text.list_operations(step):
            raise CannotDivide("an operation is in the last part of the head of a loop")
        steps = list_steps(self._text.unit, step, self._text.division.uses)
        return "".join(self._write_step(each, frames, is_part=len(steps) > 1) for each in steps)

    def _write_step(self, step: Statement, frames: Frames, *, is_part: bool) -> str:
        if step.start == step.stop:
            return ""
        unit, division = self._text.unit, self._text.division
        target = find_target(unit, step)
        changed = None if target is None else division.uses.resolve(target)
        if changed is not None and division.kinds[changed] == "uniform":
            code = self._text.render(step.start, step.stop, is_plain=True)
            return f" {self._bindings.prove(find_value(unit, step))}{code};"
        code = self._text.render(step.start, step.stop)
        opened = self._regions.open(frames, [(step.start, step.stop)])
        proof = ""
        if is_part and changed is not None:
            proof = f"static_assert({REGIONS}is_built_in<decltype({changed.name})>); "
        return f" {opened} {proof}{code}; __kbuild_region_end__"

    def _write_masked_do(self, block: Block, frames: Frames, running: Frames, text: str) -> None:
        body, head = block.children
        self._text.replace(block.start, block.start + 1, f"{{ {text} for (;;) {{")
        self._write_masked_body(body, frames, f" {self._begin_turn(frames)}", "")
        self._text.replace(head.start - 2, head.start, self._open_test(head, running))
        self._regions.write_results((head,))
        self._text.replace(head.stop, head.stop + 1, self._close_test(running[-1]))
        self._text.insert(self._text.get_end(block.stop), " } }")

    def _open_test(self, head: Node, running: Frames) -> str:
        before = self._regions.write_operands(self._text.list_operations(head), running)
        bound = self._regions.open(running, [(head.start, head.stop)])
        # Compilers vectorize stores without a condition.
        return f"{before}{bound} {running[-1].name}.put({THREAD}, static_cast<bool>("

    def _close_test(self, run: Frame) -> str:
        return (
            f")); __kbuild_region_end__ {run.name}.update(); if ({run.name}.__size() == 0) break;"
        )

    def _enter_loop(self, block: Block, frames: Frames) -> tuple[Frames, str]:
        run = Frame(self._name_set(), "run", block)
        text = f"__kbuild_set__ {run.name}({frames[-1].name}, true);"
        continues = any(
            leave.keyword == "continue" and leave.loop is block
            for leave in self._text.division.leaves.values()
        )
        if not continues:
            return (*frames, run), text
        return (*frames, run, Frame(self._name_set(), "turn", block)), text

    def _begin_turn(self, frames: Frames) -> str:
        if frames[-1].kind != "turn":
            return ""
        return f"__kbuild_set__ {frames[-1].name}({frames[-2].name}, true);"

    def _end_turn(self, frames: Frames) -> str:
        run = next(frame for frame in reversed(frames) if frame.kind == "run")
        return f"if ({run.name}.__size() == 0) break;"

    def _name_set(self) -> str:
        self._sets += 1
        return f"__kbuild_set{self._sets}__"
