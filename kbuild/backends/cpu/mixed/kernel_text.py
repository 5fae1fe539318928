"""Put the body of every kernel into a loop over the threads of a block.

The definitions of the words are in ``native/device/cpu/mixed/kernel_text.h``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import (
    CONSTANTS,
    INDEX,
    INDICES,
    ThreadWords,
    find_thread_words,
)
from kbuild.backends.cpu.mixed.division import Divider, TextFacts, check_edits
from kbuild.backends.cpu.mixed.failures import count_chances, list_failures
from kbuild.backends.cpu.mixed.launch_bounds import LaunchBounds, find_launch_bounds
from kbuild.backends.cpu.mixed.mentions import (
    can_replace,
    list_own_names,
    list_words,
)
from kbuild.backends.cpu.mixed.parameters import NUMBERS, rebind_objects
from kbuild.backends.cpu.mixed.regions.model import CannotDivide
from kbuild.backends.cpu.mixed.waits.functions import find_waiting
from kbuild.backends.cpu.mixed.waits.loops import LoopMarks
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

# The constants of a launch, and their names in a plain loop.
_CONSTANTS: Final = dict(
    zip(CONSTANTS, ("__kbuild_block__", "__kbuild_size__", "__kbuild_grid__"), strict=True)
)
_UNSIGNED: Final = ("u", "auto", "size_t")  # how the types start
# The execution models, and why a kernel with barriers has fibers.
_PLAIN: Final = "plain loop"
_REGIONS: Final = "regions"
_FIBERS: Final = "fibers"
# Memory that ends with the frame of a function, which each thread must have for itself.
_ALLOCA: Final = frozenset(("alloca", "__builtin_alloca", "__builtin_alloca_with_align"))
_WITHOUT_OPTIMIZATION: Final = "not optimized, or KBUILD_CPU_SPLIT=off"
_WITH_CHECKS: Final = "instrumented for checks"
_FIRST_OF_ROW: Final = "__kbuild_block__.x * __kbuild_width__"
_WAITS: Final = "a function that it calls waits"
_OBJECTS: Final = "a parameter has a copy constructor or a destructor of its own"


@dataclass(frozen=True, slots=True)
class Split:
    """How kernels are divided into regions.

    Attributes:
        others: The edits of the text that have nothing to do with kernels.
        failures: What the compiler said about earlier texts. If it names a kernel once, each of its
            threads keeps all variables; if it does so twice, it is not divided. If it names none
            that was divided, no kernel is.
        marks: The marks of loops, by their indices.
    """

    others: tuple[Edit, ...] = ()
    failures: tuple[str, ...] = ()
    marks: Mapping[int, LoopMarks] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KernelEdits:
    """The edits of a text for its kernels.

    Attributes:
        edits: The edits.
        divided: The starts of the kernels that are divided into regions.
        obstacles: Why others with barriers are not, by their starts.
        marks: The marks of divided loops, by their indices.
    """

    edits: tuple[Edit, ...]
    divided: frozenset[int]
    obstacles: Mapping[int, str]
    marks: Mapping[int, LoopMarks]


def find_unmarked(
    code: Unit,
    declarations: tuple[Declaration, ...],
    marks: Mapping[int, LoopMarks],
    words: ThreadWords,
    findings: Iterable[tuple[str, int]],
) -> Mapping[int, tuple[int, ...]]:
    """Return the marks that kernels do without, by the numbers of their definitions.

    A mark matters only to a kernel that calls an atomic function or a fence. If a kernel names
    none, the object says whether it calls one all the same.
    """
    needed = {number for kind, number in findings if kind == "marks"}
    found: dict[int, tuple[int, ...]] = {}
    for number, kernel in enumerate(_list_kernels(declarations)):
        first, last = map(code.find_index, kernel.body or (0, 0))
        own = tuple(i for i in marks if first <= i < last and not marks[i].waits)
        if own and number not in needed and words.yielding.isdisjoint(code.words[first:last]):
            found[number] = own
    return found


def _list_kernels(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    return tuple(
        found
        for found in declarations
        if found.kind == "function"
        and q.GLOBAL in found.words
        and found.body is not None
        and not _returns_value(found)
    )


def edit_kernels(  # noqa: PLR0913 - the facts about a text
    code: Unit,
    declarations: tuple[Declaration, ...],
    *,
    split: Split | None,
    unmarked: Iterable[int] = (),
    findings: Iterable[tuple[str, int]] = (),
    is_checked: bool = False,
) -> KernelEdits:
    """Return the edits for all definitions of kernels.

    Args:
        code: The preprocessed text.
        declarations: What the user marked.
        split: How kernels with barriers are divided into regions; None if they are not.
        unmarked: The numbers of kernels without the marks of their loops.
        findings: What the objects of earlier texts said.
        is_checked: Whether kernels are instrumented: the compiler must see one thread only.
    """
    return _Editor(code, declarations, split, (frozenset(unmarked), findings), is_checked).edit()


class _Editor:
    """Chooses the execution model of each kernel, and edits its text."""

    def __init__(
        self,
        code: Unit,
        declarations: tuple[Declaration, ...],
        split: Split | None,
        known: tuple[frozenset[int], Iterable[tuple[str, int]]],
        is_checked: bool,
    ) -> None:
        self._code = code
        self._declarations = declarations
        self._split = split
        self._is_checked = is_checked
        self._kernels = _list_kernels(declarations)
        starts = [kernel.start for kernel in self._kernels]
        self._unmarked, findings = known[0], tuple(known[1])
        self._waits = frozenset(starts[number] for kind, number in findings if kind == "waits")
        self._indexed = frozenset(starts[number] for kind, number in findings if kind == "index")
        self._objects = frozenset(starts[number] for kind, number in findings if kind == "objects")
        words = find_thread_words(code)
        self._waiting = find_waiting(code, declarations, words)
        self._words = words
        self._bounds = find_launch_bounds(code, declarations)
        self._divider = None
        if split is not None:
            dividable = [found for found in declarations if found.start in self._waiting.words]
            facts = TextFacts(
                code=code,
                declarations=declarations,
                waiting=self._waiting,
                indexed=self._indexed,
                words=words,
                failures=list_failures(code, dividable, split.failures),
                chances=count_chances(len(split.failures)),
                others=split.others,
                marks=split.marks,
                is_checked=is_checked,
            )
            self._divider = Divider(facts)

    def edit(self) -> KernelEdits:
        edits: list[Edit] = []
        divided: set[int] = set()
        obstacles: dict[int, str] = {}
        for number, kernel in enumerate(self._kernels):
            obstacle = self._find_obstacle(kernel)
            has_words = kernel.start in self._waiting.words
            if self._divider is not None and has_words and not obstacle:
                try:
                    edits += self._divide(kernel, number)
                    divided.add(kernel.start)
                    continue
                except CannotDivide as error:
                    obstacle = str(error)
            elif has_words and not obstacle:
                obstacle = _WITHOUT_OPTIMIZATION
            if self._is_checked:
                obstacle = _WITH_CHECKS
            if obstacle:
                obstacles[kernel.start] = obstacle
            edits += self._edit_threads(kernel, number, obstacle)
        marks: Mapping[int, LoopMarks] = {}
        if self._divider is not None:
            edits += self._divider.write_functions()
            marks = self._divider.marks
        return KernelEdits(tuple(edits), frozenset(divided), obstacles, marks)

    def _find_obstacle(self, kernel: Declaration) -> str:
        """Return why a kernel has fibers; empty if that is not known yet."""
        if kernel.start in self._waits:
            return _WAITS
        first, last = map(self._code.find_index, kernel.body or (0, 0))
        words = self._code.words[first:last]
        if "<<<" in words:
            return "it launches kernels"
        if not _ALLOCA.isdisjoint(words):
            return "it calls alloca"
        return ""

    def _describe(self, number: int, *, stores: bool) -> int:
        """Return what the review of the object must know about a kernel."""
        return 4 * number + 2 * (number in self._unmarked) + stores

    def _divide(self, kernel: Declaration, number: int) -> Iterator[Edit]:
        """Yield the edits of a kernel that is divided into regions.

        Raises:
            CannotDivide: It cannot be divided.
        """
        bound = self._bounds.get(kernel.start, LaunchBounds())
        names = list_own_names(self._code, kernel.body or (0, 0))
        reviewed = self._describe(number, stores=kernel.start in self._indexed)
        if kernel.start in self._objects:
            raise CannotDivide(_OBJECTS)
        objects = rebind_objects(
            *(self._code.text, kernel, number), have_functions=False, are_captured=True
        )
        before = " ".join((*objects.before, *_describe_kernel(bound, _REGIONS, names, reviewed)))
        most = "__kbuild_bounds__[0]" if bound.block else "0"
        prologue = "".join((f"{before} __kbuild_divided__({most})", *objects.inside))
        named = tuple(_name_functions(names))
        if self._divider is not None:
            divided = self._divider.divide_kernel(kernel, prologue)
            check_edits(divided, [(each.start, each.end) for each in named])
            yield from divided
        yield from named

    def _edit_threads(self, kernel: Declaration, number: int, obstacle: str) -> Iterator[Edit]:
        """Yield the edits that let a body run for one thread after another.

        Args:
            kernel: The kernel.
            number: The number of its definition.
            obstacle: Why it has fibers; empty if it has a loop.
        """
        if kernel.body is None:
            return
        code, (start, end) = self._code, kernel.body
        parameters = {token.text for token in code.list_tokens(*kernel.parameters)}
        mentions = list_words(code, INDICES, kernel.body)
        fixed = {word.text for word in mentions if not can_replace(code, word)} | parameters
        used = {word.text for word in mentions} - fixed
        names = list_own_names(code, kernel.body)
        bound = self._bounds.get(kernel.start, LaunchBounds())
        stores = INDEX in fixed or kernel.start in self._indexed
        reviewed = None if obstacle else self._describe(number, stores=stores)
        execution = f"{_FIBERS}: {obstacle}" if obstacle else _PLAIN
        words = [*_describe_kernel(bound, execution, names, reviewed)]
        if obstacle:
            words += [f"__kbuild_{name}__(::{name})" for name in _CONSTANTS if name in used]
            kind = "suspendable_of_variable" if INDEX in fixed else "suspendable"
            if not _ALLOCA.isdisjoint(code.words[slice(*map(code.find_index, kernel.body))]):
                kind += "_with_frame"
            words.append(f"__kbuild_{kind}__")
            inside, after = "", "__kbuild_suspendable_end__"
        else:
            words.append("__kbuild_plain_loop__")
            constants = [
                f"__kbuild_{name}__({value})" for name, value in _CONSTANTS.items() if name in used
            ]
            if stores:
                constants.append("__kbuild_store__")
            if INDEX not in fixed:
                constants.append("__kbuild_threadIdx__")
            inside = "".join(f" {word}" for word in constants)
            after = f"__kbuild_plain_loop_end__({_choose_index(code, mentions, stores=stores)})"
        objects = rebind_objects(
            *(code.text, kernel, number), have_functions=kernel.start in self._objects
        )
        prologue = " ".join((*objects.before, *words))
        is_apart = code.text[start + 1].isspace() or code.text[start + 1] == "}"
        space = "" if is_apart else " "  # a word can follow the brace
        yield Edit(
            start=start,
            end=start + 1,
            text=f"{{ {prologue} {{{inside}{''.join(objects.inside)}{space}",
        )
        yield from _name_functions(names)
        yield Edit(start=end - 1, end=end, text=f"{''.join(objects.after)}}} {after} }}")


def _describe_kernel(
    bound: LaunchBounds, execution: str, names: list[Token], reviewed: int | None = None
) -> Iterator[str]:
    """Yield what is at the start of the body of each kernel."""
    yield f'__kbuild_executed__("{execution}")'
    if reviewed is not None:
        yield f"__kbuild_reviewed__({reviewed})"
    if bound.block:
        yield f"__kbuild_bounded__({bound.block})"
    if bound.cluster:
        yield f"__kbuild_clustered__({bound.cluster})"
    if names:
        yield "__kbuild_name__"


def _name_functions(names: list[Token]) -> Iterator[Edit]:
    """Replace the names of the function, which would be that of a lambda."""
    for name in names:
        kind = "pretty_function" if "PRETTY" in name.text else "func"
        yield Edit(start=name.start, end=name.end, text=f"__kbuild_{kind}__")


def _returns_value(kernel: Declaration) -> bool:
    """Return whether the kernel is a mistake that the reader of the object reports."""
    words = {token.text for token in kernel.head}
    return "void" not in words and not words.isdisjoint(NUMBERS)


def _choose_index(code: Unit, mentions: list[Token], *, stores: bool) -> str:
    """Return the type of the loop's variable, and its value for the first thread of a row.

    This is only a hint for the compiler. If the kernel computes the index of a thread in the grid,
    or leaves that to a function (``stores``), that index is the variable. Then gcc can split the
    loop at a comparison with it, such as ``if (i < n)``. Otherwise, it needs masked stores, which
    are slow on some processors.
    """
    indices = [word for word in mentions if word.text == INDEX]
    for word in indices:
        index = code.find_index(word.start)
        end = code.find_declaration_end(index, ";") or index
        statement = code.list_between(code.find_head(index), end)
        words = [token.text for token in statement if token.text != "const"]
        if "blockDim" in words:
            kind = "unsigned" if words[0].startswith(_UNSIGNED) else "int"
            return f"{kind}, {_FIRST_OF_ROW}"
    return f"int, {_FIRST_OF_ROW}" if stores and not indices else "unsigned, 0"
