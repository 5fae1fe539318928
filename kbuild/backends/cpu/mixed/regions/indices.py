"""Expressions that are the index of the thread, plus what the threads of a row have in common."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDEX
from kbuild.backends.cpu.mixed.regions.declared_names import list_declared_names
from kbuild.backends.cpu.mixed.regions.grammar.contexts import find_base
from kbuild.backends.cpu.mixed.regions.grammar.expressions import Span, is_member
from kbuild.backends.cpu.mixed.regions.grammar.mentions import KEYWORDS, asks_for_index, list_names
from kbuild.backends.cpu.mixed.regions.plan import Division, read_known
from kbuild.backends.cpu.mixed.regions.ranges import RANGE
from kbuild.backends.cpu.mixed.regions.variables import Variable, find_value
from kbuild.cxx.declarators import TYPE_WORDS
from kbuild.cxx.places import list_outside
from kbuild.cxx.statements import Node, Statement, list_blocks
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

THREAD_INDEX: Final = [INDEX, ".", "x"]
_FACTORS: Final = frozenset("*/%~")  # a sign behind them belongs to a factor
_BINDING_LESS: Final = frozenset(("&", "|", "^", "?", ":", "<", ">", "=", ",", "<<", "!"))
_TRAPS: Final = frozenset("/%")  # which a condition can keep from being evaluated
_OTHER_SCOPES: Final = frozenset(("struct", "class", "union", "enum", "catch", "using", "typedef"))
# Numbers without octal digits, which are below 2^30.
_NUMBER: Final = re.compile(r"(?:0|[1-9]\d{0,8})[uU]?")
_MOST_OFFSET: Final = 1 << 24
_MOST_EVALUATED: Final = 8  # subscripts, as each of them costs time in every row
_INT: Final = frozenset(("const", "int"))
_OF_32_BITS: Final = _INT | {"unsigned"}
_TO_INT: Final = ["int", "("]


def drop_parentheses(unit: Unit, span: Span) -> Span:
    """Return what is in the parentheses around an expression."""
    first, last = span
    while first < last and unit.words[first] == "(" and unit.partners[first] == last - 1:
        first, last = first + 1, last - 1
    return first, last


def is_plain(unit: Unit, division: Division, span: Span) -> bool:
    """Return whether an expression depends on indices and on what all threads have in common."""
    plain = read_known(unit, span, division.uses, division.groups, division.shared)
    if plain is None:
        return False
    for first, _ in plain.names:
        found = division.uses.resolve(first)
        kind = "uniform" if found is None else division.kinds[found]
        if kind == "kept":
            return False
        value = find_value(unit, found, first) if kind == "computed" else None
        if value is not None and not is_plain(unit, division, value):
            return False
    return True


def _list_variables(unit: Unit, division: Division, span: tuple[int, int]) -> list[Variable | None]:
    return [division.resolve(unit.words[index], index) for index in list_names(unit, *span)]


def differs(unit: Unit, division: Division, span: tuple[int, int]) -> bool:
    """Return whether an expression differs between the threads of a row."""
    for index in list_names(unit, *span):
        if unit.words[index] == INDEX and unit.words[index + 2] not in ("y", "z"):
            return True
    for index in list_names(unit, *span):
        found = division.resolve(unit.words[index], index)
        kind = None if found is None else division.kinds[found]
        if kind == "group" and asks_for_index(unit, index):
            return True
        value = find_value(unit, found, index) if kind == "computed" else None
        if value is not None and differs(unit, division, value):
            return True
    return False


def find_sums(unit: Unit, division: Division, span: Span) -> tuple[Span, ...]:
    """Return the sums that an index consists of: the expression, and initializers of variables.

    The expression is the index of the thread, plus what a row has in common, if all of them are
    integers. The result is empty if it has another form.
    """
    terms = [*_list_terms(unit, drop_parentheses(unit, span))]
    depending = [(sign, term) for sign, term in terms if differs(unit, division, term)]
    if len(depending) != 1 or has_other_operators(unit, drop_parentheses(unit, span)):
        return ()
    sign, (first, last) = depending[0]
    if sign == "-":
        return ()
    first, last = _drop_conversion(unit, (first, last))
    words = unit.words[first:last]
    inner: Span | None = None
    found = division.resolve(words[0], first)
    if words[0] == "(":
        inner = (first + 1, last - 1) if unit.partners[first] == last - 1 else None
    elif words == THREAD_INDEX:
        return (span,)
    elif words[1:] == [".", "thread_rank", "(", ")"]:
        return (span,) if found is not None and found.group == "block" else ()
    elif len(words) == 1 or is_member(words):
        inner = find_value(unit, found, first)
    sums = () if inner is None else find_sums(unit, division, inner)
    # The name can have another type than what it is converted to.
    return (*dict.fromkeys((span, (first, last))), *sums) if sums else ()


def has_other_operators(unit: Unit, span: Span) -> bool:
    """Return whether an expression has operators that bind less than a sum."""
    return any(unit.words[index] in _BINDING_LESS for index in list_outside(unit, *span))


def _drop_conversion(unit: Unit, span: Span) -> Span:
    """Return what is converted to a built-in type by ``type(...)`` or ``(type)...``."""
    first, last = span
    if unit.words[first] in TYPE_WORDS and unit.get(first + 1) == "(":
        first += 1
    elif unit.words[first] == "(":
        behind = unit.partners[first] + 1
        if behind < last and TYPE_WORDS.issuperset(unit.words[first + 1 : behind - 1]):
            first = behind
    return first, last


def _list_terms(unit: Unit, span: Span) -> Iterator[tuple[str, Span]]:
    """Yield the terms of a sum, with their signs."""
    first, last = span
    sign = "+"
    for index in list_outside(unit, first, last):
        word = unit.words[index]
        if word in ("+", "-") and (index == first or unit.words[index - 1] not in _FACTORS):
            if index > first:
                yield sign, (first, index)
            sign, first = word, index + 1
    yield sign, (first, last)


@dataclass(frozen=True, slots=True)
class Subscript:
    """A subscript that is an index, and has the same value at some places.

    Attributes:
        spans: The tokens of each place.
        sums: The sums that it consists of.
        bases: The tokens of what each place is a subscript of.
        offset: What is added to ``threadIdx.x``, if that is a number.
    """

    spans: tuple[Span, ...]
    sums: tuple[Span, ...]
    bases: tuple[Span, ...]
    offset: int | None


def find_subscripts(
    unit: Unit, division: Division, nodes: Iterable[Node], skipped: list[Span]
) -> tuple[Subscript, ...]:
    """Return the subscripts in some nodes that are indices, except in skipped parts.

    Of those that each row would evaluate, the result has only the first ones. It is empty if the
    nodes contain lambdas or classes, which can declare other variables with the same names.
    """
    nodes = list(nodes)
    found: dict[tuple[str | Variable | None, ...], list[Span]] = defaultdict(list)
    hidden = {name for node in nodes for name in _list_inner_names(unit, node)}
    for node in nodes:
        for index in range(node.start, node.stop):
            if _opens_other_scope(unit, index):
                return ()
            is_skipped = any(start <= index < stop for start, stop in skipped)
            if unit.words[index] != "[" or is_skipped:
                continue
            span = (index + 1, unit.partners[index])
            if find_base(unit, index, node.start) and _can_replace(unit, division, span, hidden):
                variables = _list_variables(unit, division, span)
                key = (*unit.words[slice(*span)], *variables)
                found[key].append(span)
    subscripts = [
        Subscript(
            tuple(spans),
            sums,
            tuple(find_base(unit, first - 1, 0) or (0, 0) for first, _ in spans),
            _find_int_offset(unit, division, spans[0]),
        )
        for spans in found.values()
        if (sums := find_sums(unit, division, spans[0]))
    ]
    evaluated = [each for each in subscripts if each.offset is None]
    return (*(each for each in subscripts if each.offset is not None), *evaluated[:_MOST_EVALUATED])


def _find_int_offset(unit: Unit, division: Division, span: Span) -> int | None:
    """Return what an expression of the type ``int`` adds to the index, if it is a small number.

    The spelling must show the type, as an unsigned sum can wrap around.
    """
    if any(word[0].isdigit() and not word.isdigit() for word in unit.words[slice(*span)]):
        return None  # a number of another type
    for _, (first, last) in _list_terms(unit, span):
        found = division.resolve(unit.words[first], first) if last == first + 1 else None
        is_int = found is not None and _INT.issuperset(unit.words[slice(*found.base)])
        if is_int or unit.words[first : first + 2] == _TO_INT:
            offset = _find_offset(unit, division, span)
            return offset if offset is not None and abs(offset) < _MOST_OFFSET else None
    return None


def _find_offset(unit: Unit, division: Division, span: Span) -> int | None:
    """Return what an expression of 32 bits adds to the index, if it is a number."""
    offset, index = 0, None
    for sign, (first, last) in _list_terms(unit, drop_parentheses(unit, span)):
        if last == first + 1 and _NUMBER.fullmatch(unit.words[first]):
            offset += int(sign + unit.words[first].rstrip("uU"))
        elif index is None and sign == "+":
            index = (first, last)
        else:
            return None
    if index is None:
        return None
    first, last = index
    if unit.words[first : first + 2] == _TO_INT and unit.partners[first + 1] == last - 1:
        first, last = first + 2, last - 1
    if unit.words[first:last] == THREAD_INDEX:
        return offset
    found = division.resolve(unit.words[first], first) if last == first + 1 else None
    is_word = found is not None and _OF_32_BITS.issuperset(unit.words[slice(*found.base)])
    value = find_value(unit, found, first)
    if found is None or value is None or found.is_reference or not is_word:
        return None
    inner = _find_offset(unit, division, value)
    return None if inner is None else offset + inner


def _opens_other_scope(unit: Unit, index: int) -> bool:
    """Return whether a token can belong to declarations that are no statements of a block."""
    word, before = unit.words[index], unit.get_token(index - 1)
    if word != "[":
        return word in _OTHER_SCOPES or (word == "{" and before.text == "(")
    is_name = before.is_word and before.text not in KEYWORDS
    is_lambda = unit.get(unit.partners[index] + 1) in ("(", "{")
    return is_lambda or not (is_name or before.text in ("]", ")"))


def _list_inner_names(unit: Unit, node: Node) -> Iterator[str]:
    """Yield the names of the variables that blocks in a node declare."""
    for block in list_blocks(node):
        for child in block.children:
            if isinstance(child, Statement):
                yield from (unit.words[each] for each in list_declared_names(unit, child))
        if block.kind == RANGE or (block.kind == "for" and block.heads == 2):  # noqa: PLR2004 - over a range
            for head in block.children[:2]:
                yield from (unit.words[each] for each in list_names(unit, head.start, head.stop))


def _is_thread_index(unit: Unit, division: Division, span: Span) -> bool:
    """Return whether an expression is the index of the thread, without a sum."""
    first, last = span
    found = division.resolve(unit.words[first], first) if last == first + 1 else None
    first, last = find_value(unit, found, first) or (first, last)
    return unit.words[first:last] == THREAD_INDEX


def _can_replace(unit: Unit, division: Division, span: Span, hidden: set[str]) -> bool:
    """Return whether a subscript means the same before its region, and is not the index itself."""
    words = unit.words[slice(*span)]
    is_known = hidden.isdisjoint(words) and _TRAPS.isdisjoint(words)
    if not is_known or _is_thread_index(unit, division, span):
        return False
    variables = _list_variables(unit, division, span)
    statements = (v.statement for v in variables if v is not None and v.statement is not None)
    if any(each.start <= span[0] < each.stop for each in statements):
        return False  # the declaration renames it
    return is_plain(unit, division, span)
