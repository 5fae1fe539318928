"""Names in the body of a kernel, and what happens to them there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from kbuild.backends.cpu.mixed.mentions import list_own_files
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.declarators import TYPE_OPERATORS, TYPE_WORDS
from kbuild.cxx.lexer import Token
from kbuild.cxx.unit import Unit

KEYWORDS: Final = (
    TYPE_WORDS
    | TYPE_OPERATORS
    | frozenset(
        (
            *("return", "break", "continue", "if", "else", "for", "while", "do", "switch", "case"),
            *("default", "goto", "sizeof", "alignof", "true", "false", "nullptr", "this", "new"),
            *("delete", "throw", "using", "typedef", "template", "typename", "static", "extern"),
            *(
                "static_cast",
                "reinterpret_cast",
                "const_cast",
                "operator",
                "noexcept",
                "static_assert",
            ),
        )
    )
)
# Calls of these have no effect but their result.
_PURE: Final = frozenset(
    ("min", "max", "abs", "sizeof", "alignof", "static_cast", "__umul24", "__mul24")
)
# The properties of a group that all threads of the block share.
_OF_BLOCKS: Final = frozenset(
    ("size", "num_threads", "group_dim", "dim_threads", "group_index", "meta_group_size")
)
_OF_GROUPS: Final = _OF_BLOCKS | {"thread_rank", "thread_index", "meta_group_rank"}
_ADDRESS_FUNCTIONS: Final = ("addressof", "__addressof", "__builtin_addressof")
_EFFECTS: Final = frozenset(("[", "->", "{", "new", "throw", "this"))
_COMPOUND: Final = frozenset("+-*/%&|^")
_OPERATORS: Final = frozenset("+-*/%&|^!~<>=?:,;({[") | {
    "<<",
    "<=",
    ">=",
    "->",
    "&&",
    "||",
    "return",
}

VOLATILE: Final = "volatile"
_AFTER_NAME: Final = (";", ",", "=", "[", "(", ")", "{")
Use = Literal["read", "changed", "shared"]


def list_names(unit: Unit, first: int, last: int) -> Iterator[int]:
    """Yield the indices of the names in a part of a text that can be those of variables."""
    for index in range(first, last):
        word = unit.words[index]
        if not (word[0].isalpha() or word[0] in "_$") or word in KEYWORDS:
            continue
        before = unit.words[index - 1] if index > first else unit.get(index - 1)
        if before not in (".", "->", "::") and unit.get(index + 1) != "::":
            yield index


def asks_for_index(unit: Unit, index: int) -> bool:
    """Return whether an expression with a variable for a group can differ between threads."""
    return unit.get(index + 1) != "." or unit.get(index + 2) not in _OF_BLOCKS


def find_use(unit: Unit, index: int, *, is_pointer: bool = False) -> Use:
    """Return what an expression does with the variable whose name has an index.

    ``shared`` is a variable whose address is taken, or that a reference can refer to. The target of
    a pointer does not count.
    """
    before, outer = unit.get(index - 1), unit.get(index - 2)
    is_target = unit.get(index + 1) == "[" or (before == "*" and _is_unary(unit, index - 1))
    if is_pointer and is_target:
        return "read"
    is_address = before == "&" and (outer in _OPERATORS or outer == ")")
    is_address = is_address and not _is_logical(unit, index - 1)
    if is_address or (before == "(" and outer in _ADDRESS_FUNCTIONS):
        return "shared"
    after = index + 1
    while unit.get(after) in ("[", "."):
        after = unit.partners.get(after, after) + 1 if unit.words[after] == "[" else after + 2
    calls_member = after != index + 1 and unit.get(after) == "(" and unit.get(after - 2) == "."
    if calls_member or (before == "=" and _binds_reference(unit, index - 1)):
        return "shared"
    is_changed = _is_increment(unit, index - 2) or _is_increment(unit, after)
    return "changed" if is_changed or _starts_assignment(unit, after) else "read"


def _is_logical(unit: Unit, index: int) -> bool:
    """Return whether ``&`` is the end of ``&&``."""
    first = index
    while unit.get(first - 1) == "&" and unit.starts[first - 1] == unit.starts[first] - 1:
        first -= 1
    return (index - first) % 2 == 1


def _starts_assignment(unit: Unit, index: int) -> bool:
    """Return whether the operator at an index assigns to what is before it."""
    word, following = unit.get(index), unit.get(index + 1)
    if not word or not following:
        return False
    is_adjacent = unit.starts[index + 1] == unit.starts[index] + len(word)
    if word == "=":
        return following != "=" or not is_adjacent
    if word == ">":
        return following == ">=" and is_adjacent
    return following == "=" and is_adjacent and (word in _COMPOUND or word == "<<")


def _is_unary(unit: Unit, index: int) -> bool:
    return unit.get(index - 1) in _OPERATORS or unit.get(index - 1) in ("}", ")", "else", "do")


def _is_increment(unit: Unit, index: int) -> bool:
    """Return whether ``++`` or ``--`` starts at an index."""
    word = unit.get(index)
    return (
        word in ("+", "-")
        and unit.get(index + 1) == word
        and unit.starts[index + 1] == unit.starts[index] + 1
    )


def _binds_reference(unit: Unit, equals: int) -> bool:
    return unit.get(equals - 2) == "&" or (
        unit.get(equals - 2) == "const" and unit.get(equals - 3) == "&"
    )


def is_argument(unit: Unit, index: int) -> bool:
    """Return whether a name is an argument of its own, so that what is called can refer to it."""
    return unit.get(index - 1) in ("(", "{", ",") and unit.get(index + 1) in (")", "}", ",")


def names_type(unit: Unit, index: int) -> bool:
    """Return whether a name is the operand of an operator that returns its declared type."""
    is_operand = unit.get(index - 1) == "(" and unit.get(index + 1) == ")"
    return is_operand and unit.get(index - 2) in TYPE_OPERATORS


def is_pure(unit: Unit, first: int, last: int, groups: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression reads no memory, changes nothing, and calls no function.

    So its result depends on the variables alone that it names. Functions of objects with the names
    in ``groups`` return properties of these.
    """
    return all(_is_pure_token(unit, index, first, groups) for index in range(first, last))


def _is_pure_token(unit: Unit, index: int, first: int, groups: frozenset[str]) -> bool:
    word, before = unit.words[index], unit.get(index - 1)
    if word in _EFFECTS or word[0] == '"' or _is_increment(unit, index):
        return False
    is_unary = index == first or before in _OPERATORS
    if word == "*":
        return not is_unary  # otherwise, the target of a pointer
    if word == "&":
        return not is_unary or _is_double(unit, index)
    if word == "=":
        return _is_comparison(unit, index)
    if word == "(" and index > first:
        is_member = unit.get(index - 2) == "." and unit.get(index - 3) in groups
        is_property = is_member and unit.get(index - 1) in _OF_GROUPS
        return is_property or _is_pure_call(unit, index - 1)
    return True


def _is_double(unit: Unit, index: int) -> bool:
    word = unit.words[index]
    return (unit.get(index - 1) == word and unit.starts[index - 1] == unit.starts[index] - 1) or (
        unit.get(index + 1) == word and unit.starts[index + 1] == unit.starts[index] + 1
    )


def _is_comparison(unit: Unit, index: int) -> bool:
    """Return whether ``=`` belongs to ``==`` or ``!=``."""
    position = unit.starts[index]
    before, following = unit.get(index - 1), unit.get(index + 1)
    if following == "=" and unit.starts[index + 1] == position + 1:
        return True
    return before in ("=", "!") and unit.starts[index - 1] == position - 1


def _is_pure_call(unit: Unit, before: int) -> bool:
    """Return whether a parenthesis after a token calls nothing, or a function without effects."""
    token: Token = unit.get_token(before)
    if token.text == ">":  # the end of a cast
        opening = before
        while opening > 0 and unit.words[opening] != "<":
            opening -= 1
        return unit.get(opening - 1) == "static_cast"
    if not token.is_word:
        return token.text not in (")", "]")
    return token.text in _PURE or token.text in TYPE_WORDS or token.text == "return"


def find_volatile(code: Unit, declarations: tuple[Declaration, ...]) -> frozenset[str]:
    """Return the names that can stand for volatile memory in the files of a project.

    They are those of variables and members, also if the type is an alias, and of marked functions
    that mention such a type.
    """
    own = tuple(list_own_files(code))
    names: set[str] = set()
    pending = [VOLATILE]
    while pending:
        for index in code.find((pending.pop(),)):
            position = code.starts[index]
            if not any(start <= position < end for start, end in own):
                continue
            head = code.find_head(index)
            is_alias = code.words[head] in ("typedef", "using")
            found = set(_list_declared(code, head + 1 if code.words[head] == "using" else index))
            if is_alias:
                pending += found - names
            functions = (each for each in declarations if each.body is not None)
            names |= found
            names |= {each.name for each in functions if each.start <= position < each.end}
    return frozenset(names)


def _list_declared(code: Unit, index: int) -> Iterator[str]:
    """Yield the names behind a word of a type that can be those of variables, members, or types."""
    while code.get(index) not in ("", ";", "{", ")"):
        if code.get(index + 1) in _AFTER_NAME and any(list_names(code, index, index + 1)):
            yield code.words[index]
        index = code.partners.get(index, index) + 1
