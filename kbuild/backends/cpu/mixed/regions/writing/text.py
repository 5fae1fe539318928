"""The edits of a divided kernel or function, parts of its text on one line, and sets of threads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from kbuild.backends.cpu.mixed.regions.calls import list_arguments
from kbuild.backends.cpu.mixed.regions.grammar.contexts import find_base
from kbuild.backends.cpu.mixed.regions.grammar.order import can_make_objects, opens_objects
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.writing.casts import (
    REGIONS,
    list_casts,
    list_kept_indices,
)
from kbuild.cxx.model import Edit
from kbuild.cxx.places import find_angle
from kbuild.cxx.statements import Block, Node, Statement, list_blocks
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

THREAD: Final = "__kbuild_t__"  # the number of the thread
FRAME: Final = "__kbuild_frame__"  # the parameters and results of a divided function
LIVE: Final = "__kbuild_live__"  # the set of the threads that have not exited
ENTERED: Final = "__kbuild_entered__"  # the set of those that are in a device function
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """A set of threads: those that live, or are in a device function, or have entered a block.

    ``run`` are the threads that are in a loop, and ``turn`` those that are in this turn of it.
    """

    name: str
    kind: Literal["live", "branch", "run", "turn"]
    block: Block | None = None

    @property
    def label(self) -> str:
        """The label behind what the threads of the set do."""
        return f"__kbuild_end_of_{self.name.strip('_')}__"


Frames: TypeAlias = tuple[Frame, ...]


def list_left(frames: Frames, keyword: str, loop: Block | None) -> list[str]:
    """Return the sets that a thread leaves with a statement such as ``break``."""
    if keyword == "return":
        return [frame.name for frame in frames]
    run = next(i for i, f in enumerate(frames) if f.kind == "run" and f.block is loop)
    first = run if keyword == "break" else run + 1
    return [frame.name for frame in frames[first:]]


class Text:
    """The text of a divided kernel. Positions are indices of tokens, unless they are named so.

    Attributes:
        unit: The text.
        division: How the kernel is divided.
        edits: The edits.
    """

    def __init__(self, unit: Unit, division: Division) -> None:
        """Start without edits."""
        self.unit = unit
        self.division = division
        self.edits: list[Edit] = []
        self._casts = dict((*list_casts(unit, division), *list_kept_indices(unit, division)))
        # What is behind the commas that become semicolons, and the types behind that.
        divided = [
            child
            for block in list_blocks(division.kernel.body)
            if not block.kind or block in division.divided
            for child in block.children
            if isinstance(child, Statement) and child.base is not None
        ]
        self._behind: dict[int, list[str]] = {unit.get_end(s.start - 1): [] for s in divided}
        self._types = {
            unit.get_end(s.start - 1): " ".join(unit.words[slice(*s.base)])
            for s in divided
            if s.base is not None
        }

    def finish(self) -> tuple[Edit, ...]:
        """Return the edits."""
        commas = (
            Edit(start=end - 1, end=end, text=f";{''.join(texts)} {self._types[end]} ")
            for end, texts in self._behind.items()
        )
        return (*self.edits, *commas)

    def drop_type(self, statement: Statement) -> None:
        """Leave out the type of a declarator behind the first one of a declaration."""
        if statement.base is not None:
            self._types[self.unit.get_end(statement.start - 1)] = ""

    def insert(self, position: int, text: str) -> None:
        """Insert text at a position of the text."""
        if text and position in self._behind:
            self._behind[position].append(text)
        elif text:
            self.edits.append(Edit(start=position, end=position, text=text))

    def write_casts(self, spans: Iterable[Span], replaced: Iterable[Span]) -> None:
        """Let the generated code check what uses of variables take for granted.

        Args:
            spans: The tokens of a region.
            replaced: Those of its parts that other edits replace.
        """
        replaced = list(replaced)
        for first, last in spans:
            for index in range(first, last):
                if index in self._casts and not is_in((index, index + 1), replaced):
                    self.replace(index, index + 1, self._casts[index])

    def list_checked(self, first: int, last: int) -> Iterator[Span]:
        """Yield the tokens that checks between two indices name."""
        for index in self._casts.keys() & {*range(first, last)}:
            use = self.division.uses.read(index)
            yield from (*use.operands, *use.bases, *(use.call.arguments if use.call else ()))

    def replace(self, first: int, stop: int, text: str) -> None:
        """Replace tokens; lines keep their numbers."""
        start, end = self.unit.starts[first], self.get_end(stop)
        old = self.unit.text[start:end]
        if "\n#" in old:
            raise CannotDivide("a statement around a barrier continues in another file")
        self.edits.append(Edit(start=start, end=end, text=text + "\n" * old.count("\n")))

    def blank(self, first: int, stop: int) -> None:
        """Drop tokens."""
        for index in range(first, stop):
            self.replace(index, index + 1, "")

    def get_end(self, stop: int) -> int:
        """Return the position after the token before an index."""
        return self.unit.get_end(stop - 1)

    def find_end(self, node: Node) -> int:
        """Return the index after a node and the semicolon behind it, or what becomes one."""
        is_divided = node.stop < len(self.unit.words) and (
            self.unit.get_end(node.stop) in self._behind
        )
        is_followed = is_divided or self.unit.get(node.stop) == ";"
        return node.stop + (isinstance(node, Statement) and is_followed)

    def render(
        self,
        first: int,
        last: int,
        replaced: dict[int, str] | None = None,
        *,
        is_call: bool = False,
        is_plain: bool = False,
    ) -> str:
        """Return tokens on one line, with the results of operations in the place of their calls.

        What a plain expression takes for granted is checked in front of it; see `Bindings.prove`.
        """
        replaced = replaced or {}
        operations = self.division.operations
        parts: list[str] = []
        index = first
        while index < last:
            if parts and self.unit.starts[index] != self.unit.get_end(index - 1):
                parts.append(" ")
            operation = operations.get(index)
            if operation is not None and operation.has_value and not (is_call and index == first):
                parts.append(self.render_result(operation))
                index = operation.value[1]
                continue
            word = self.unit.words[index]
            word = word if is_plain else self._casts.get(index, word)
            parts.append(replaced.get(index, word))
            index += 1
        return "".join(parts)

    def render_result(self, operation: Operation) -> str:
        """Return the start of the call that returns the result of an operation."""
        if operation.callee is not None:
            return f"{name_frame(operation)}.get({THREAD}"
        operands = f"__kbuild_o{operation.slot}__"
        kind = self.render_type(operation)
        return f"{name_class(operation)}::template get<{kind}>({operands}, {THREAD}"

    def render_callee(self, operation: Operation) -> str:
        """Return the name of the function that stands for a divided one, with its arguments."""
        callee = operation.callee or operation.index
        start, _ = operation.value
        renamed = {callee: name_split(operation.name)}
        return self.render(operation.index, start - 1, renamed, is_call=True)

    def render_entry(self, operation: Operation) -> str:
        """Return the call that returns what a thread brings to a function of an object."""
        callee, (start, opening) = operation.callee or 0, operation.constructor or (0, 0)
        arguments = [self._render_passed(each) for each in operation.arguments]
        passed = f".{operation.name}({', '.join(arguments)})"
        if start == opening:
            return f"{REGIONS}primitive_of({self.render(start, callee - 1, is_call=True)}){passed}"
        kind = self.render(start, opening, is_call=True)
        return f"{REGIONS}primitive<{kind}>{self.render(opening, callee - 1)}{passed}"

    def _render_passed(self, argument: Span) -> str:
        value = self.render(*argument)
        return f"{REGIONS}pass_value({value})" if can_make_objects(self.unit, argument) else value

    def render_calls(self, first: int, last: int) -> str:
        """Return a check that the calls in an expression make no objects with a destructor.

        A number that a function gets cannot become an object there, because its type becomes one
        already, and C++ converts by one function at most ([over.best.ics.general]).
        """
        unit, before, behind = self.unit, defaultdict[int, str](str), defaultdict[int, str](str)
        inner = [o for o in self.division.operations.values() if first <= o.index < last]
        for opening in range(first, last):
            if any(each.index <= opening <= each.close for each in inner):
                continue  # its arguments are checked on their own
            is_angle = unit.words[opening - 1] == ">"
            name = find_angle(unit, opening - 1) if is_angle else opening
            if name is None or not opens_objects(unit, opening):
                continue
            callee = find_base(unit, name, first)
            if callee is None:
                raise CannotDivide("an argument can make objects with a destructor")
            before[callee[0]] += f"{REGIONS}undestroyed("
            behind[unit.partners[opening]] += ")"
            for start, stop in list_arguments(unit, opening):
                before[start] += f"{REGIONS}passed("
                behind[stop - 1] += ")"
        words = (f"{before[i]}{unit.words[i]}{behind[i]}" for i in range(first, last))
        return f"static_assert({REGIONS}is_undestroyed<decltype(({' '.join(words)}))>);"

    def render_type(self, operation: Operation) -> str:
        """Return the type of the result of an operation."""
        if not operation.is_warp_wide:
            return "int"
        return f"decltype({self.render(operation.index, operation.close + 1, is_call=True)})"

    def list_operations(self, node: Node) -> list[Operation]:
        """Return the operations in a node, inner ones first."""
        stop = self.find_end(node)
        found = self.division.operations
        inside = (found[index] for index in sorted(found) if node.start <= index < stop)
        return sorted(inside, key=lambda operation: operation.close)

    def drop_pragmas(self, block: Block) -> None:
        """Drop pragmas in front of a loop that becomes something else."""
        start, end = self.unit.get_end(block.start - 1), self.unit.starts[block.start]
        for directive in self.unit.directives:
            is_before = start <= directive.start < end
            if is_before and directive.text.lstrip("# \t").startswith("pragma"):
                # Another edit can replace it by a pragma of the compiler.
                self.edits.append(Edit(start=directive.start, end=directive.start, text="//"))


def name_class(operation: Operation) -> str:
    """Return the name of the class that implements an operation."""
    owner = f"{operation.owner}::__operations::" if operation.owner else REGIONS
    name = f"{owner}{operation.name}"
    return f"{REGIONS}masked<{name}>" if operation.has_own_masks else name


def name_split(name: str) -> str:
    """Return the name of the functions that stand for a divided one."""
    return f"{name}__kbuild_split"


def name_parameter(name: str) -> str:
    """Return the name of a parameter's array in a frame."""
    return f"{name}__kbuild_p"


def name_frame(operation: Operation) -> str:
    """Return the name of the parameters and results of a call of a divided function."""
    return f"__kbuild_c{operation.slot}__"


def name_range(block: Block) -> str:
    """Return the name of the ranges and iterators of a loop over a range."""
    return f"__kbuild_r{block.start}__"


def is_in(span: Span, spans: Iterable[Span]) -> bool:
    """Return whether a span is inside one of others."""
    return any(first <= span[0] and span[1] <= last for first, last in spans)
