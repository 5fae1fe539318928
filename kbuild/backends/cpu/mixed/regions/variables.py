"""The variables of a kernel that is divided: its parameters, and those of divided blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from kbuild.backends.cpu.mixed.regions.grammar.constants import (
    is_built_in_type,
    is_floating_type,
    is_scalar_type,
)
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ARITHMETIC_WORDS,
    Span,
    list_arguments,
)
from kbuild.backends.cpu.mixed.regions.grammar.objects import find_class, is_maker, list_members
from kbuild.cxx.declarators import (
    GRID_CONSTANT,
    TYPE_WORDS,
    find_declarator,
    find_type_end,
    split_initializer,
)
from kbuild.cxx.lexer import Token
from kbuild.cxx.places import list_outside
from kbuild.cxx.statements import Block, Statement, skip_attributes
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

# How statements start that declare no variable of a thread.
_OTHER_STATEMENTS: Final = frozenset(
    (
        *("return", "break", "continue", "goto", "delete", "throw", "new", "case", "default"),
        *("using", "typedef", "static_assert", "co_return", "co_await", "asm", "__asm__", "__asm"),
    )
)
_AFTER_NAME: Final = frozenset(("=", ";", ",", "[", "(", "{"))
_INITIALIZERS: Final = ("=", "(", "{")  # how they start
_DEDUCED: Final = frozenset(("auto", "decltype", "__auto_type"))
_MARKS: Final = frozenset(("*", "__restrict__", "__restrict", "restrict"))
# What a parameter can refer to.
Reference = Literal["constant", "changeable"]
# Groups of threads that a variable can stand for, by the names of the types.
Group = Literal["block", "tile"]
_GROUPS: Final[dict[str, Group]] = {"thread_block": "block", "thread_block_tile": "tile"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variable:
    """A parameter of the kernel, or a variable of a divided block.

    Attributes:
        name: Its name.
        index: The index of its name; for a parameter, the brace of the kernel.
        stop: The index after the part of the text in which the name stands for it.
        block: The block that declares it; None for a parameter.
        statement: Its declaration; None for a parameter.
        base: The indices of the declaration's type.
        declarator: The indices of the name with what belongs to it, without the initializer.
        initializer: The indices of the initializer, with ``=`` or brackets; None without one.
        is_reference: Whether it is a reference.
        is_scalar: Whether the spelling suggests that the type is a number or a pointer that is not
            volatile. The generated code proves it.
        is_built_in: Whether it consists of numbers, or of pointers to them, without a doubt: its
            type consists of keywords.
        is_floating: Whether the spelling suggests that it consists of numbers that are rounded.
        is_constant: Whether it is `const` itself, and not only what it points to.
        is_parameter: Whether it is a parameter.
        is_element: Whether a loop over a range declares it.
        members: The members of an object that probably consists of numbers, in order.
        values: The expressions from which it gets its value, without brackets and ``=``: one, or
            those of the first members; None if they are not known.
        group: The group of threads that it stands for; None for other variables.
    """

    name: str
    index: int
    stop: int
    block: Block | None = None
    statement: Statement | None = None
    base: tuple[int, int] = (0, 0)
    declarator: tuple[int, int] = (0, 0)
    initializer: tuple[int, int] | None = None
    is_reference: bool = False
    is_scalar: bool = False
    is_built_in: bool = False
    is_floating: bool = False
    is_constant: bool = False
    is_parameter: bool = False
    is_element: bool = False
    members: tuple[str, ...] = ()
    values: tuple[Span, ...] | None = None
    group: Group | None = None


# What a variable becomes: it exists once, it is computed again in each region, it has a place for
# each thread, or it stands for a group of threads.
Kind = Literal["uniform", "computed", "kept", "group"]


def list_variables(unit: Unit, block: Block, statement: Statement) -> Iterator[Variable]:
    """Yield the variables that a statement of a block declares; none if one of them is unknown."""
    if statement.base is not None:
        origin = _Origin(block, statement, statement.base)
        found = _read(unit, origin, statement.start, statement.stop)
        yield from () if found is None else (found,)
        return
    begin = skip_attributes(unit, statement.start)
    tokens = unit.list_between(begin, statement.stop)
    word = tokens[0].text if tokens else ""
    if word in _OTHER_STATEMENTS or not (word == "::" or word.isidentifier()):
        return
    first, *others = split_at_commas(tokens)
    length = find_type_end(first, 0)
    base = (begin, begin + length)
    position = begin
    variables: list[Variable] = []
    for index, part in enumerate((first, *others)):
        start = position + (length if index == 0 else 0)
        stop = position + len(part)
        found = _read(unit, _Origin(block, statement, base), start, stop)
        if found is None or (found.initializer is None and _is_condition(block, statement)):
            return
        variables.append(found)
        position = stop + 1
    yield from variables


def _is_condition(block: Block, statement: Statement) -> bool:
    """Return whether a statement is a condition. In one, ``a < b && c > d`` declares nothing."""
    is_head = block.kind in ("if", "while", "switch") and block.heads == 1
    return is_head and block.children[0] is statement


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a variable is declared, and the indices of its type."""

    block: Block
    statement: Statement
    base: tuple[int, int]


def _read(unit: Unit, origin: _Origin, start: int, stop: int) -> Variable | None:
    """Read the declarator between two indices; return None if it is an expression."""
    type_tokens = unit.list_between(*origin.base)
    tokens = [*type_tokens, *unit.list_between(start, stop)]
    _, place = find_declarator(tokens)
    if place is None or place < len(type_tokens):
        return None
    index = start + place - len(type_tokens)
    words = {token.text for token in type_tokens}
    behind = index + 1
    following = unit.get(behind) if behind < stop else ";"
    if unit.get(start) == "(":
        close = unit.partners.get(start, stop)
        if unit.get(close + 1) not in ("(", "[") or not words & TYPE_WORDS:
            return None  # a call with a dereferenced argument
        following = ";"
        behind = unit.partners.get(close + 1, stop) + 1
    if following not in _AFTER_NAME:
        return None
    outside = list_outside(unit, behind, stop)
    end = next((each for each in outside if unit.words[each] in _INITIALIZERS), stop)
    marks = unit.words[start:index]
    initializer = (end, stop) if end < stop else None
    is_scalar = (
        "&" not in marks
        and "[" not in unit.words[index:end]
        and not _qualifies("volatile", [*unit.words[slice(*origin.base)], *marks])
        and (bool(words & _DEDUCED) or "*" in marks or is_scalar_type(unit, words))
    )
    kind = ""
    values: tuple[Span, ...] | None = (initializer,) if is_scalar and initializer else None
    if (start, end) == (index, index + 1) and (not is_scalar or words & _DEDUCED):
        kind, listed = _read_values(unit, origin.base, initializer)
        values = listed if kind else values
    return Variable(
        name=unit.words[index],
        index=index,
        stop=origin.block.stop,
        block=origin.block,
        statement=origin.statement,
        base=origin.base,
        declarator=(start, end),
        initializer=initializer,
        is_reference="&" in marks,
        is_constant=_qualifies("const", [*unit.words[slice(*origin.base)], *marks]),
        is_built_in="&" not in marks and is_built_in_type(words),
        is_floating="*" not in marks and is_floating_type(unit, words),
        is_scalar=is_scalar and not kind,
        members=list_members(unit, kind) if kind else (),
        values=values,
    )


def _read_values(
    unit: Unit, base: Span, initializer: Span | None
) -> tuple[str, tuple[Span, ...] | None]:
    """Return the class and the values of an object that braces or a function of CUDA make."""
    first, last = initializer or (0, 0)
    kind = find_class(unit.words[slice(*base)])
    is_assigned = first < last and unit.words[first] == "="
    opening = first + is_assigned
    if is_assigned and unit.get(opening + 1) == "(":
        made = unit.words[opening].removeprefix("make_") if kind == "auto" else kind
        kind, opening = made if is_maker(unit, unit.words[opening], made) else "", opening + 1
    elif unit.get(opening) != "{" or kind == "auto":
        kind = ""
    if not kind or opening >= last or unit.partners[opening] != last - 1:
        return "", None
    return kind, tuple(list_arguments(unit, opening)) if last > opening + 2 else ()


def find_group(words: Iterable[str]) -> Group | None:
    """Return the group of threads that the words of a type name; None for other types."""
    words = [word for word in words if word not in ("const", "&")]
    if "<" in words:
        words = words[: words.index("<")] if words[-1] == ">" else []
    return _GROUPS.get(words[-1]) if words else None


def _qualifies(qualifier: str, words: list[str]) -> bool:
    """Return whether a word in front of a name is about the variable, not what it points to."""
    last = max((i for i, word in enumerate(words) if word == "*"), default=0)
    return qualifier in words[last:]


def is_deduced(unit: Unit, variable: Variable) -> bool:
    """Return whether the type depends on the initializer."""
    return not _DEDUCED.isdisjoint(unit.words[slice(*variable.base)])


def find_reference(words: Iterable[str]) -> Reference | None:
    """Return what a parameter refers to, from the words of its declaration; None without ``&``."""
    before: list[str] = []
    nesting = 0
    for word in words:
        nesting += (word == "<") - (word == ">")
        if word == "&":
            break
        if nesting == 0:
            before.append(word)
    else:
        return None
    last_star = max((i for i, word in enumerate(before) if word == "*"), default=-1)
    return "constant" if "const" in before[last_star + 1 :] else "changeable"


def read_parameters(
    unit: Unit, tokens: list[Token], brace: int, stop: int, *, is_function: bool = False
) -> Iterator[Variable]:
    """Yield the parameters of a kernel that each thread has, except packs.

    References, and parameters that all threads of the grid share, are ordinary names.

    Args:
        unit: The text.
        tokens: The tokens between the parentheses.
        brace: The index of the brace of the body.
        stop: The index after the body.
        is_function: Whether they are those of a device function.
    """
    for part in split_at_commas(tokens):
        head, _ = split_initializer(part)
        _, place = find_declarator(head)
        words = [token.text for token in head]
        is_object = ("&" in words and not is_function) or GRID_CONSTANT in words
        if place is None or is_object or "..." in words:
            continue
        marks = words[_find_angle(words) :]
        is_pointer = "*" in marks or "[" in marks
        base = [word for word in words[:place] if word not in _MARKS]
        group = find_group(words[:place])
        yield Variable(
            name=words[place],
            index=brace,
            stop=stop,
            is_scalar="volatile" not in words[place - 1 :]
            and "&" not in words
            and (is_pointer or is_scalar_type(unit, words[:place])),
            is_built_in="&" not in words and is_built_in_type(base),
            is_floating=not is_pointer and is_floating_type(unit, words[:place]),
            is_reference=find_reference(words) is not None,
            is_constant=_qualifies("const", words[:place]),
            is_parameter=True,
            group=group,
        )


def list_values(unit: Unit, tokens: list[Token]) -> Iterator[bool]:
    """Yield for each parameter between parentheses whether it is a value.

    Nothing, unless all are numbers, pointers to numbers, or references to them, by their spelling.
    """
    found: list[bool] = []
    for part in split_at_commas(tokens):
        _, place = find_declarator(part)
        words = [token.text for token in part[:place]]
        if "=" in [token.text for token in part] or not is_scalar_type(
            unit, {*words} - _MARKS - {"&"}
        ):
            return
        found.append("&" not in words)
    yield from found


def is_number(words: list[str]) -> bool:
    """Return whether a parameter is surely a number that a function gets by value."""
    head = words[: words.index("=")] if "=" in words else words
    kinds = [word for word in head if word != "const"]
    return len(kinds) > 1 and ARITHMETIC_WORDS.issuperset(kinds[:-1])


def _find_angle(words: list[str]) -> int:
    """Return the index after the template arguments of a type."""
    return max((i for i, word in enumerate(words) if word == ">"), default=-1) + 1


def find_value(unit: Unit, variable: Variable | None, first: int) -> Span | None:
    """Return the expression with the value that a name at an index stands for, or its member.

    None for what has another value, which is unknown, or no expression.
    """
    if variable is None or variable.values is None:
        return None
    place = 0
    if not variable.is_scalar:
        member = unit.get(first + 2) if unit.get(first + 1) == "." else ""
        if member not in variable.members:
            return None
        place = variable.members.index(member)
    start, stop = variable.values[place] if place < len(variable.values) else (0, 0)
    return (start + (unit.words[start] == "="), stop) if start < stop else None


def find_variable(variables: tuple[Variable, ...], name: str, index: int) -> Variable | None:
    """Return the variable that a name at an index stands for; None for other names."""
    visible = (v for v in variables if v.name == name and v.index <= index < v.stop)
    return max(visible, key=lambda variable: variable.index, default=None)
