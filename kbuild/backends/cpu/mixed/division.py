"""Divide kernels with barriers, and the device functions that they call, into regions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDEX, INDICES, ThreadWords
from kbuild.backends.cpu.mixed.mentions import (
    can_replace,
    is_captured,
    list_own_names,
    list_words,
)
from kbuild.backends.cpu.mixed.regions.analyze import analyze
from kbuild.backends.cpu.mixed.regions.calls import Functions
from kbuild.backends.cpu.mixed.regions.forms import split_declarations
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.groups import GROUP_FUNCTIONS, MAKERS, find_group_name
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, KernelBody
from kbuild.backends.cpu.mixed.regions.operations import Names, find_operations
from kbuild.backends.cpu.mixed.regions.plan import Division
from kbuild.backends.cpu.mixed.regions.variables import (
    Variable,
    is_number,
    list_values,
    read_parameters,
)
from kbuild.backends.cpu.mixed.regions.writing.function import check_signature, write_split
from kbuild.backends.cpu.mixed.regions.writing.write import write_function, write_kernel
from kbuild.backends.cpu.mixed.waits.functions import Waiting
from kbuild.backends.cpu.mixed.waits.loops import LoopMarks
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Edit
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import Block, Statement, divide_body
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass, replace

WRONG_GUESS: Final = "its regions do not compile"


# Functions of the C library and of CUDA that have no overloads, and how many values they take.
_MATH_FUNCTIONS: Final = {
    **dict.fromkeys(
        (
            *("expf", "exp2f", "exp10f", "expm1f", "logf", "log2f", "log10f", "log1pf"),
            *("sqrtf", "rsqrtf", "cbrtf", "fabsf", "floorf", "ceilf", "truncf", "roundf", "rintf"),
            *("sinf", "cosf", "tanf", "asinf", "acosf", "atanf", "sinhf", "coshf", "tanhf"),
            *("erff", "erfcf", "__expf", "__logf", "__sinf", "__cosf"),
        ),
        1,
    ),
    **dict.fromkeys(
        (
            *("fmaxf", "fminf", "powf", "fmodf", "atan2f", "fdimf", "hypotf", "copysignf"),
            *("__powf", "__fdividef"),
        ),
        2,
    ),
    "fmaf": 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFacts:
    """What a text says about the threads of its kernels.

    Attributes:
        code: The text.
        declarations: What the user marked.
        waiting: The functions that name operations.
        indexed: The starts of kernels whose threads store their index, because a function that they
            call reads it.
        words: The annotated names.
        failures: What the compiler said about functions after they were divided, by their starts.
            After the first time, each thread keeps all variables; after another one, the function
            is not divided.
        chances: How many failures of a function still let it be divided.
        others: The edits of the text that have nothing to do with kernels.
        marks: The marks of loops, by their indices.
        is_checked: Whether the kernels are instrumented for checks.
    """

    code: Unit
    declarations: tuple[Declaration, ...]
    waiting: Waiting
    indexed: frozenset[int]
    words: ThreadWords
    failures: Mapping[int, tuple[str, ...]]
    chances: int
    others: tuple[Edit, ...]
    marks: Mapping[int, LoopMarks]
    is_checked: bool = False


@dataclass(frozen=True, slots=True)
class _DividedFunction:
    """A divided function: its declaration, its edits, and the divided functions that it calls."""

    found: Declaration
    edits: tuple[Edit, ...]
    is_warp_wide: bool
    meets_own_lanes: bool
    callees: frozenset[str]


class Divider:
    """Divides the kernels of a text, and the device functions that they call.

    Attributes:
        marks: The marks of the divided loops of kernels, by their indices.
    """

    def __init__(self, facts: TextFacts) -> None:
        """Find the device functions with operations."""
        self._facts = facts
        self.marks: dict[int, LoopMarks] = {}
        self._code = facts.code
        marks = (edit for loop in facts.marks.values() for edit in loop.edits)
        self._edited = sorted((each.start, each.end) for each in (*facts.others, *marks))
        self._definitions = facts.waiting.functions
        self._by_value = dict(self._find_by_value())
        self._indexed = self._find_indexed()
        self._divided: dict[str, tuple[_DividedFunction, ...]] = {}
        self._obstacles: dict[str, str] = {}
        self._called: set[str] = set()

    def _find_by_value(self) -> Iterator[tuple[str, tuple[bool, ...]]]:
        """Yield functions that probably are not overloaded, and which parameters are values."""
        found: dict[str, set[tuple[bool, ...]]] = {}
        for each in self._facts.declarations:
            if each.kind == "function":
                is_known = not each.template and each.scope in ("", "namespace")
                tokens = self._code.list_tokens(*each.parameters) if is_known else []
                found.setdefault(each.name, set()).add(tuple(list_values(self._code, tokens)))
        for name, count in _MATH_FUNCTIONS.items():
            found.setdefault(name, {(True,) * count})
        for name, kinds in found.items():
            if len(kinds) == 1:
                yield name, kinds.pop()

    def _find_indexed(self) -> set[int]:
        """Return the starts of the kernels that store the index, and of functions they call."""
        found = set(self._facts.indexed)
        pending = list(found)
        while pending:
            words = self._facts.waiting.words.get(pending.pop(), ())
            called = {each.start for w in words for each in self._definitions.get(w.text, ())}
            pending += called - found
            found |= called
        return found

    def divide_kernel(self, kernel: Declaration, prologue: str) -> tuple[Edit, ...]:
        """Return the edits of a kernel that is divided into regions.

        Args:
            kernel: The kernel.
            prologue: The start of its body.

        Raises:
            CannotDivide: It cannot be divided.
        """
        division, called = self._analyze(kernel, is_function=False)
        edits = write_kernel(self._code, division, prologue)
        check_edits(edits, self._edited)
        self._add_called(called)
        self.marks.update(self._find_marks(division))
        return edits

    def _find_marks(self, division: Division) -> Iterator[tuple[int, LoopMarks]]:
        """Yield the marks of divided loops."""
        for block in division.divided:
            marks = self._facts.marks.get(block.start)
            if marks is None:
                continue
            are_shared = all(
                division.kinds[variable] == "uniform"
                for variable in _list_variables_of_head(self._code, division, block)
            )
            yield block.start, replace(marks, edits=marks.shared if are_shared else marks.apart)

    def write_functions(self) -> Iterator[Edit]:
        """Yield the insertions of divided functions, as far as divided kernels call them."""
        for name in sorted(self._called):
            for each in self._divided[name]:
                yield write_split(self._code, each.found, (*self._facts.others, *each.edits))

    def _add_called(self, names: frozenset[str]) -> None:
        for name in self._divided.keys() & names - self._called:
            self._called.add(name)
            for each in self._divided[name]:
                self._add_called(each.callees)

    def _analyze(self, found: Declaration, *, is_function: bool) -> tuple[Division, frozenset[str]]:
        """Return how a kernel or function is divided, and the divided functions that it calls."""
        code = self._code
        failures = self._facts.failures.get(found.start, ())
        if len(failures) > self._facts.chances:
            raise CannotDivide(f"{WRONG_GUESS}{failures[-1]}")
        if found.body is None or "<<<" in code.words[slice(*map(code.find_index, found.body))]:
            raise CannotDivide("it launches kernels")
        if "..." in code.words[slice(*map(code.find_index, found.parameters))]:
            raise CannotDivide("a parameter is a pack")
        mentions = self._facts.waiting.words.get(found.start, ())
        body = split_declarations(code, divide_body(code, code.find_index(found.body[0])))
        parameters = self._read_parameters(found, is_function=is_function)
        names = {word.text for word in mentions}
        functions = self._find_functions(names, found.start)
        known = Names(
            mentions=mentions,
            parameters=parameters,
            thread_words=self._facts.words,
            functions=functions,
        )
        self._check_own(set(code.words[body.start : body.stop]), parameters)
        needs = find_operations(code, body, known)
        constants = list_words(code, INDICES, found.body)
        if not all(can_replace(code, word) for word in constants) or any(
            word.text == INDEX and code.get(code.find_index(word.start) + 1) != "."
            for word in constants
        ):
            raise CannotDivide("it passes threadIdx on")
        groups = (find_group_name(code, each) for each in needs.groups)
        captured = {INDEX, *groups, *(each.name for each in parameters if each.group is not None)}
        for word in list_words(code, captured, found.body):
            if is_captured(code, word):
                raise CannotDivide(f"a lambda can refer to {word.text}")
        division = analyze(
            KernelBody(
                unit=code,
                body=body,
                needs=needs,
                parameters=parameters,
                yielding=self._facts.words.yielding,
                by_value=self._by_value,
                is_function=is_function,
                stores_index=found.start in self._indexed,
                is_optimized=not failures,
                is_checked=self._facts.is_checked,
            )
        )
        if self._facts.is_checked:
            _check_accesses(division)
        operations = needs.operations.values()
        return division, frozenset(o.name for o in operations if o.callee is not None)

    def _check_own(self, words: set[str], parameters: tuple[Variable, ...]) -> None:
        """Raise CannotDivide if a body names a function that can be an operation or another one."""
        has_groups = not MAKERS.isdisjoint(words) or any(p.group is not None for p in parameters)
        known = self._definitions.keys() | set(() if has_groups else GROUP_FUNCTIONS)
        for name in sorted((self._facts.waiting.own & words) - known):
            raise CannotDivide(f"the source has another function '{name}'")

    def _read_parameters(
        self, found: Declaration, *, is_function: bool = True
    ) -> tuple[Variable, ...]:
        span = map(self._code.find_index, found.body or (found.end, found.end))
        tokens = self._code.list_tokens(*found.parameters)
        return tuple(read_parameters(self._code, tokens, *span, is_function=is_function))

    def _find_functions(self, names: set[str], position: int) -> Functions:
        """Return what is known about functions that are mentioned at a position."""
        called = {name for name in names if name in self._definitions}
        for name in called:
            self._divide_name(name)
        late = {
            name: "it is defined later"
            for name in called
            if any(found.start > position for found in self._definitions[name])
        }
        return Functions(
            divided={
                **self._facts.words.divided,
                **{
                    name: all(each.is_warp_wide for each in self._divided[name])
                    for name in called - late.keys()
                    if name in self._divided
                },
            },
            meeting_own_lanes=frozenset(
                name
                for name in called
                if all(each.meets_own_lanes for each in self._divided.get(name, ()))
            ),
            referring={name: self._find_referring(name) for name in called},
            obstacles={**self._obstacles, **late},
        )

    def _find_referring(self, name: str) -> frozenset[int]:
        """Return the places of parameters of functions with a name that are not just numbers."""
        return frozenset(
            place
            for found in self._definitions[name]
            for place, part in enumerate(split_at_commas(self._code.list_tokens(*found.parameters)))
            if not is_number([token.text for token in part])
        )

    def _divide_name(self, name: str) -> None:
        """Divide the functions with a name, or find out why that is not possible."""
        if name in self._divided or name in self._obstacles:
            return
        self._obstacles[name] = "it calls itself"  # as long as this is not known
        try:
            divided = tuple(map(self._divide_function, self._definitions.get(name, ())))
        except CannotDivide as error:
            self._obstacles[name] = str(error)
            return
        del self._obstacles[name]
        self._divided[name] = divided

    def _divide_function(self, found: Declaration) -> _DividedFunction:
        if {scope.kind for scope in find_scopes(self._code).around(found.start)} - {"namespace"}:
            raise CannotDivide("it is a member, or local")
        check_signature(self._code, found)
        if list_own_names(self._code, found.body or (0, 0)):
            raise CannotDivide("it asks for its name")
        division, callees = self._analyze(found, is_function=True)
        edits = write_function(self._code, division)
        check_edits(edits, self._edited)
        marks = {**self._facts.marks, **dict(self._find_marks(division))}
        return _DividedFunction(
            found=found,
            edits=(*edits, *(edit for loop in marks.values() for edit in loop.edits)),
            is_warp_wide=all(each.is_warp_wide for each in division.operations.values()),
            meets_own_lanes=all(
                each.meets_own_lanes or not each.is_warp_wide
                for each in division.operations.values()
            ),
            callees=callees,
        )


def _check_accesses(division: Division) -> None:
    """Raise CannotDivide if checks would see other accesses than those of fibers.

    That is so if something other than barriers orders the accesses of a block, and if an address of
    a variable that all threads keep together can be used.
    """
    if division.kernel.is_function or division.masked or division.groups:
        raise CannotDivide("threads can take different ways")
    for operation in division.operations.values():
        is_plain = not operation.has_value and operation.callee is None and not operation.owner
        if operation.is_warp_wide or not is_plain:
            raise CannotDivide(f"'{operation.name}' is not just a barrier of the block")
    for variable in division.variables:
        uses = division.uses.list_uses(variable)
        has_value = all(use.kind in ("read", "changed") for use in uses)
        has_value = has_value and variable.is_scalar and not variable.is_reference
        if division.kinds[variable] == "kept" and not has_value:
            raise CannotDivide(f"the address of '{variable.name}' can be used")


def _list_variables_of_head(code: Unit, division: Division, block: Block) -> Iterator[Variable]:
    """Yield the variables that the head of a block names."""
    heads = [child for child in block.children if isinstance(child, Statement)]
    heads = heads[-1:] if block.kind == "do" else heads[: block.heads]
    for head in heads:
        for index in list_names(code, head.start, head.stop):
            variable = division.uses.resolve(index)
            if variable is not None:
                yield variable


def check_edits(edits: Iterable[Edit], others: Sequence[tuple[int, int]]) -> None:
    """Raise CannotDivide if other edits are inside of what edits replace, and are lost there.

    Args:
        edits: The edits of a kernel or a function.
        others: Where the others start and end, in order.
    """
    for each in edits:
        for start, end in others[bisect_left(others, (each.start, each.start + 1)) :]:
            if start >= each.end:
                break
            if end <= each.end:
                raise CannotDivide("a part that moves is edited")
