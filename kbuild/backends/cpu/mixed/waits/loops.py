"""Find loops in which a thread can wait for memory that another thread of its block changes.

No compiler can tell such a loop, so this is a rule of the text, in doubt for waiting: a loop around
an atomic function, a fence, or volatile memory, that does not count to a limit. kbuild puts a call
into it that lets other threads run. The object then says which kernels reach the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from kbuild.backends.cpu.mixed.regions.forms import find_target
from kbuild.backends.cpu.mixed.regions.grammar.contexts import read_use
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.cxx.model import Edit
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import (
    Block,
    Node,
    Statement,
    divide_body,
    find_statement,
    list_blocks,
)
from kbuild.cxx.unit import Unit

LOOPS: Final = ("for", "while", "do")
_PARTS_OF_FOR: Final = 3
_UNLIMITED: Final = frozenset(("(", "[", "*", "->", "|", "?"))  # not in conditions that end
_CALL: Final = "::kbuild_cpu::wait_in_loop();"


def is_waiting(unit: Unit, index: int, yielding: frozenset[str]) -> bool:
    """Return whether a token in a loop can be what a thread waits for.

    An atomic function whose result nobody uses is not; volatile memory, and a fence, are.
    """
    if unit.words[index] not in yielding:
        return True
    if unit.get(index + 1) != "(":
        return False
    is_discarded = unit.get(index - 1) in (";", "{", "}", ")", "else")
    return not (is_discarded and unit.words[index + 2] != ")")


def list_endless(body: Block, index: int, unit: Unit) -> Iterator[Block]:
    """Yield the loops around a token that do not count to a limit."""
    for block in list_blocks(body):
        if block.kind in LOOPS and block.start < index < block.stop and not _counts(unit, block):
            yield block


def find_waiting_loops(
    unit: Unit, yielding: frozenset[str], volatile: frozenset[str]
) -> tuple[Block, ...]:
    """Return the loops in which a thread can wait, in all functions of a text."""
    found: dict[int, Block] = {}
    for index in unit.find((*yielding, *volatile)):
        if not is_waiting(unit, index, yielding):
            continue
        body = _read_body(unit, index)
        if body is not None:
            found.update({block.start: block for block in list_endless(body, index, unit)})
    return tuple(found[start] for start in sorted(found))


def mark_loops(unit: Unit, loops: tuple[Block, ...]) -> Iterator[Edit]:
    """Yield the edits that let other threads run in each turn of a loop."""
    for loop in loops:
        body = loop.children[0 if loop.kind == "do" else loop.heads]
        if isinstance(body, Block) and not body.kind:
            place = unit.get_end(body.start)
            yield Edit(start=place, end=place, text=f" {_CALL}")
            continue
        start = unit.get_end(body.start - 1)
        is_followed = isinstance(body, Statement) and unit.get(body.stop) == ";"
        end = unit.get_end(body.stop - 1 + is_followed)
        yield Edit(start=start, end=start, text=f" {{ {_CALL}")
        yield Edit(start=end, end=end, text=" }")


def _read_body(unit: Unit, index: int) -> Block | None:
    """Return the body of the outermost function around a token."""
    around = find_scopes(unit).around(unit.starts[index])
    outer = next((scope for scope in around if scope.kind == "block"), None)
    return None if outer is None else _divide(unit, unit.find_index(outer.brace))


@lru_cache(maxsize=64)
def _divide(unit: Unit, brace: int) -> Block | None:
    return divide_body(unit, brace) if brace in unit.partners else None


def _counts(unit: Unit, loop: Block) -> bool:
    """Return whether the head of a loop counts a variable up or down to a limit."""
    if loop.kind != "for" or loop.heads != _PARTS_OF_FOR or len(loop.children) == loop.heads:
        return False
    _, condition, step, after = loop.children[: _PARTS_OF_FOR + 1]
    names = {unit.words[index] for index in list_names(unit, condition.start, condition.stop)}
    target = find_target(unit, step) if isinstance(step, Statement) else None
    return (
        target is not None
        and unit.words[target] in names
        and _UNLIMITED.isdisjoint(unit.words[condition.start : condition.stop])
        and all(
            _is_read(unit, after, index)
            for index in list_names(unit, after.start, loop.stop)
            if unit.words[index] in names
        )
    )


def _is_read(unit: Unit, body: Node, index: int) -> bool:
    """Return whether a counter is only read where its name is."""
    statement = find_statement(body, index)
    if statement is None:
        return False
    return read_use(unit, statement, index, is_built_in=lambda _: False).kind == "read"
