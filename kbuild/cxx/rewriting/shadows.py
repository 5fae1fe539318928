"""Decide whether a declaration in a function or class hides a kernel at a launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kbuild.cxx.scopes import Scope
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit

# Words after which an identifier is used and not declared.
EXPRESSION: Final = frozenset(
    {"return", "throw", "new", "delete", "case", "goto", "else", "do", "co_return", "co_await"}
    | {"co_yield", "sizeof", "alignof", "typeid", "not", "and", "or", "xor", "operator", "if"}
    | {"namespace", "while", "for", "switch", "template", "decltype", "noexcept", "using"}
)
_POINTERS: Final = frozenset(("*", "&"))
_TYPE_ENDS: Final = frozenset((">", "]", "...", "and"))  # `and` also spells `&&`
_AFTER_NESTED: Final = frozenset((")", "(", "["))
_AFTER_DECLARATOR: Final = frozenset(("(", "[", "{", "="))
_BEFORE_INITIALIZED: Final = frozenset((",", "["))  # of one of several variables, or of a capture
_INITIALIZERS: Final = frozenset(("(", "{", "["))
_CONTINUING: Final = frozenset(("else", "catch"))  # after a block of the same statement
_OPENING: Final = frozenset("([")
_CLOSING: Final = frozenset(")]}")


def can_declare(unit: Unit, index: int) -> bool:
    """Return whether the token at an index can be the name in a declaration; in doubt, yes."""
    after = unit.get(index + 1)
    if unit.get(index - 1) in (".", "->", "::") or after in ("::", "<"):
        return False
    if after == "=":
        return unit.get(index + 2) != "="
    first = _skip_pointers(unit, index)
    before = unit.get(first - 1)
    if before in _BEFORE_INITIALIZED:
        return first == index or after in _INITIALIZERS
    if before == "(":
        return after in _AFTER_NESTED and unit.get(first - 2) not in EXPRESSION
    return _ends_type(unit, first - 1)


def _ends_type(unit: Unit, index: int) -> bool:
    """Return whether the token at an index can be the last one of a type."""
    word = unit.get(index)
    if word == ")":  # of an attribute or a type, such as `decltype(x)`, and not of a cast
        opening = unit.partners.get(index, 0)
        return opening > 0 and unit.get_token(opening - 1).is_word
    is_name = bool(word) and unit.get_token(index).is_word and word not in EXPRESSION
    return is_name or word in _TYPE_ENDS


def _skip_pointers(unit: Unit, index: int) -> int:
    """Return the index of the first of the ``*`` and ``&`` before a token."""
    while unit.get(index - 1) in _POINTERS:
        index -= 1
    return index


def _is_argument(unit: Unit, index: int) -> bool:
    """Return whether a token looks like an argument, ``f(k)``, and not like ``T (k) = x``."""
    return (
        unit.get(_skip_pointers(unit, index) - 1) == "("
        and unit.get(index + 1) == ")"
        and unit.get(index + 2) not in _AFTER_DECLARATOR
    )


def is_hidden(unit: Unit, launch: int, declared: Iterable[int], scopes: list[Scope]) -> bool:
    """Return whether a declaration in a block or class hides a kernel at a launch.

    Args:
        unit: The text.
        launch: The index of the launch's first token.
        declared: The indices of what can be declarations of the name.
        scopes: The scopes around the launch.
    """
    inner = [scope for scope in scopes if scope.kind in ("block", "class")]
    if not inner:
        return False
    first = find_function(unit, unit.find_index(inner[0].head))
    classes = [scope for scope in inner if scope.kind == "class"]
    last = unit.partners.get(unit.find_index(classes[0].brace), launch) if classes else launch
    kinds = {unit.find_index(scope.brace): scope.kind for scope in inner}
    # The name of a class hides the kernel, and that of the function around the launch overloads it.
    kinds[first - 1] = inner[0].kind
    return any(
        first <= index < last
        and not _is_argument(unit, index)
        and _reaches(unit, index, launch, first, kinds)
        for index in declared
    )


def find_function(unit: Unit, head: int) -> int:
    """Return where a function starts whose body is a block; ``head`` is the start of the block.

    If a try block is the body, then handlers have blocks, too.
    """
    while unit.get(head) == "catch" and unit.get(head - 1) == "}":
        head = unit.find_head(unit.partners.get(head - 1, head))
    return head


def _reaches(unit: Unit, index: int, launch: int, first: int, kinds: Mapping[int, str]) -> bool:
    """Return whether the scope of the declaration at ``index`` contains a launch.

    A declaration in parentheses or in a template header belongs to the block or statement after
    it. Every other declaration belongs to the block or class around it.
    """
    partners = unit.partners
    outermost: int | None = None
    current = index - 1
    while current >= first and unit.words[current] != "{":
        word = unit.words[current]
        if word in _CLOSING:
            current = partners.get(current, current)
        elif word in _OPENING:
            if partners.get(current, launch) >= launch > index:
                return True
            outermost = current
        elif word == "template" and outermost is None:
            header = unit.list_between(current, max(index, launch) + 1)
            close = match_angle(header, 1)
            if close is not None and current + close > index:
                return _reaches_statement(unit, current + close, launch)
        current -= 1
    if outermost is not None and not _is_declared_name(unit, outermost, index):
        return _reaches_statement(unit, partners.get(outermost, outermost), launch)
    if current < first:
        is_function = outermost is None and kinds[first - 1] == "block"
        return not is_function and index < launch
    kind = kinds.get(current)
    return kind == "class" or (kind is not None and index < launch)


def is_parameter(unit: Unit, index: int) -> bool:
    """Return whether a declared name is in parentheses, and not in ``(*name)``."""
    opening = unit.find_head(index) - 1
    return unit.get(opening) == "(" and not _is_declared_name(unit, opening, index)


def _is_declared_name(unit: Unit, opening: int, index: int) -> bool:
    """Return whether the bracket is that of ``(*name)`` or ``auto [name]``, and not of captures."""
    if unit.words[opening] == "[":
        return unit.get(opening - 1) in ("auto", "&")
    return all(word in ("*", "&", "const") for word in unit.words[opening + 1 : index])


def _reaches_statement(unit: Unit, index: int, launch: int) -> bool:
    """Return whether the block or statement that follows ``index`` contains a launch."""
    if launch < index:
        return False
    while index < len(unit.words):
        word = unit.words[index]
        if word == ";":
            return launch < index
        if word in ("{", "(", "[") and index in unit.partners:
            if index < launch < unit.partners[index]:
                return True
            index = unit.partners[index]
            if word == "{" and unit.get(index + 1) not in _CONTINUING:
                return False
        index += 1
    return True
