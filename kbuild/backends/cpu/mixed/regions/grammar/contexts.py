"""What an expression does with a variable of a built-in type where its name is.

A name is *read* only if the text around it is on a short list: an operand of built-in operators, a
subscript of a pointer or an array, a converted value, a value that is assigned to a number, a
condition, or what is brought to an operation. Then nothing can see where the variable is, whether
it is constant, or change it. Everything else is unknown. What the list takes for granted of other
operands is a guard, which the generated code checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from kbuild.backends.cpu.mixed.annotations import INDICES
from kbuild.backends.cpu.mixed.regions.grammar.constants import is_built_in_type, is_scalar_type
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ASSIGNMENTS,
    SIGNS,
    STEPS,
    VALUE_OPERATORS,
    Part,
    Span,
    is_conversion,
    is_literal,
    is_name,
    list_arguments,
    list_operands,
    list_parts,
    names_built_in_type,
)
from kbuild.backends.cpu.mixed.regions.grammar.objects import find_class, list_members
from kbuild.cxx.declarators import find_type_end
from kbuild.cxx.places import find_first, find_opening
from kbuild.cxx.statements import Statement
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass, replace

UseKind: TypeAlias = Literal["read", "changed", "unknown"]
_JUMPS: Final = ("return", "throw", "case", "co_return", "co_yield", "new", "delete", "goto")
_SPECIFIERS: Final = ("constexpr", "const", "static")
_BEFORE_LISTS: Final = ("=", "{", ",", "return")
_SIZES: Final = ("sizeof", "alignof")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function that takes a value.

    Attributes:
        callee: The tokens of its name.
        arguments: The tokens of its arguments.
        place: The number of the argument.
    """

    callee: Span
    arguments: tuple[Span, ...]
    place: int


@dataclass(frozen=True, slots=True)
class Use:
    """What happens to a variable at a place.

    Attributes:
        kind: Whether it is read, or changed by an assignment or a step whose operators are built
            in, or anything can happen to it.
        operands: The tokens of expressions that must be numbers or pointers.
        bases: The tokens of expressions that must be pointers or arrays.
        types: The tokens of types that must be those of numbers or pointers.
        objects: The tokens of types that must be those of objects that consist of them.
        call: The call that must take the value; None without one.
    """

    kind: UseKind
    operands: tuple[Span, ...] = ()
    bases: tuple[Span, ...] = ()
    types: tuple[Span, ...] = ()
    objects: tuple[Span, ...] = ()
    call: Call | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about names.

    Attributes:
        is_built_in: Tells whether a name is that of a variable that consists of numbers, or of
            pointers to them, without a doubt: its type consists of keywords.
        by_value: Functions that probably are not overloaded, and whether each parameter is a value.
    """

    is_built_in: Callable[[int], bool]
    by_value: Mapping[str, tuple[bool, ...]]


_READ: Final = Use("read")
_CHANGED: Final = Use("changed")
_UNKNOWN: Final = Use("unknown")


def read_use(
    unit: Unit,
    statement: Statement,
    span: Span,
    *,
    is_brought: bool = False,
    known: Known,
) -> Use:
    """Return what an expression does with a variable, or with an element of an array.

    Args:
        unit: The text.
        statement: The statement, or part of a head, with the name.
        span: The name, or the name and its subscripts.
        is_brought: Whether an argument of an operation that takes values is around the name.
        known: What is known about other names.
    """
    return _Reader(unit, statement, is_brought, known).read(span)


class _Reader:
    def __init__(self, unit: Unit, statement: Statement, is_brought: bool, known: Known) -> None:
        self._unit = unit
        self._statement = statement
        self._is_brought = is_brought
        self._known = known

    def read(self, span: Span) -> Use:
        """Return what happens to a name, or to parentheses around it."""
        self._name = span[0]
        opening = find_opening(self._unit, self._statement.start, span[0])
        if self._is_in_function(opening):
            return _UNKNOWN
        if self._opens_captures(opening) or self._opens_other_list(opening):
            return _UNKNOWN  # it can initialize a reference
        first, last = self._statement.start, self._statement.stop
        if opening is not None:
            first, last = opening + 1, self._unit.partners[opening]
        parts = [*list_operands(self._unit, first, last)]
        place = next(
            (i for i, part in enumerate(parts) if part.start <= span[0] < part.stop), len(parts)
        )
        if place == len(parts) or parts[place].text:
            return _UNKNOWN
        own = self._read_operand(parts[place], span)
        if own is not None:
            return own
        return self._read_consumer(parts, place, span, opening)

    def _is_in_function(self, opening: int | None) -> bool:
        """Return whether braces are around a bracket that can be those of a lambda."""
        while opening is not None:
            if (
                self._unit.words[opening] == "{"
                and self._unit.get(opening - 1) not in _BEFORE_LISTS
            ):
                return True
            opening = find_opening(self._unit, self._statement.start, opening)
        return False

    def _opens_captures(self, opening: int | None) -> bool:
        """Return whether a bracket can be that of a lambda, and is not that of a subscript."""
        if opening is None or self._unit.words[opening] != "[":
            return False
        return find_base(self._unit, opening, self._statement.start) is None

    def _opens_other_list(self, opening: int | None) -> bool:
        """Return whether a bracket is a brace, but not the one around the elements of an array."""
        if opening is None or self._unit.words[opening] != "{":
            return False
        words = self._unit.words[self._statement.start : opening]
        is_array = words[-2:] == ["]", "="] and words[-3:-2] != ["["]
        return not is_array and self._find_object(opening) is None

    def _find_object(self, opening: int) -> Span | None:
        """Return the class of an object that braces initialize, if it probably has only numbers."""
        unit, statement = self._unit, self._statement
        name = opening - 1 - (unit.get(opening - 1) == "=")
        base = statement.base
        if base is None:
            tokens = unit.list_between(statement.start, name)
            base = statement.start, statement.start + find_type_end(tokens, 0)
        is_declared = name in (base[1], statement.start) and is_name(unit.words[name])
        kind = find_class(unit.words[slice(*base)]) if is_declared else ""
        while unit.words[base[0]] in _SPECIFIERS and base[0] < base[1]:
            base = base[0] + 1, base[1]
        return base if kind and list_members(unit, kind) else None

    def _read_operand(self, operand: Part, span: Span) -> Use | None:  # noqa: PLR0911 - a form each
        """Read what belongs to the operand itself; None if that is the name alone."""
        unit, first = self._unit, span[0]
        parts = list_parts(unit, operand.start, operand.stop)
        place = next((i for i, part in enumerate(parts) if part.start == first), -1)
        if place < 0:
            return _UNKNOWN
        behind = next((part.text for part in parts if part.start >= span[1]), "")
        if behind in ("[", "->"):
            return _READ
        if behind in STEPS:
            return _CHANGED if place == 0 else _UNKNOWN
        if behind:
            return _UNKNOWN
        if place == 0:
            return None
        before = parts[place - 1]
        if before.text in STEPS:  # its result is the variable
            is_alone = place == 1 and self._is_statement(operand)
            return _CHANGED if is_alone else _UNKNOWN
        if before.text == "*" or before.text in SIGNS:
            return _READ
        return _READ if is_conversion(unit, before) else self._read_declared(parts, place)

    def _is_statement(self, operand: Part) -> bool:
        return (operand.start, operand.stop) == (self._statement.start, self._statement.stop)

    def _read_declared(self, parts: list[Part], place: int) -> Use | None:
        """Read an operand behind a word: only `return` in front of it says what it is."""
        words = [part.text for part in parts[:place]]
        return None if words in (["return"], ["case"]) else _UNKNOWN

    def _read_consumer(  # noqa: PLR0911 - a form each
        self, parts: list[Part], place: int, span: Span, opening: int | None
    ) -> Use:
        """Read what takes the value of an operand that is the name alone."""
        first = last = place
        while first > 1 and parts[first - 1].text in VALUE_OPERATORS:
            first -= 2
        while last + 2 < len(parts) and parts[last + 1].text in VALUE_OPERATORS:
            last += 2
        before = parts[first - 1].text if first else ""
        behind = parts[last + 1].text if last + 1 < len(parts) else ""
        if behind in ASSIGNMENTS:
            is_whole = opening is None and first == last == 0
            return self._read_assigned(parts) if is_whole else _UNKNOWN
        if first != last:
            others = [parts[i] for i in range(first, last + 1, 2) if i != place]
            return self._guard_operands(others)
        if behind == "?":
            return _READ
        if before in ("?", ":"):
            return _UNKNOWN
        if before in ASSIGNMENTS:
            return self._read_source(parts, first - 1, opening)
        if opening is None:
            is_alone = len(parts) == 1 and parts[0].start == span[0]
            return _READ if is_alone else _UNKNOWN
        return self._read_bracket(parts, opening)

    def _read_assigned(self, parts: list[Part]) -> Use:
        """Read the target of an assignment. A compound one can be a user's operator."""
        if parts[0].stop != parts[0].start + 1:
            return _UNKNOWN
        if parts[1].text == "=":
            return _CHANGED
        found = self._guard_operands([part for part in parts[2:] if not part.text])
        return replace(found, kind="changed") if found.kind == "read" else _UNKNOWN

    def _read_source(self, parts: list[Part], assignment: int, opening: int | None) -> Use:
        """Read what is assigned, or initializes a variable, which is the first target."""
        if assignment == 0:
            return _UNKNOWN
        target = parts[assignment - 1]
        commas = [place for place in range(assignment) if parts[place].text == ","]
        before = parts[commas[-1] if commas else 0 : assignment]
        is_last = any(part.text in (*ASSIGNMENTS, "?", ":") for part in before)
        if is_last or not self._can_declare(parts, assignment):
            return self._guard_operands([target])
        return _UNKNOWN if opening is not None else self._read_initializer(parts[assignment].start)

    def _can_declare(self, parts: list[Part], assignment: int) -> bool:
        """Return whether what an expression assigns can be what a declaration initializes."""
        is_whole = parts[0].start == self._statement.start and self._statement.base is None
        is_assigned = parts[1].text in ASSIGNMENTS  # `T& r = x` has an operator before it
        is_reference = self._unit.words[parts[assignment - 1].start] == "&"  # `T (a) = 1, &r = x`
        if not is_assigned or is_reference or (assignment > 1 and not is_whole):
            return True
        return self._names_several(parts[0])

    def _names_several(self, operand: Part) -> bool:
        """Return whether an operand contains words side by side, as a declaration does."""
        parts = list_parts(self._unit, operand.start, operand.stop)
        return any(is_name(a.text) and is_name(b.text) for a, b in pairwise(parts))

    def _read_initializer(self, equals: int) -> Use:
        """Read what initializes the variable of the declarator in front of ``=``."""
        unit, statement = self._unit, self._statement
        start, base = statement.start, statement.base
        if base is None:
            tokens = unit.list_between(start, equals)
            base = start, start + find_type_end(tokens, 0)
            start = base[1]
        declarator = unit.words[start:equals]
        nested = unit.words[base[0] : base[1]]
        if {"&", "&&", "("} & {*declarator, *nested} or not nested:
            return _UNKNOWN
        own = declarator[-(declarator[::-1].index(",") if "," in declarator else len(declarator)) :]
        if own[:1] == ["*"] or "auto" in nested or is_built_in_type(nested):
            return _READ
        while unit.words[base[0]] in _SPECIFIERS:
            base = base[0] + 1, base[1]
        return Use("read", types=(base,)) if is_scalar_type(unit, nested) else _UNKNOWN

    def _read_bracket(self, parts: list[Part], opening: int) -> Use:
        """Read a name that is alone in brackets."""
        unit = self._unit
        if unit.words[opening] == "[":
            base = find_base(unit, opening, self._statement.start)
            return _UNKNOWN if base is None else Use("read", bases=(base,))
        if unit.words[opening] == "{":
            found = self._find_object(opening)
            listed = None if found is None else Use("read", objects=(found,))
            return listed or self._read_initializer(opening - 1)
        before = unit.get(opening - 1)
        if before in _SIZES:
            return _READ
        if names_built_in_type(unit, opening - 1, opening) or self._is_cast(opening):
            return _READ if len(parts) == 1 else _UNKNOWN
        is_call = is_name(before) and before not in _JUMPS
        if is_call or before in (")", "]", ">", "}"):
            return _READ if self._is_brought else self._read_argument(opening)
        return self.read((opening, unit.partners[opening] + 1)) if len(parts) == 1 else _UNKNOWN

    def _read_argument(self, opening: int) -> Use:
        """Read an argument that is the name alone."""
        unit = self._unit
        values = self._known.by_value.get(unit.words[opening - 1], ())
        if unit.get(opening - 2) in (".", "->"):
            return _UNKNOWN
        first = find_first(unit, opening - 1)
        arguments = tuple(list_arguments(unit, opening))
        place = next(i for i, (start, stop) in enumerate(arguments) if start <= self._name < stop)
        if len(values) != len(arguments) or not values[place]:
            return _UNKNOWN
        return Use("read", call=Call((first, opening), arguments, place))

    def _is_cast(self, opening: int) -> bool:
        words = self._unit.words
        angle = opening - 1
        while angle > self._statement.start and words[angle] != "<":
            angle -= 1
        return words[angle - 1] == "static_cast" and names_built_in_type(
            self._unit, angle + 1, opening - 1
        )

    def _guard_operands(self, operands: Sequence[Part]) -> Use:
        spans: list[Span] = []
        for operand in operands:
            first, last = operand.start, operand.stop
            words = self._unit.words[first:last]
            if operand.text or "{" in words:
                return _UNKNOWN
            if words[:1] and words[0] in ("return", "case"):
                first += 1
            if not self._is_known(first, last):
                spans.append((first, last))
        return Use("read", operands=tuple(spans))

    def _is_known(self, first: int, last: int) -> bool:
        """Return whether an operand is a number or a pointer without a doubt."""
        words = self._unit.words[first:last]
        if len(words) == 1 and is_literal(words[0]):
            return True
        if words[0] in INDICES:
            return words[1:2] == ["."]
        parts = list_parts(self._unit, first, last)
        return self._known.is_built_in(first) and all(part.text == "[" for part in parts[1:])


def find_base(unit: Unit, bracket: int, first: int) -> Span | None:
    """Return the tokens of what a subscript belongs to; None if the bracket is that of a lambda.

    Args:
        unit: The text.
        bracket: The index of the bracket.
        first: The index where the statement starts.
    """
    index = bracket
    while index > first:
        before = unit.get(index - 1)
        if before in (")", "]") and index - 1 in unit.partners:
            index = unit.partners[index - 1]
            before = unit.get(index - 1)
            if before == ">":
                return None  # the end of template arguments
            if before not in (")", "]") and not (is_name(before) and before not in _JUMPS):
                break
        elif is_name(before) and before not in _JUMPS:
            index -= 1
            if unit.get(index - 1) not in (".", "->", "::"):
                break
            index -= 1
        else:
            break
    is_named = index < bracket and unit.words[index] != "["
    return (index, bracket) if is_named else None
