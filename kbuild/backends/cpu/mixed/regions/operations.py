"""Find the operations of a kernel that all threads of a block or warp take part in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, pairwise
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDEX, ThreadWords
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Needs, Operation
from kbuild.cxx.lexer import Token
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.statements import Block, Node, Statement
from kbuild.cxx.tokens import match_angle, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_CONDITIONAL: Final = frozenset(("?", "&&", "||"))
_THIS_BLOCK: Final = "this_thread_block"
_LOOPS: Final = ("for", "while", "do")
_MOST_TOKENS: Final = 100  # of template arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """The functions that need a thread.

    Attributes:
        readers: Those that read the index of the thread, and never stop it.
        divided: Those that can be called for many threads at once, and whether they contain nothing
            but operations of warps.
        referring: Those among them with parameters that are references.
        obstacles: Why others cannot.
    """

    readers: frozenset[str]
    divided: Mapping[str, bool]
    referring: frozenset[str]
    obstacles: Mapping[str, str]

    def describe_obstacle(self, name: str) -> str:
        """Return why a body that mentions a name cannot be divided."""
        reason = self.obstacles.get(name)
        return f"it calls '{name}': {reason}" if reason else f"it uses '{name}'"


def find_operations(
    unit: Unit,
    body: Block,
    mentions: Iterable[Token],
    thread_words: ThreadWords,
    functions: Functions,
) -> Needs:
    """Find the operations in the body of a kernel, and what else needs a thread there.

    Args:
        unit: The text.
        body: The body.
        mentions: What needs a thread in the body.
        thread_words: The annotated names.
        functions: What is known about the functions that need a thread.

    Raises:
        CannotDivide: Something else needs a thread, or an operation is not in a plain statement.
    """
    found: dict[int, Operation] = {}
    yielding = []
    groups = set()
    reading = set()
    for word in mentions:
        index = unit.find_index(word.start)
        is_call = unit.get(index + 1) == "("
        if word.text == INDEX:
            continue
        if word.text == _THIS_BLOCK:
            declaration = _read_group(unit, body, index)
            groups.add(declaration)
            found.update(_find_group_barriers(unit, body, declaration))
        elif is_call and word.text in thread_words.operations:
            found[index] = _read_operation(unit, index, thread_words.operations[word.text])
        elif word.text in functions.divided:
            call = _read_call(unit, index, functions)
            found[call.index] = call
        elif is_call and word.text in thread_words.yielding:
            yielding.append(index)
        elif word.text in functions.readers:
            reading.add(index)
        else:
            raise CannotDivide(functions.describe_obstacle(word.text))
    for index in yielding:
        _check_yielding(unit, body, index, found)
    return Needs(
        operations=dict(_assign_slots(unit, body, found)),
        groups=frozenset(groups),
        readers=frozenset(reading),
    )


def _assign_slots(
    unit: Unit, body: Block, found: Mapping[int, Operation]
) -> Iterator[tuple[int, Operation]]:
    """Yield the operations with numbers: those of CUDA within each statement, calls in the body."""
    statements = {index: _find_statement(unit, body, index) for index in found}
    slots: dict[Statement, int] = {}
    calls = count()
    for index in sorted(found, key=lambda index: found[index].close):
        operation, statement = found[index], statements[index]
        if operation.callee is not None:
            operation = replace(operation, slot=next(calls))
        elif operation.has_value:
            slot = slots.get(statement, 0)
            slots[statement] = slot + 1
            operation = replace(operation, slot=slot)
        yield index, operation


def _read_group(unit: Unit, body: Block, index: int) -> Statement:
    """Return the declaration ``thread_block NAME = this_thread_block();`` around a name."""
    statement = _find_innermost(body, index)
    if statement is not None:
        words = [w for w in unit.words[statement.start : statement.stop] if w != "const"]
        equals = words.index("=") if "=" in words else 0
        value = words[equals + 1 :]
        scopes = value[:-3:2]
        is_value = value[-3:] == [_THIS_BLOCK, "(", ")"] and all(map(str.isidentifier, scopes))
        if is_value and equals > 1 and words[equals - 2] in ("thread_block", "auto"):
            return statement
    raise CannotDivide(f"it uses '{_THIS_BLOCK}'")


def _find_innermost(body: Block, index: int) -> Statement | None:
    """Return the statement with a token."""
    statements = list_statements(body)
    return next((each for each in statements if each.start <= index < each.stop), None)


def find_group_name(unit: Unit, declaration: Statement) -> str:
    """Return the name of the variable that stands for the block."""
    return unit.words[unit.words.index("=", declaration.start) - 1]


def _find_group_barriers(
    unit: Unit, body: Block, declaration: Statement
) -> Iterator[tuple[int, Operation]]:
    """Yield the barriers of a group, whose other uses must only ask for its properties."""
    name = find_group_name(unit, declaration)
    around = [b for b in list_blocks(body) if b.start < declaration.start < b.stop]
    stop = max(around, key=lambda block: block.start).stop
    for index in range(declaration.stop, stop):
        if unit.words[index] != name or unit.get(index - 1) in (".", "->", "::"):
            continue
        if unit.words[index + 1 : index + 4] == [".", "sync", "("]:
            first, opening = index, index + 3
        elif unit.words[index - 2 : index] == ["sync", "("] and unit.get(index + 1) == ")":
            first, opening = index - 2, index - 1
            while unit.get(first - 1) == "::":
                first -= 2
        elif unit.get(index + 1) == "." and unit.get(index + 3) == "(":
            continue
        else:
            raise CannotDivide(f"it passes '{name}' on")
        yield (
            first,
            Operation(
                name="thread_block_sync",
                is_warp_wide=False,
                has_value=False,
                index=first,
                arguments=(),
                close=unit.partners[opening],
            ),
        )


def _read_call(unit: Unit, callee: int, functions: Functions) -> Operation:
    """Read a call of a divided function: its name can be qualified, and have template arguments."""
    first, opening = callee, callee + 1
    while unit.get(first - 1) == "::":
        first -= 2 if unit.get_token(first - 2).is_word else 1
    if unit.get(opening) == "<":
        close = match_angle(unit.list_between(opening, opening + _MOST_TOKENS), 0)
        opening = callee if close is None else opening + close + 1
    is_member = unit.get(first - 1) in (".", "->", ">", "template")
    if unit.get(opening) != "(" or is_member:
        raise CannotDivide(f"it uses '{unit.words[callee]}'")
    return Operation(
        name=unit.words[callee],
        is_warp_wide=functions.divided[unit.words[callee]],
        has_value=True,
        index=first,
        arguments=tuple(_list_arguments(unit, opening)),
        close=unit.partners[opening],
        callee=callee,
        has_references=unit.words[callee] in functions.referring,
    )


def _list_arguments(unit: Unit, opening: int) -> Iterator[tuple[int, int]]:
    """Yield the indices of the arguments of a call."""
    position = opening + 1
    for part in split_at_commas(unit.list_between(position, unit.partners[opening])):
        if part:
            yield position, position + len(part)
        position += len(part) + 1


def _read_operation(unit: Unit, index: int, kind: tuple[bool, bool]) -> Operation:
    is_warp_wide, has_value = kind
    close = unit.partners[index + 1]
    arguments = tuple(_list_arguments(unit, index + 1))
    if len(arguments) < has_value * (1 + is_warp_wide):
        raise CannotDivide(f"a call of '{unit.words[index]}' has too few arguments")
    return Operation(
        name=unit.words[index],
        is_warp_wide=is_warp_wide,
        has_value=has_value,
        index=index,
        arguments=arguments,
        close=close,
    )


def _find_statement(unit: Unit, body: Block, index: int) -> Statement:
    """Return the statement, or part of a head, with an operation that is always reached."""
    name = unit.words[index]
    statement = _find_innermost(body, index)
    inside = find_scopes(unit).around(unit.starts[index])
    outside = find_scopes(unit).around(unit.starts[body.start + 1])
    blocks = [block for block in list_blocks(body) if block.start < index < block.stop]
    braces = [block for block in blocks if unit.words[block.start] == "{"]
    if statement is None or len(inside) - len(outside) != len(braces) - 1:
        raise CannotDivide(f"'{name}' is in a lambda or a class")
    words = unit.words[statement.start : index]
    pairs = {a + b for a, b in pairwise(words) if a == b}
    if not _CONDITIONAL.isdisjoint({*words, *pairs}):
        raise CannotDivide(f"'{name}' is in a conditional expression")
    return statement


def _check_yielding(unit: Unit, body: Block, index: int, operations: Iterable[int]) -> None:
    """Check a function that a thread can wait for others with, by calling it again and again."""
    loops = [
        block
        for block in list_blocks(body)
        if block.kind in _LOOPS
        and block.start < index < block.stop
        and not any(block.start < each < block.stop for each in operations)
    ]
    is_discarded = unit.get(index - 1) in (";", "{", "}", ")", "else")
    is_atomic = is_discarded and unit.words[index + 2] != ")"
    if loops and not is_atomic:
        raise CannotDivide(f"'{unit.words[index]}' is in a loop")


def list_statements(node: Node) -> Iterator[Statement]:
    """Yield the statements in a node, in order."""
    if isinstance(node, Statement):
        yield node
        return
    for child in node.children:
        yield from list_statements(child)


def list_blocks(node: Node) -> Iterator[Block]:
    """Yield a block and the blocks in it, from the outside."""
    if isinstance(node, Block):
        yield node
        for child in node.children:
            yield from list_blocks(child)
