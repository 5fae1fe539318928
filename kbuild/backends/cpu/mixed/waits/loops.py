"""Mark loops in which a thread can wait for memory that another thread of its block changes.

No compiler can tell such a loop, so this is a rule of the text, in doubt for waiting: every loop of
device code that does not surely count to a limit. If the source has volatile memory, a call in the
loop lets other threads run. Otherwise, a mark refers to a symbol, and a kernel waits if its object
reaches both the mark and an atomic function or a fence that can be what a thread waits for.

A loop that seems to end has a mark, too, which the compiler removes if it sees that the operands of
the condition are numbers, and that `atomicCAS` is the one of CUDA.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.mentions import list_own_files
from kbuild.backends.cpu.mixed.regions.forms import find_target
from kbuild.backends.cpu.mixed.regions.grammar.contexts import read_use
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ASSIGNMENTS,
    find_opening,
    is_literal,
    is_name,
    list_operands,
)
from kbuild.backends.cpu.mixed.regions.grammar.mentions import KEYWORDS, list_names
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Edit, Span
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
from kbuild.cxx.unit import Unit

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
_SCALARS: Final = "::kbuild_cpu::are_scalars"
# Finds kbuild's own function only; see kbuild_cpu/atomics.h.
_UPDATE: Final = (
    "[](auto* __a, auto __b, auto __c) -> decltype(atomicCAS(__a, __b, __b, __c)) { return {}; }"
)
_OWN: Final = ("__", "atomic")  # CUDA's functions take values
_TYPE_ENDS: Final = (">", "*", "&", "&&")
_BEFORE_USE: Final = ("return", "else", "do", "case", "throw", "sizeof")
_MOST_STATEMENTS: Final = 2  # of a loop that updates memory by atomicCAS
_CALLED: Final = 4  # tokens up to the arguments: old = atomicCAS (


def mark_loops(
    unit: Unit,
    declarations: Iterable[Declaration],
    yielding: frozenset[str],
    barriers: frozenset[int],
) -> Iterator[Edit]:
    """Yield the edits that mark the loops of a text in which a thread can wait.

    Args:
        unit: The text.
        declarations: What the user marked.
        yielding: The names of atomic functions and fences.
        barriers: The indices of operations in which all threads of a block meet.
    """
    own = [*list_own_files(unit)]
    has_volatile = any(_is_in(own, unit.starts[i]) for i in unit.find(_VOLATILE))
    yields = any(_is_in(own, unit.starts[i]) for i in unit.find(yielding))
    name = _WAIT if has_volatile else _MARK
    text = f"::kbuild_cpu::{name}()"
    users = frozenset(_find_declared(unit, own))
    outside = unit.find((*yielding, *_VOLATILE))
    seen: set[int] = set()
    for found in declarations:
        if found.body is None or not found.words & {q.DEVICE, q.GLOBAL}:
            continue
        first, last = map(unit.find_index, found.body)
        is_own = (has_volatile or yields) and _is_in(own, found.body[0])
        if not is_own and not any(first < index < last for index in outside):
            continue
        for loop in _list_loops(unit, first, last):
            is_new = loop.start not in seen
            meets = any(loop.start < index < loop.stop for index in barriers)
            if is_new and not meets and not _surely_ends(unit, loop):
                seen.add(loop.start)
                proof = _find_proof(unit, loop, users)
                yield from (
                    _mark_condition(unit, loop, f"::kbuild_cpu::{name}{proof}")
                    if proof
                    else _mark(unit, loop, text)
                )
        yield from _mark_labels(unit, (first, last), text, seen)


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


def _list_loops(unit: Unit, first: int, last: int) -> Iterator[Block]:
    """Yield the loops in the body of a function, and in those of lambdas and classes in it."""
    if _ALL.isdisjoint(unit.words[first:last]):
        return
    braces = {first}
    for index in range(first, last):
        if unit.words[index] in _LOOPS:
            around = find_scopes(unit).around(unit.starts[index])
            braces.update(unit.find_index(s.brace) for s in around if s.kind == "block")
    for brace in sorted(braces):
        if first <= brace < last:
            found = list_blocks(divide_body(unit, brace))
            yield from (block for block in found if block.kind in _LOOPS)


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


def _mark_labels(unit: Unit, body: Span, text: str, seen: set[int]) -> Iterator[Edit]:
    """Mark the labels that a `goto` behind them can name."""
    targets = {unit.get(i + 1): i for i in range(*body) if unit.words[i] == "goto"}
    for index in range(*body) if targets else ():
        jump = targets.get(unit.words[index])
        if jump is not None and jump > index and unit.get(index + 1) == ":" and index not in seen:
            seen.add(index)
            place = unit.get_end(index + 1)
            yield Edit(start=place, end=place, text=f" {text};")


def _surely_ends(unit: Unit, loop: Block) -> bool:
    """Return whether a loop is over a range that it does not leave."""
    if len(loop.children) <= loop.heads:
        return True  # not complete
    is_range = loop.kind == "for" and loop.heads != _PARTS_OF_FOR
    return is_range and not _is_left(unit, loop)


def _find_proof(unit: Unit, loop: Block, users: frozenset[str]) -> str:
    """Return the arguments of a mark with which the compiler proves that a loop ends.

    The result is empty if the text does not say so.
    """
    if len(loop.children) <= loop.heads or (loop.kind == "for" and loop.heads != _PARTS_OF_FOR):
        return ""
    condition = _find_condition(loop)
    operands = [
        " ".join(unit.words[part.start : part.stop])
        for part in list_operands(unit, condition.start, condition.stop)
        if not part.text and not is_literal(unit.words[part.start])
    ]
    scalars = f"{_SCALARS}<{', '.join(f'decltype({each})' for each in operands)}>"
    if _updates(unit, loop):
        return f"<{scalars}, decltype({operands[0]})>({_UPDATE})"
    return f"<{scalars}>()" if _counts(unit, loop, condition, users) else ""


def _counts(unit: Unit, loop: Block, condition: Node, users: frozenset[str]) -> bool:
    """Return whether a loop counts a variable to a limit, and does nothing else with it."""
    words = unit.words[condition.start : condition.stop]
    if not words or not _is_limited(unit, condition.start, condition.stop):
        return False
    parts = list_operands(unit, condition.start, condition.stop)
    if any(part.text in ASSIGNMENTS for part in parts):
        return False
    if _is_left(unit, loop):
        return False
    nodes = [child for child in loop.children if child is not condition]
    nodes = nodes[1:] if loop.kind == "for" else nodes
    names = {unit.words[index] for index in list_names(unit, condition.start, condition.stop)}
    return any(_is_counter(unit, nodes, name, users) for name in names) and all(
        _is_counter(unit, nodes, name, users, is_limit=True) for name in names
    )


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


def _is_counter(
    unit: Unit, parts: list[Node], name: str, users: frozenset[str], *, is_limit: bool = False
) -> bool:
    """Return whether a variable is only read and counted, or only read if it is a limit."""
    is_counted = is_limit
    for part in parts:
        for index in list_names(unit, part.start, part.stop):
            if unit.words[index] != name:
                continue
            statement = find_statement(part, index)
            if statement is None:
                return False
            statement = _find_operand(unit, statement, index)
            use = read_use(
                unit,
                statement,
                index,
                is_brought=_takes_values(unit, (find_opening(unit, 0, index) or 0) - 1, users),
                is_built_in=lambda _: True,
            )
            if use.kind == "read":
                continue
            if use.kind != "changed" or not _is_step(unit, statement):
                return False
            is_counted = True
    return is_counted


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
        or (word == "(" and unit.get(index - 1) in _BEFORE_OPERAND)
        or (word in ("*", "&") and index > first and _is_operand(unit.get(index - 1)))
        for index, word in enumerate(unit.words[first:last], start=first)
    )


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
