"""Whether an operation can be taken out of its expression: only where C++ leaves the order open.

An operation runs before the rest of its statement. So nothing that C++ evaluates before it can have
effects, or read memory: the left operands of ``,``, ``<<``, and ``>>``, elements of braces in
front, the object of a call, what a subscript belongs to, and the right side of an assignment whose
left side contains the operation ([intro.execution], [expr.call], [expr.sub], [expr.shift],
[expr.ass], [dcl.init.list]).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from kbuild.backends.cpu.mixed.annotations import INDICES
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ANGLES,
    ARITHMETIC_WORDS,
    ASSIGNMENTS,
    STEPS,
    VALUE_OPERATORS,
    Part,
    Span,
    is_conversion,
    is_literal,
    is_name,
    list_operands,
    list_parts,
    names_built_in_type,
)
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.cxx.declarators import TYPE_OPERATORS
from kbuild.cxx.places import find_opening
from kbuild.cxx.statements import Statement
from kbuild.cxx.unit import Unit

# Whether a name is that of a number or a pointer of the thread.
IsOwn = Callable[[int], bool]
_NOT_EVALUATED: Final = frozenset(("sizeof", "alignof", "noexcept", "typeid", *TYPE_OPERATORS))
_CONDITIONAL: Final = ("&&", "||", "?", ":")
_SHIFTS: Final = ("<<", ">>")
_THIS_BLOCK: Final = "this_thread_block"
_JUMPS: Final = ("return", "throw")
_OF_TYPES: Final = ("::", "<", ">", ",")
_BEHIND_TYPES: Final = (",", ">", "*", "&")
_INERT_WORDS: Final = frozenset(("return", "auto", "const", *"+-/%&|^<>=!~()"))


def check_order(
    unit: Unit, statement: Statement, operation: Operation, is_own: IsOwn
) -> tuple[Span, ...]:
    """Return the types of the objects that C++ makes before an operation.

    The generated code must check that nothing is executed for that.

    Raises:
        CannotDivide: The operation must not run before the rest of its statement.
    """
    order = _Order(unit, statement, is_own, has_effects=_has_effects(unit, operation))
    span = (operation.index, operation.close + 1)
    opening = find_opening(unit, statement.start, span[0])
    while order.is_first(span, opening) and opening is not None:
        span = (opening, unit.partners[opening] + 1)
        opening = find_opening(unit, statement.start, opening)
    if opening is not None or not order.is_first(span, None):
        raise CannotDivide(f"C++ evaluates something before '{operation.name}' in its statement")
    return tuple(order.made)


def is_apart(unit: Unit, statement: Statement, operation: Operation, is_private: IsOwn) -> bool:
    """Return whether no destructor can change what a statement does beside an operation.

    Then its other parts are numbers that no function can change, built-in operators, and built-in
    types.
    """
    others = (*range(statement.start, operation.index), *range(operation.close + 1, statement.stop))
    return all(
        unit.words[index] in _INERT_WORDS
        or unit.words[index] in ARITHMETIC_WORDS
        or is_literal(unit.words[index])
        or is_private(index)
        for index in others
    )


def _opens_arguments(unit: Unit, index: int) -> bool:
    """Return whether a token can open the arguments of a call."""
    before = unit.get(index - 1)
    return unit.words[index] == "(" and (is_name(before) or before in (">", ")", "]", "}"))


def _has_effects(unit: Unit, operation: Operation) -> bool:
    """Return whether the arguments of an operation can change variables."""
    parts = operation.arguments
    if operation.constructor is not None:
        parts = ((operation.index, operation.close),)
    for first, last in parts:
        for part in list_parts(unit, first, last):
            if part.text in (*ASSIGNMENTS, *STEPS):
                return True
        for index in range(first, last):
            before = unit.get(index - 1)
            is_call = _opens_arguments(unit, index)
            is_step = unit.words[index] in ("+", "-", "=") and before == unit.words[index]
            is_known = names_built_in_type(unit, index - 1, index)
            if unit.words[index] == "{" or is_step or (is_call and not is_known):
                return True
            if unit.words[index] == "=" and before not in ("<", ">", "!", "="):
                return True
    return False


def can_make_objects(unit: Unit, argument: Span) -> bool:
    """Return whether an argument can make temporary objects, which a divided function survives."""
    return any(opens_objects(unit, index) for index in range(*argument))


def opens_objects(unit: Unit, index: int) -> bool:
    """Return whether a token opens the arguments of a call, or braces, which can make an object."""
    before = unit.get(index - 1)
    is_known = names_built_in_type(unit, index - 1, index) or before == _THIS_BLOCK
    return unit.words[index] == "{" or (_opens_arguments(unit, index) and not is_known)


def _find_made(parts: list[Part]) -> Span | None:
    """Return the type of an object without a name in front of the arguments of its operator.

    That is ``T`` of ``T()(x)`` and ``T{}(x)``, if ``T`` is a type.
    """
    parts = parts[1:] if parts[:1] and parts[0].text == "return" else parts
    if len(parts) < 2 or parts[-1].text not in ("(", "{"):  # noqa: PLR2004 - a type, and brackets
        return None
    words = [part.text for part in parts[:-1]]
    is_empty = parts[-1].stop == parts[-1].start + 2
    is_type = all(is_name(word) or is_literal(word) or word in _OF_TYPES for word in words)
    is_type = is_type and (is_name(words[0]) or words[0] == "::") and words[-1] != "::"
    return (parts[0].start, parts[-1].start) if is_empty and is_type else None


def _can_be_comparisons(words: list[str]) -> bool:
    """Return whether a comma can be an operator, as in ``a < b, c > (d)``.

    It separates template arguments if one of them is surely a type.
    """
    has_type = any(a in ARITHMETIC_WORDS and b in _BEHIND_TYPES for a, b in pairwise(words))
    return "," in words and not has_type


class _Order:
    def __init__(
        self, unit: Unit, statement: Statement, is_own: IsOwn, *, has_effects: bool
    ) -> None:
        self._unit = unit
        self._statement = statement
        self._is_own = is_own
        self._has_effects = has_effects
        self.made: list[Span] = []

    def is_first(self, span: Span, opening: int | None) -> bool:
        """Return whether a part of what is in brackets can be evaluated before the rest of it."""
        first, last = self._statement.start, self._statement.stop
        if opening is not None:
            first, last = opening + 1, self._unit.partners[opening]
        parts = [*list_operands(self._unit, first, last)]
        place = next((i for i, p in enumerate(parts) if p.start <= span[0] < p.stop), None)
        if place is None or parts[place].text not in ("", ANGLES):
            return False
        if not self._is_first_in(parts[place], span):
            return False
        before = parts[:place]
        if opening is not None and self._is_call(opening):
            commas = [i for i, part in enumerate(before) if part.text == ","]
            before = before[commas[-1] + 1 if commas else 0 :]
        return self._are_before(before) and self._are_behind(parts[place + 1 :])

    def _are_before(self, before: list[Part]) -> bool:
        if any(part.text in _CONDITIONAL for part in before):
            return False
        assignments = [i for i, part in enumerate(before) if part.text in ASSIGNMENTS]
        sequenced = [i for i, part in enumerate(before) if part.text in (",", *_SHIFTS)]
        for place in sequenced:
            # The left side of an assignment is evaluated behind the right one.
            first = max((i + 1 for i in assignments if i < place), default=0)
            first = 0 if before[place].text == "," else first
            if not all(self._is_inert(part) for part in before[first:place]):
                return False
        return True

    def _are_behind(self, behind: list[Part]) -> bool:
        """Check the right side of an assignment, if the operation is in its left side."""
        for place, part in enumerate(behind):
            if part.text == ",":
                return True
            if part.text in ASSIGNMENTS:
                return all(self._is_inert(each) for each in behind[place + 1 :])
        return True

    def _is_first_in(self, operand: Part, span: Span) -> bool:
        """Return whether nothing in front of a part of an operand is evaluated before it."""
        unit, first = self._unit, span[0]
        parts = list_parts(unit, operand.start, first)
        words = [part.text for part in parts]
        if not _NOT_EVALUATED.isdisjoint(words) or _can_be_comparisons(words):
            return False
        bracket = unit.words[first]
        if bracket not in ("(", "[", "{") or span[1] != unit.partners.get(first, -2) + 1:
            return not any(word in (".", "->", "[") for word in words)
        if bracket == "[":
            base = parts[-1:]
            is_own = len(base) == 1 and words[:-1] == [] and self._is_own(base[0].start)
            return is_own and not self._has_effects
        made = _find_made(parts)
        if made is not None:
            self.made.append(made)
            return True
        if not {"->", "[", "{"}.isdisjoint(words) or "(" in words[1:]:
            return False
        return "(" not in words or is_conversion(unit, parts[0])

    def _is_call(self, opening: int) -> bool:
        """Return whether a bracket has the arguments of a call, whose order is open."""
        return _opens_arguments(self._unit, opening) and self._unit.get(opening - 1) not in _JUMPS

    def _is_inert(self, part: Part) -> bool:
        """Return whether an operand or operator changes nothing, and reads variables alone."""
        if part.text:
            return part.text in VALUE_OPERATORS or part.text in (",", "?", ":")
        unit = self._unit
        for index in range(part.start, part.stop):
            word = unit.words[index]
            is_known = (
                word in ("(", ")", "+", "-", "!", "~", ".")
                or word in ARITHMETIC_WORDS
                or is_literal(word)
                or word in INDICES
                or unit.get(index - 1) == "."
            )
            is_step = word in ("+", "-") and unit.get(index + 1) == word
            is_call = word == "(" and is_name(unit.get(index - 1))
            is_declared = word in ("const", "auto") or self._is_declared(part, index)
            is_known = (is_known and not is_step and not is_call) or is_declared
            # The operation brings its arguments first, which must not change what is read here.
            if not is_known and (self._has_effects or not self._is_own(index)):
                return False
        return True

    def _is_declared(self, part: Part, index: int) -> bool:
        """Return whether a token is the last one of a declaration's type and name."""
        is_first = part.start == self._statement.start
        return is_first and index == part.stop - 1 and index > part.start
