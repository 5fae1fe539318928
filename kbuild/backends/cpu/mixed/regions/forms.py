"""Which forms of statements can be divided, which leave them, and which change one variable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

from kbuild.backends.cpu.mixed.regions.calls import list_parts_at_commas
from kbuild.backends.cpu.mixed.regions.grammar.expressions import ARITHMETIC_WORDS
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.model import (
    CannotDivide,
    Leave,
    LoopHead,
    SharedMemory,
)
from kbuild.backends.cpu.mixed.regions.ranges import RANGE, check_range, read_head, split_head
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.backends.cpu.mixed.regions.variables import list_variables
from kbuild.cxx.declarators import CLASS_KEYS, TYPE_OPERATORS
from kbuild.cxx.places import find_opening, list_outside
from kbuild.cxx.statements import (
    Block,
    Node,
    Statement,
    list_blocks,
    list_statements,
    skip_attributes,
)
from kbuild.cxx.tokens import drop_attributes
from kbuild.cxx.unit import Unit
from kbuild.values import replace

_LOOPS: Final = frozenset(("for", RANGE, "while", "do"))
DIVIDABLE: Final = _LOOPS | {"", "if"}  # the kinds of blocks
_SHARED: Final = "__kbuild_shared__"
_STORAGE: Final = ("extern", "static", "volatile", "const", "alignas", "__restrict__")
# Declarations that say the same for all threads.
_COMMON: Final = frozenset(("using", "typedef", "static_assert", "constexpr", "static"))
_STATIC: Final = frozenset(("static", "constexpr", "thread_local"))
_LEAVING: Final = frozenset(("return", "break", "continue"))
_FOR_PARTS: Final = 3
_STEP: Final = 3  # tokens of an increment
# What cannot be in a region, which is a function of its own.
_UNDIVIDED: Final = frozenset(("asm", "__asm__", "__asm", "goto", "alloca", "__builtin_alloca"))


def find_divided(unit: Unit, body: Block, operations: Iterable[int]) -> frozenset[Block]:
    """Return the blocks that contain operations, and the body itself.

    Raises:
        CannotDivide: One of them has a form that is not divided.
    """
    indices = tuple(operations)
    found = {
        block
        for block in list_blocks(body)
        if any(block.start < index < block.stop for index in indices)
    }
    if not _UNDIVIDED.isdisjoint(unit.words[body.start : body.stop]):
        raise CannotDivide("it contains assembly, goto, or alloca")
    if any(map(partial(_returns_from_expression, unit, body), unit.find(("return",)))):
        raise CannotDivide("it returns from a statement in an expression")
    for block in sorted(found, key=lambda block: block.start):
        _check_form(unit, block)
    return frozenset(found | {body})


def _returns_from_expression(unit: Unit, body: Block, index: int) -> bool:
    """Return whether ``({ ... return; })`` is around a token, which would end a region alone."""
    opening = find_opening(unit, body.start, index) if body.start < index < body.stop else None
    while opening is not None:
        if unit.words[opening] == "{" and unit.get(opening - 1) == "(":
            return True
        opening = find_opening(unit, body.start, opening)
    return False


def _check_form(unit: Unit, block: Block) -> None:
    is_unknown_loop = block.kind == "for" and block.heads < _FOR_PARTS
    if block.kind not in DIVIDABLE or is_unknown_loop:
        raise CannotDivide(f"a barrier is in '{block.kind}'")
    if block.kind == RANGE:
        check_range(unit, block)
    is_condition = block.kind in ("if", "while")
    if (block.kind == "if" and block.heads != 1) or (
        is_condition and tuple(list_variables(unit, block, read_head(block.children[0])))
    ):
        raise CannotDivide("the condition around a barrier declares a variable")
    for child in block.children:
        is_element = block.kind == RANGE and child is block.children[0]
        if isinstance(child, Statement) and unit.get(child.stop) == ":" and not is_element:
            raise CannotDivide("a label is beside a barrier")


def find_shared(unit: Unit, body: Block) -> SharedMemory:
    """Return the shared and static memory that a body declares."""
    declared: set[int] = set()
    numbers: set[int] = set()
    for statement in list_statements(body):
        words = unit.words[statement.start : statement.stop]
        is_constant = not {"const", "constexpr"}.isdisjoint(words)
        if _SHARED in words or ("static" in _list_head(words) and not is_constant):
            found = set(_list_outside_sizes(unit, statement))
            declared |= found
            kind = next((word for word in words if word not in (_SHARED, *_STORAGE)), "")
            if kind in ARITHMETIC_WORDS and "&" not in words:
                numbers |= found
    places = Counter(unit.words[index] for index in declared)
    names = {*places}
    others = {unit.words[index] for index in declared if unit.get(index + 1) != "["}
    of_numbers = {unit.words[index] for index in numbers} - {_SHARED}
    return SharedMemory(
        names=frozenset(names - {_SHARED}),
        numbers=frozenset(of_numbers),
        arrays=frozenset(of_numbers - others),
        scopes={
            unit.words[index]: (index, _find_end(unit, body, index))
            for index in declared
            if unit.words[index] not in others and places[unit.words[index]] == 1
        },
        declared=frozenset(declared),
    )


def _find_end(unit: Unit, body: Block, index: int) -> int:
    """Return the index of the brace behind what a token is in."""
    opening = find_opening(unit, body.start, index)
    return body.stop if opening is None else unit.partners[opening]


def check_types(unit: Unit, body: Block, uses: Uses) -> None:
    """Raise CannotDivide if a body asks for types, which are other ones in regions."""
    for operator in unit.find(TYPE_OPERATORS):
        opening = operator + 1
        if not body.start < operator < body.stop or opening not in unit.partners:
            continue
        if unit.words[opening + 1 : opening + 3] == ["auto", ")"]:
            raise CannotDivide("it contains 'decltype(auto)'")
        for index in list_names(unit, opening, unit.partners[opening]):
            if uses.resolve(index) is not None:
                raise CannotDivide(f"it asks for the type of '{unit.words[index]}'")


def check_statics(unit: Unit, body: Block, uses: Uses) -> None:
    """Raise CannotDivide if it matters that static variables of a function exist several times.

    They do, as the function exists undivided, and for several sizes of blocks. It does not matter
    for shared memory, which exists per block, and for constants whose address nobody takes.
    """
    for static in unit.find(("static",)):
        if not body.start < static < body.stop:
            continue
        inside = list_outside(unit, static, body.stop)
        outside = [*takewhile(lambda index: unit.words[index] != ";", inside)]
        end = outside[-1] + 1
        head = _list_head(unit.words[static:end])
        if _SHARED in head:
            continue
        if "constexpr" not in head or any(unit.words[i] == "," for i in outside):
            raise CannotDivide("it has a static variable")
        stop = static + len(head)
        while unit.words[stop - 1] == "]":
            stop = unit.partners[stop - 1]
        name = unit.words[stop - 1]
        for index in list_names(unit, end, body.stop):
            if unit.words[index] == name and not uses.reads_constant(index):
                raise CannotDivide(f"the address of the static variable '{name}' can matter")


def split_declarations(unit: Unit, block: Block) -> Block:
    """Return a block in which each declarator of a declaration is a statement.

    ``int a = f(), b = a;`` means ``int a = f(); int b = a;`` ([dcl.decl.general]), also at the
    start of the head of a loop. The head of a loop over a range becomes two statements.
    """
    children: list[Node] = []
    heads = block.heads
    for place, child in enumerate(block.children):
        is_start = block.kind == "for" and block.heads == _FOR_PARTS and place == 0
        if isinstance(child, Block):
            children.append(split_declarations(unit, child))
        elif (block.kind and not is_start) or is_common_declaration(unit, child):
            children.append(child)
        else:
            found = tuple(_split(unit, block, child))
            children += found
            heads += len(found) - 1 if is_start else 0
    return split_head(unit, replace(block, children=tuple(children), heads=heads))


def read_loop(block: Block) -> LoopHead:
    """Return the head of a `for` loop that is not over a range."""
    *starts, condition, step = map(read_head, block.children[: block.heads])
    return LoopHead(starts=tuple(starts), condition=condition, step=step)


def list_steps(unit: Unit, step: Statement, uses: Uses) -> tuple[Statement, ...]:
    """Return the parts of the last part of a head at commas, if all of them assign to numbers.

    No operator is between numbers then but the comma of C++; the generated code proves it.
    """
    parts = tuple(Statement(*span) for span in list_parts_at_commas(unit, step.start, step.stop))
    targets = [find_target(unit, part) for part in parts]
    found = [uses.resolve(target) for target in targets if target is not None]
    is_split = len(found) == len(parts) > 1 and all(v is not None and v.is_scalar for v in found)
    return parts if is_split else (step,)


def _split(unit: Unit, block: Block, statement: Statement) -> Iterator[Statement]:
    found = tuple(list_variables(unit, block, statement))
    if len(found) < 2 or "{" in unit.words[slice(*found[0].base)]:  # noqa: PLR2004 - declarators
        yield statement
        return
    stops = [(v.initializer or v.declarator)[1] for v in found]
    yield Statement(statement.start, stops[0])
    for variable, stop in zip(found[1:], stops[1:], strict=True):
        yield Statement(variable.declarator[0], stop, variable.base)


def _list_outside_sizes(unit: Unit, statement: Statement) -> Iterator[int]:
    """Yield the indices of the names in a declaration, except in sizes and lists of values."""
    start = index = statement.start
    while index < statement.stop:
        if unit.words[index] in ("[", "{"):
            yield from list_names(unit, start, index)
            start = index = unit.partners[index]
        index += 1
    yield from list_names(unit, start, index)


def is_common_declaration(unit: Unit, statement: Statement) -> bool:
    """Return whether a declaration says the same for all threads."""
    words = unit.words[skip_attributes(unit, statement.start) : statement.stop]
    is_common = not _COMMON.isdisjoint(words[:1]) or _SHARED in words
    is_common = is_common or not _STATIC.isdisjoint(_list_head(words))
    return is_common or _declares_only_class(unit, statement)


def _list_head(words: Sequence[str]) -> list[str]:
    """Return the words of a statement up to the initializer of a declaration."""
    return [*takewhile(lambda word: word not in ("=", "(", "{"), words)]


def _declares_only_class(unit: Unit, statement: Statement) -> bool:
    """Return whether a statement declares a class or an enumeration, and no variable."""
    tokens = drop_attributes(unit.list_between(statement.start, statement.stop))
    words = [token.text for token in tokens if token.text != "final"]
    keys = sum(1 for _ in takewhile(CLASS_KEYS.__contains__, words))
    head = words[keys : words.index("{")] if "{" in words else words[keys:]
    if keys == 0 or (len(head) > 1 and ":" not in head[:2]):
        return False  # a name before the brace, or without one, is that of a variable
    opening = next((t for t in tokens if t.text == "{"), None)
    if opening is None:
        return True
    return unit.partners.get(unit.find_index(opening.start)) == statement.stop - 1


def find_result(unit: Unit, body: Block) -> Statement | None:
    """Return the last statement of a function if it returns a value."""
    last = body.children[-1] if body.children else None
    if not isinstance(last, Statement) or unit.get(last.start) != "return":
        return None
    return last if last.stop > last.start + 1 else None


def find_leaves(
    unit: Unit,
    block: Block,
    divided: frozenset[Block],
    result: Statement | None,
    path: tuple[Block, ...] = (),
) -> Iterator[Leave]:
    """Yield the statements that leave the kernel, the function, or a divided loop.

    Args:
        unit: The text.
        block: A block.
        divided: The blocks that contain operations.
        result: The statement at the end of a function that returns its result. It leaves nothing.
        path: The blocks around the block.
    """
    path = (*path, block)
    for child in block.children:
        if isinstance(child, Block):
            yield from find_leaves(unit, child, divided, result, path)
            continue
        keyword = unit.get(child.start)
        if keyword not in _LEAVING or child.start == child.stop:
            continue
        if keyword == "return":
            has_value = child.stop != child.start + 1
            if child is not result:
                yield Leave(
                    statement=child, keyword=keyword, loop=None, path=path, has_value=has_value
                )
            continue
        kinds = _LOOPS | ({"switch"} if keyword == "break" else set())
        target = next(each for each in reversed(path) if each.kind in kinds)
        if target in divided:
            inner = path[path.index(target) + 1 :]
            yield Leave(statement=child, keyword=keyword, loop=target, path=inner)


def find_assignments(unit: Unit, divided: Iterable[Block], uses: Uses) -> dict[int, Statement]:
    """Return the statements of divided blocks that do nothing but change one variable."""
    found: dict[int, Statement] = {}
    for block in divided:
        children = block.children if not block.kind else ()
        if block.kind == "for":
            head = read_loop(block)
            children = (*head.starts, *list_steps(unit, head.step, uses))
        for child in children:
            if isinstance(child, Statement):
                target = find_target(unit, child)
                if target is not None:
                    found[target] = child
    return found


def find_target(unit: Unit, statement: Statement) -> int | None:
    """Return the index of the variable that a statement changes; None for other statements."""
    words = unit.words[statement.start : statement.stop]
    text = "".join(words)
    is_step = len(words) == _STEP and text.strip("+-") in words and len(text) > _STEP - 1
    is_step = is_step and ("++" in text or "--" in text)
    if is_step:
        return statement.start if words[0] not in "+-" else statement.start + 2
    equals = next((i for i, word in enumerate(words) if word in ("=", ">=")), 0)
    is_name = words[0].isidentifier() and words[0] != "return" if words else False
    if not 1 <= equals <= 2 or not is_name:  # noqa: PLR2004 - an operator in front
        return None
    return statement.start


def find_value(unit: Unit, statement: Statement) -> tuple[int, int]:
    """Return the indices of what an assignment assigns."""
    words = unit.words[statement.start : statement.stop]
    equals = next((i for i, word in enumerate(words) if word in ("=", ">=")), len(words) - 1)
    return statement.start + equals + 1, statement.stop
