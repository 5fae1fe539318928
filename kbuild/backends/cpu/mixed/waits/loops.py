"""Mark loops in which a thread can wait for memory that another thread of its block changes.

Functions that call themselves are marked, too.

No compiler can tell such a loop, so this is a rule of the text, in doubt for waiting: every loop of
device code that does not surely count to a limit. If the source has volatile memory, a call in the
loop lets other threads run. Otherwise, a mark refers to a symbol, and a kernel waits if its object
reaches both the mark and an atomic function or a fence that can be what a thread waits for.

A loop that seems to end has a mark, too, which the compiler removes if it sees that the operands of
the condition are numbers, and that `atomicCAS` is the one of CUDA. Loops that are divided into
regions have marks of their own; see `LoopMarks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import INDICES
from kbuild.backends.cpu.mixed.inline_ptx.statements import find_ordered
from kbuild.backends.cpu.mixed.mentions import list_own_files
from kbuild.backends.cpu.mixed.regions.declared_names import find_possibly_declared
from kbuild.backends.cpu.mixed.regions.forms import find_target
from kbuild.backends.cpu.mixed.regions.grammar.contexts import Known, read_use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ANGLES,
    ASSIGNMENTS,
    BRACKETS,
    STANDARD_TYPES,
    is_literal,
    is_name,
    list_operands,
)
from kbuild.backends.cpu.mixed.regions.grammar.mentions import KEYWORDS, list_names
from kbuild.backends.cpu.mixed.regions.groups import THIS_BLOCK
from kbuild.backends.cpu.mixed.regions.variables import list_variables
from kbuild.backends.cpu.mixed.waits.counters import Owner
from kbuild.backends.cpu.mixed.waits.recursion import find_recursive, list_calling_lambdas
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Edit, Span
from kbuild.cxx.places import find_first, find_opening
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import (
    Block,
    Node,
    Statement,
    divide_body,
    find_statement,
    list_blocks,
    list_statements,
)
from kbuild.cxx.tokens import join_span
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_LOOPS: Final = ("for", "while", "do")
_ALL: Final = frozenset(_LOOPS)
_VOLATILE: Final = ("volatile", "__volatile__", "add_volatile", "add_volatile_t", "add_cv_t")
_PARTS_OF_FOR: Final = 3
# Not in conditions that a counter surely ends.
_UNLIMITED: Final = frozenset(("(", "[", "*", "->", "|", "?", "&", "!", ",", "{"))
# What is in front of a parenthesis around an operand; others are of calls and conversions.
_BEFORE_OPERAND: Final = frozenset(
    ("<", "<=", ">", ">=", "!=", "==", "=", "+=", "-=", "+", "-", "/", "%", "(", ";")
)
_ENDING: Final = frozenset(("return", "goto"))
_LEFT: Final = frozenset((*_LOOPS, "switch"))  # what `break` leaves
_WAIT: Final = "wait_in_loop"
_MARK: Final = "mark_loop"
_BLOCK: Final = "thread_block"
# An assignment in a condition, and what can be a call.
_UNPROVED: Final = frozenset((*ASSIGNMENTS, ANGLES))
_SCALARS: Final = "::kbuild_cpu::are_scalars"
_RANGE: Final = "::kbuild_cpu::has_pointers"
# Tokens, apart from words, in front of a name that a statement declares.
_DECLARING: Final = ("::", "<", ">", "*", "&")
# Finds kbuild's own function only; see kbuild_cpu/atomics.h.
_UPDATE: Final = (
    "[](auto* __a, auto __b, auto __c) -> decltype(atomicCAS(__a, __b, __b, __c)) { return {}; }"
)
_OWN: Final = ("__", "atomic")  # CUDA's functions take values
_TYPE_ENDS: Final = (">", "*", "&", "&&")
_BEFORE_USE: Final = ("return", "else", "do", "case", "throw", "sizeof")
_CHANGED: Final = re.compile(r"\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=)")
_MOST_STATEMENTS: Final = 2  # of a loop that updates memory by atomicCAS
_CALLED: Final = 4  # tokens up to the arguments: old = atomicCAS (


_Place: TypeAlias = Literal["plain", "shared", "apart"]
_PLACES: Final[tuple[_Place, ...]] = ("plain", "shared", "apart")


@dataclass(frozen=True, slots=True)
class LoopMarks:
    """The edits that mark a loop.

    Attributes:
        edits: The edits.
        shared: Those that it has instead if it is divided into regions, and all threads have one
            object of each variable of its head. Regions see constants then, so that the head alone
            decides. It is in no region, and cannot name the variables of each thread.
        apart: Those that it has if it is divided, and each thread has its own variables.
    """

    edits: tuple[Edit, ...]
    shared: tuple[Edit, ...]
    apart: tuple[Edit, ...]

    @property
    def waits(self) -> bool:
        """Whether each turn of the loop lets other threads run."""
        return any(_WAIT in edit.text for edit in self.edits)


def mark_loops(
    unit: Unit,
    declarations: Iterable[Declaration],
    yielding: frozenset[str],
    barriers: frozenset[int],
    assembly: tuple[Edit, ...] = (),
) -> dict[int, LoopMarks]:
    """Return the marks of the loops of a text in which a thread can wait, by their indices.

    Args:
        unit: The text.
        declarations: What the user marked.
        yielding: The names of atomic functions and fences.
        barriers: The indices of operations in which all threads of a block meet.
        assembly: The edits of inline PTX. What is `volatile` there is no memory.
    """
    own = list_own_files(unit)
    replaced = [(edit.start, edit.end) for edit in assembly]
    volatile = [i for i in unit.find(_VOLATILE) if not _is_in(replaced, unit.starts[i])]
    has_volatile = any(_is_in(own, unit.starts[i]) for i in volatile)
    stops = [*unit.find(yielding), *find_ordered(unit)]
    yields = any(_is_in(own, unit.starts[i]) for i in stops)
    name = _WAIT if has_volatile else _MARK
    text = f"::kbuild_cpu::{name}()"
    users = frozenset(_find_declared(unit, own))
    outside = [*stops, *volatile]
    blocks = tuple(_list_blocks_of_threads(unit))
    seen: set[int] = set()
    marks: dict[int, LoopMarks] = {}
    functions: list[tuple[Declaration, Span]] = []
    for found in declarations:
        if found.body is None or not found.words & {q.DEVICE, q.GLOBAL}:
            continue
        first, last = map(unit.find_index, found.body)
        is_own = (has_volatile or yields) and _is_in(own, found.body[0])
        if is_own or any(first < index < last for index in outside):
            functions.append((found, (first, last)))
    are_virtual = any(_is_in(own, unit.starts[i]) for i in unit.find(("virtual",)))
    recursive = find_recursive(unit, functions, are_virtual=are_virtual)
    for found, (first, last) in functions:
        for function, loop in _list_loops(unit, first, last):
            is_new = loop.start not in seen
            meets = any(loop.start < index < loop.stop for index in barriers)
            is_loop = len(loop.children) > loop.heads and not _has_one_turn(unit, loop)
            if is_new and not meets and is_loop:
                seen.add(loop.start)
                declared = range(unit.find_index(found.start), loop.start)
                known = {unit.words[index] for index in blocks if index in declared}
                block = _find_block_of_threads(unit, loop, known)
                if block:
                    proof = f"<::kbuild_cpu::is_block<decltype(({block}))>>"
                    edits = tuple(_mark(unit, loop, f"::kbuild_cpu::{name}{proof}()"))
                    marks[loop.start] = LoopMarks(edits, edits, edits)
                    continue
                owner = Owner(unit, function, yielding)
                marks[loop.start] = LoopMarks(
                    *(
                        tuple(_mark_loop(owner, loop, f"::kbuild_cpu::{name}", users, place))
                        for place in _PLACES
                    )
                )
        for index, edit in _mark_labels(unit, (first, last), text, seen):
            marks[index] = LoopMarks((edit,), (edit,), (edit,))
        # Nothing calls a kernel.
        is_recursive = first in recursive and q.GLOBAL not in found.words
        bodies = [first] if is_recursive else []
        for brace in {*bodies, *list_calling_lambdas(unit, first, last)}:
            place = unit.get_end(brace)
            edit = Edit(start=place, end=place, text=f" {text};")
            marks[brace] = LoopMarks((edit,), (edit,), (edit,))
    return marks


def _has_one_turn(unit: Unit, loop: Block) -> bool:
    """Return whether a loop is ``do ... while (0)``, which makes one statement of a macro."""
    condition = loop.children[-1]
    words = unit.words[condition.start : condition.stop]
    return loop.kind == "do" and words in (["0"], ["false"])


def _list_blocks_of_threads(unit: Unit) -> Iterator[int]:
    """Yield the indices of names that declarations of variables for the block seem to declare."""
    for index in unit.find((_BLOCK,)):
        name = index + 1
        while unit.get(name) in ("const", "&"):
            name += 1
        if is_name(unit.get(name)):
            yield name
    for index in unit.find((THIS_BLOCK,)):
        first = find_first(unit, index)
        if unit.get(first - 1) == "=" and is_name(unit.get(first - 2)):
            yield first - 2


def _find_block_of_threads(unit: Unit, loop: Block, blocks: set[str]) -> str:
    """Return a variable from outside of a loop with whose barrier all threads meet in it."""
    inside = {
        unit.words[index]
        for index in range(loop.start, loop.stop)
        if unit.get(index - 1) in (_BLOCK, "&", "auto", "const")
    }
    for index in range(loop.start, loop.stop):
        if unit.words[index] != "sync" or unit.get(index + 1) != "(":
            continue
        is_member = unit.get(index - 1) == "." and unit.get(index - 3) not in (".", "->", "::")
        name = unit.get(index - 2) if is_member else unit.get(index + 2)
        if name in blocks - inside and (is_member or unit.get(index + 3) == ")"):
            return name
    return ""


def _mark_loop(
    owner: Owner, loop: Block, name: str, users: frozenset[str], place: _Place
) -> Iterator[Edit]:
    unit = owner.unit
    if loop.kind == "for" and loop.heads != _PARTS_OF_FOR:
        proof = _find_proof_of_range(unit, loop)
        return iter(()) if proof is None else _mark(unit, loop, f"{name}{proof}()")
    proof, region = _find_proof(owner, loop, users, place)
    if not proof:
        return _mark(unit, loop, f"{name}()")
    if region is not None:
        return iter((Edit(start=region, end=region, text=f"{name}{proof}; "),))
    return _mark_condition(unit, loop, f"{name}{proof}")


def _is_in(spans: Iterable[Span], position: int) -> bool:
    return any(start <= position < end for start, end in spans)


def _find_declared(unit: Unit, own: Iterable[Span]) -> Iterator[str]:
    """Yield the names like those of CUDA's functions that can be declared in parts of a text."""
    for span in own:
        for index in range(*map(unit.find_index, span)):
            word, before = unit.words[index], unit.get(index - 1)
            if not word.startswith(_OWN) or unit.get(index - 2) == "operator":
                continue
            if before.isidentifier():
                if before not in _BEFORE_USE:
                    yield word
            elif before in _TYPE_ENDS:
                around = find_scopes(unit).around(unit.starts[index])
                if not any(scope.kind == "block" for scope in around):
                    yield word


def _list_loops(unit: Unit, first: int, last: int) -> Iterator[tuple[Block, Block]]:
    """Yield the loops in the body of a function, and in those of lambdas and classes in it.

    In front of each loop is the body that it is in.
    """
    if _ALL.isdisjoint(unit.words[first:last]):
        return
    braces = {first}
    for index in range(first, last):
        if unit.words[index] in _LOOPS:
            around = find_scopes(unit).around(unit.starts[index])
            braces.update(unit.find_index(s.brace) for s in around if s.kind == "block")
    for brace in sorted(braces):
        if first <= brace < last:
            body = divide_body(unit, brace)
            yield from ((body, each) for each in list_blocks(body) if each.kind in _LOOPS)


def _mark(unit: Unit, loop: Block, text: str) -> Iterator[Edit]:
    body = loop.children[0 if loop.kind == "do" else loop.heads]
    if isinstance(body, Block) and not body.kind:
        place = unit.get_end(body.start)
        yield Edit(start=place, end=place, text=f" {text};")
        return
    start = unit.get_end(body.start - 1)
    # The condition is false. With its `else`, another one still belongs to the condition in front.
    yield Edit(start=start, end=start, text=f" if ({text}) {{}} else")


def _mark_condition(unit: Unit, loop: Block, text: str) -> Iterator[Edit]:
    """Mark the condition of a loop, where all names in it are visible."""
    place = unit.starts[_find_condition(loop).start]
    yield Edit(start=place, end=place, text=f"{text}, ")


def _find_condition(loop: Block) -> Node:
    return loop.children[1 if loop.kind == "for" else -1 if loop.kind == "do" else 0]


def _mark_labels(unit: Unit, body: Span, text: str, seen: set[int]) -> Iterator[tuple[int, Edit]]:
    """Yield the indices and the marks of the labels that a `goto` behind them can name."""
    targets = {unit.get(i + 1): i for i in range(*body) if unit.words[i] == "goto"}
    for index in range(*body) if targets else ():
        jump = targets.get(unit.words[index])
        if jump is not None and jump > index and unit.get(index + 1) == ":" and index not in seen:
            seen.add(index)
            place = unit.get_end(index + 1)
            yield index, Edit(start=place, end=place, text=f" {text};")


def _find_proof_of_range(unit: Unit, loop: Block) -> str | None:
    """Return the template arguments with which the compiler proves that a loop over a range ends.

    They are empty if the text does not say so, and None if the loop surely ends, because a list
    has pointers to its elements.
    """
    head = loop.children[0]
    colon = next((i for i in range(head.start, head.stop) if unit.words[i] == ":"), head.stop)
    if _is_left(unit, loop) or colon == head.stop or loop.heads != 1:
        return ""
    if unit.get(colon + 1) == "{":
        return None
    declared = {unit.words[index] for index in list_names(unit, head.start, colon)}
    return (
        f"<{_RANGE}<decltype(({join_span(unit, (colon + 1, head.stop))}))>>"
        if _can_prove(unit, (colon + 1, head.stop), declared)
        else ""
    )


def _can_prove(unit: Unit, span: Span, declared: Iterable[str]) -> bool:
    """Return whether an expression means the same elsewhere, and has no lambda."""
    words = unit.words[slice(*span)]
    names = {unit.words[index] for index in list_names(unit, *span)}
    has_lambda = any(
        word == "[" and not (is_name(before) or before in (")", "]"))
        for before, word in pairwise(["", *words])
    )
    return "{" not in words and not has_lambda and names.isdisjoint(declared)


def _find_proof(
    owner: Owner, loop: Block, users: frozenset[str], place: _Place
) -> tuple[str, int | None]:
    """Return a mark's arguments with which the compiler proves that a loop ends, and its place.

    The arguments are empty if the text does not say so. Without a place, the mark can be in front
    of the condition.
    """
    unit, condition = owner.unit, _find_condition(loop)
    operands = [
        (part.start, part.stop)
        for part in list_operands(unit, condition.start, condition.stop)
        if not part.text and not is_literal(unit.words[part.start])
    ]
    is_update = _updates(unit, loop)
    used = [] if is_update else _find_operands(owner, loop, condition, users, place == "shared")
    spans = operands if place == "shared" else [*operands, *(used or ())]
    region = _find_region(unit, loop, spans) if place == "apart" and used else None
    if used is None:
        return "", None
    kinds = dict.fromkeys(f"decltype(({join_span(unit, span)}))" for span in spans)
    scalars = f"{_SCALARS}<{', '.join(kinds)}>"
    if is_update:
        return f"<{scalars}, decltype({join_span(unit, operands[0])})>({_UPDATE})", region
    return f"<{scalars}>()", region


def _find_region(unit: Unit, loop: Block, spans: Iterable[Span]) -> int | None:
    """Return the place in front of a condition that is in a region, and names what spans name."""
    body = loop.children[0 if loop.kind == "do" else loop.heads]
    names = {unit.words[index] for span in spans for index in list_names(unit, *span)}
    for child in body.children if isinstance(body, Block) and not body.kind else ():
        if isinstance(child, Block) and unit.words[child.start] == "if":
            here = {unit.words[index] for index in list_names(unit, child.start, child.stop)}
            if names <= here:
                return unit.starts[child.start]
    return None


def _find_operands(
    owner: Owner, loop: Block, condition: Node, users: frozenset[str], is_divided: bool
) -> list[Span] | None:
    """Return the operands that must be numbers so that a loop counts a variable to a limit.

    In each turn, the loop adds to one variable of its condition, or subtracts from it, and only
    reads it otherwise. It only reads the other ones. The result is None for other loops. In the
    body of a divided loop, nothing but an assignment can change a variable that is not kept.
    """
    unit = owner.unit
    words = unit.words[condition.start : condition.stop]
    parts = list_operands(unit, condition.start, condition.stop)
    has_form = bool(words) and _is_limited(unit, condition.start, condition.stop)
    if not has_form or any(part.text in _UNPROVED for part in parts) or _is_left(unit, loop):
        return None
    nodes = [child for child in loop.children if child is not condition]
    nodes = nodes[1:] if loop.kind == "for" else nodes
    body = loop.children[0 if loop.kind == "do" else loop.heads]
    has_head = is_divided and loop.kind == "for"
    uses = _LoopUses(unit, [node for node in nodes if not has_head or node is not body], users)
    steps: list[Statement] = []
    pending = {unit.words[index] for index in list_names(unit, condition.start, condition.stop)}
    known: set[str] = set()
    while pending:
        name = pending.pop()
        known.add(name)
        if not uses.read(name):
            return None
        steps += uses.steps
        if not is_divided and owner.can_change(name, loop, is_counted=bool(uses.steps)):
            return None
        for step in uses.steps:  # by the same amount in each turn
            amount = {unit.words[index] for index in list_names(unit, step.start, step.stop)}
            pending |= amount - known - STANDARD_TYPES.union(INDICES)
    is_one = len(steps) == 1 and _is_in_each_turn(unit, loop, body, steps[0])
    if not is_one or (has_head and _assigns(unit, body, known)):
        return None
    return uses.operands


def _assigns(unit: Unit, body: Node, names: set[str]) -> bool:
    """Return whether a statement can assign to a variable, or refer to it.

    Regions see a constant, so that other spellings do not compile there.
    """
    for index in range(body.start, body.stop):
        if unit.words[index] in names:
            before = "".join(unit.words[max(index - 2, 0) : index])
            behind = "".join(unit.words[index + 1 : index + 4])
            if _CHANGED.match(behind) or before.endswith(("++", "--", ">>", "&")):
                return True
    return False


def _is_in_each_turn(unit: Unit, loop: Block, body: Node, step: Statement) -> bool:
    """Return whether a statement is executed in each turn of a loop."""
    if loop.kind == "for" and body.start > step.start:
        return True
    children = body.children if isinstance(body, Block) and not body.kind else (body,)
    is_child = any((step.start, step.stop) == (each.start, each.stop) for each in children)
    return is_child and "continue" not in unit.words[body.start : step.start]


class _LoopUses:
    """What the parts of a loop do with variables.

    Attributes:
        operands: What must be numbers or pointers, so that the variables are only read.
        steps: The statements that count the variable that was read last.
    """

    def __init__(self, unit: Unit, nodes: list[Node], users: frozenset[str]) -> None:
        self._unit = unit
        self._nodes = nodes
        self._users = users
        self._declared = frozenset(_list_declared(unit, nodes))
        self._numbers = {
            variable.name: variable.is_built_in
            for node in nodes
            if isinstance(node, Block)
            for block in list_blocks(node)
            for child in block.children
            if isinstance(child, Statement)
            for variable in list_variables(unit, block, child)
        }
        self.operands: list[Span] = []
        self.steps: list[Statement] = []

    def read(self, name: str) -> bool:
        """Return whether a variable is only read and counted."""
        self.steps = []
        return all(
            self._read_at(index)
            for node in self._nodes
            for index in list_names(self._unit, node.start, node.stop)
            if self._unit.words[index] == name
        )

    def _read_at(self, index: int) -> bool:
        unit = self._unit
        found = (find_statement(node, index) for node in self._nodes)
        statement = next((each for each in found if each is not None), None)
        if statement is None:
            return False
        statement = _find_operand(unit, statement, index)
        use = read_use(
            unit,
            statement,
            (index, index + 1),
            is_brought=_takes_values(unit, (find_opening(unit, 0, index) or 0) - 1, self._users),
            known=Known(self._is_number, {}),
        )
        spans = [*use.operands, *use.bases]
        if use.types or not all(_can_prove(unit, span, self._declared) for span in spans):
            return False
        self.operands += spans
        if use.kind == "changed" and _is_step(unit, statement):
            self.steps.append(statement)
            return True
        return use.kind == "read"

    def _is_number(self, index: int) -> bool:
        return self._numbers.get(self._unit.words[index], False)


def _list_declared(unit: Unit, nodes: list[Node]) -> Iterator[str]:
    """Yield the names that parts of a loop can declare: those behind nothing but words of types."""
    for statement in (each for node in nodes for each in list_statements(node)):
        place = find_possibly_declared(unit, statement)
        if place is not None:
            yield unit.words[place]
        index, is_declarator = statement.start, True
        while index < statement.stop:
            word, before = unit.words[index], unit.get(index - 1)
            if is_name(word):
                if is_declarator and index > statement.start:
                    yield word
            elif word == "[" and before in ("auto", "&"):  # a structured binding
                yield from unit.words[index : unit.partners[index]]
            elif word == ",":
                is_declarator = True
            elif word not in _DECLARING:
                is_declarator = False
            index = unit.partners.get(index, index) + 1 if word in BRACKETS else index + 1


def _is_left(unit: Unit, loop: Block) -> bool:
    """Return whether a statement can leave a loop before its condition ends it."""
    if not _ENDING.isdisjoint(unit.words[loop.start : loop.stop]):
        return True
    blocks = [block for block in list_blocks(loop) if block.kind in _LEFT]
    return any(
        unit.words[index] == "break"
        and max((b.start for b in blocks if b.start < index < b.stop), default=0) == loop.start
        for index in range(loop.start, loop.stop)
    )


def _takes_values(unit: Unit, index: int, users: frozenset[str]) -> bool:
    """Return whether a token is the name of one of CUDA's functions."""
    word = unit.get(index)
    is_member = unit.get(index - 1) in (".", "->") or (
        unit.get(index - 1) == "::" and is_name(unit.get(index - 2))
    )
    return word.startswith(_OWN) and word not in users and not is_member


def _is_step(unit: Unit, statement: Statement) -> bool:
    """Return whether a statement changes a variable by an amount that is not read from memory."""
    words = unit.words[statement.start : statement.stop]
    if find_target(unit, statement) is None or words[1:2] == ["="]:
        return False
    return _is_limited(unit, statement.start, statement.stop)


def _is_limited(unit: Unit, first: int, last: int) -> bool:
    """Return whether an expression reads nothing but names."""
    return all(
        word not in _UNLIMITED
        or (word == "(" and _can_open(unit, index, first))
        or (word in ("*", "&") and _is_binary(unit, index, first))
        for index, word in enumerate(unit.words[first:last], start=first)
    )


def _can_open(unit: Unit, index: int, first: int) -> bool:
    """Return whether a parenthesis is around an operand or a type, and not around arguments."""
    before = unit.get(index - 1)
    return before in _BEFORE_OPERAND or (before == "*" and _is_binary(unit, index - 1, first))


def _is_binary(unit: Unit, index: int, first: int) -> bool:
    """Return whether an operator is behind an operand, so that it is no dereference.

    In ``(n) * m``, the parentheses can be those of a conversion. A sum or a number is no type.
    """
    before = unit.get(index - 1)
    if index <= first or before != ")":
        return index > first and _is_operand(before)
    words = unit.words[unit.partners[index - 1] : index - 1]
    return any(word in ("+", "-", "/", "%") or word[:1].isdigit() for word in words)


def _is_operand(word: str) -> bool:
    return word[:1].isdigit() or (is_name(word) and word not in KEYWORDS)


def _find_operand(unit: Unit, statement: Statement, index: int) -> Statement:
    """Return the operand of the comma operator with a token, or else the whole statement."""
    if find_opening(unit, statement.start, index) is not None:
        return statement
    commas = [
        place
        for place in range(statement.start, statement.stop)
        if unit.words[place] == "," and find_opening(unit, statement.start, place) is None
    ]
    start = max((place + 1 for place in commas if place < index), default=statement.start)
    stop = min((place for place in commas if place > index), default=statement.stop)
    return Statement(start, stop)


def _updates(unit: Unit, loop: Block) -> bool:
    """Return whether a loop updates memory by `atomicCAS`, and repeats if others did so first.

    That is ``do { assumed = old; old = atomicCAS(...); } while (assumed != old);``.
    """
    if loop.kind != "do":
        return False
    body, condition = loop.children
    statements = [*list_statements(body)]
    names = [unit.words[i] for i in list_names(unit, condition.start, condition.stop)]
    if len(statements) != _MOST_STATEMENTS or len(names) != len(statements):
        return False
    copy, swap = (unit.words[each.start : each.stop] for each in statements)
    assumed, old = copy[0], copy[-1]
    opening = statements[1].start + _CALLED - 1
    return (
        copy == [assumed, "=", old]
        and swap[:_CALLED] == [old, "=", "atomicCAS", "("]
        and unit.partners.get(opening) == statements[1].stop - 1
        and unit.words[condition.start : condition.stop]
        in ([assumed, "!", "=", old], [old, "!", "=", assumed])
        and _has_own_address(unit, opening, {assumed, old})
    )


def _has_own_address(unit: Unit, opening: int, names: set[str]) -> bool:
    """Return whether each turn of a loop updates the same memory: a plain first argument."""
    words = unit.words[opening + 1 : unit.partners[opening]]
    steps = [a for a, b in pairwise(words) if a == b and a in ("+", "-")]
    if steps or "=" in words or "{" in words:
        return False
    address = words[: words.index(",")] if "," in words else words
    calls = [b for a, b in pairwise(address) if b == "(" and is_name(a)]
    return not calls and names.isdisjoint(address)
