"""Expressions of built-in operators: what kbuild evaluates once for all threads, or again.

The grammar says what is allowed, and everything else is unknown. It has literals without a user's
suffix, indices, names, built-in operators, and conversions to built-in types. The text cannot say
what a name is, so each name is a leaf that the generated code must prove; see `Bindings.prove`. If
all leaves are numbers or pointers, no operator of the expression can be a user's, because those
take a class or an enumeration ([over.oper.general]).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from kbuild.backends.cpu.mixed.annotations import INDICES
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

Span: TypeAlias = tuple[int, int]

ARITHMETIC_WORDS: Final = frozenset(
    ("bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double")
)
# Names of built-in types, which the generated code checks: a project can declare others.
STANDARD_TYPES: Final = frozenset(
    (
        *("size_t", "ptrdiff_t", "uint", "uchar", "ushort", "ulong", "uintptr_t", "intptr_t"),
        *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
)
ASSIGNMENTS: Final = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
STEPS: Final = ("++", "--")
VALUE_OPERATORS: Final = frozenset(
    (
        *("+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "<<", ">>"),
        *("==", "!=", "<", ">", "<=", ">="),
    )
)
SIGNS: Final = ("+", "-", "~", "!")
BRACKETS: Final = ("(", "[", "{")
_CASTS: Final = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")
ANGLES: Final = "<>"
_JUMPS: Final = ("return", "throw", "case", "co_return", "co_yield")
_MEMBERS: Final = ("->", "->*", ".*", ".", "::")
_OPERATORS: Final = frozenset(
    (*ASSIGNMENTS, *STEPS, *VALUE_OPERATORS, *SIGNS, *_MEMBERS, "?", ":", ",", ";", "...", "<=>")
)
_STARTS: Final = frozenset(
    operator[:length] for operator in _OPERATORS for length in range(1, len(operator) + 1)
)
_OWN_FUNCTIONS: Final = ("min", "max")  # of CUDA
_AXES: Final = frozenset("xyz")
_INTEGER_SUFFIX: Final = r"(?:[uU](?:ll?|LL?)?|(?:ll?|LL?)[uU]?)?"
_LITERAL: Final = re.compile(
    rf"(?:0[xX][\da-fA-F']+|0[bB][01']+|\d[\d']*){_INTEGER_SUFFIX}"
    r"|(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?[fFlL]?"
    r"|'(?:\\.|[^'\\])+'|true|false"
)


class Part(NamedTuple):
    """An operator, a word, a literal, or what is in brackets, with its tokens."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Plain:
    """An expression of built-in operators.

    Attributes:
        names: The tokens of its names, which can be those of variables, of members of objects, or
            of constants.
        types: The tokens of the types that it converts to, if those are names.
        groups: The indices of variables whose properties it asks for, as those of a group.
        calls: The tokens of calls of `min` and `max`, which can be functions of a user.
    """

    names: tuple[Span, ...] = ()
    types: tuple[Span, ...] = ()
    groups: tuple[int, ...] = ()
    calls: tuple[Span, ...] = ()


def list_parts(unit: Unit, first: int, last: int) -> list[Part]:
    """Return the parts of an expression that are in no brackets."""
    parts: list[Part] = []
    index = first
    while index < last:
        word = unit.words[index]
        stop = index + 1
        if word in BRACKETS:
            stop = min(unit.partners.get(index, index) + 1, last)
        elif word in _STARTS:
            while (
                stop < last
                and unit.starts[stop] == unit.get_end(stop - 1)
                and word + unit.words[stop] in _STARTS
            ):
                word += unit.words[stop]
                stop += 1
        parts.append(Part(word, index, stop))
        index = stop
    return parts


def is_literal(word: str) -> bool:
    """Return whether a token is a literal of a built-in type."""
    return _LITERAL.fullmatch(word) is not None


def is_name(word: str) -> bool:
    """Return whether a token is a word, which can be a keyword."""
    return word[:1].isalpha() or word[:1] in ("_", "$")


def is_member(words: Sequence[str]) -> bool:
    """Return whether tokens are the name of an object, and that of a member."""
    return len(words) == 3 and words[1] == "." and is_name(words[0]) and is_name(words[2])  # noqa: PLR2004


def names_built_in_type(unit: Unit, first: int, last: int) -> bool:
    """Return whether tokens are a built-in type, or probably one, without a reference."""
    words = [word for word in unit.words[first:last] if word not in ("const", "std", "::", "*")]
    return bool(words) and (
        ARITHMETIC_WORDS.issuperset(words) or (len(words) == 1 and words[0] in STANDARD_TYPES)
    )


def is_conversion(unit: Unit, part: Part) -> bool:
    """Return whether parentheses convert what follows to a built-in type."""
    return part.text == "(" and names_built_in_type(unit, part.start + 1, part.stop - 1)


def read_plain(unit: Unit, first: int, last: int, properties: frozenset[str]) -> Plain | None:
    """Read an expression of built-in operators; return None for any other one.

    Args:
        unit: The text.
        first: The index of its first token.
        last: The index after its last token.
        properties: The functions of groups without an effect.
    """
    reader = _Reader(unit, properties)
    if first >= last or not reader.read(first, last):
        return None
    return Plain(
        tuple(reader.names), tuple(reader.types), tuple(reader.groups), tuple(reader.calls)
    )


class _Reader:
    def __init__(self, unit: Unit, properties: frozenset[str]) -> None:
        self._unit = unit
        self._properties = properties
        self.names: list[Span] = []
        self.types: list[Span] = []
        self.groups: list[int] = []
        self.calls: list[Span] = []

    def read(self, first: int, last: int) -> bool:
        """Return whether operands and operators alternate."""
        parts = list_parts(self._unit, first, last)
        place = self._read_operand(parts, 0)
        while 0 <= place < len(parts):
            if parts[place].text not in VALUE_OPERATORS and parts[place].text not in ("?", ":"):
                return False
            place = self._read_operand(parts, place + 1)
        return place == len(parts) > 0

    def _read_operand(self, parts: list[Part], place: int) -> int:
        """Return the place after an operand; -1 for an unknown form."""
        while place < len(parts) and (
            parts[place].text in SIGNS or is_conversion(self._unit, parts[place])
        ):
            if parts[place].text == "(":
                self._add_type(parts[place].start + 1, parts[place].stop - 1)
            place += 1
        if place >= len(parts):
            return -1
        part = parts[place]
        if is_literal(part.text):
            return place + 1
        if part.text == "(":
            return place + 1 if self.read(part.start + 1, part.stop - 1) else -1
        if part.text != "::" and not is_name(part.text):
            return -1
        return self._read_name(parts, place)

    def _read_name(self, parts: list[Part], place: int) -> int:  # noqa: C901, PLR0911 - a form each
        words = [part.text for part in parts[place : place + 5]]
        if words[0] in INDICES and len(words) > 2 and words[1] == "." and words[2] in _AXES:  # noqa: PLR2004
            return place + 3
        if words[1:2] == ["."] and len(words) > 3 and words[2] in self._properties:  # noqa: PLR2004
            group = parts[place + 3]
            if group.text != "(" or group.stop != group.start + 2:
                return -1
            self.groups.append(parts[place].start)
            return place + 4
        if words[0] == "static_cast":
            return self._read_cast(parts, place)
        if words[1:2] == ["("] and words[0] in (*_OWN_FUNCTIONS, "sizeof"):
            return self._read_call(parts, place)
        stop = place + (words[0] == "::")
        while stop + 1 < len(parts) and parts[stop + 1].text == "::":
            stop += 2
        stop += 1
        if stop > len(parts) or not is_name(parts[stop - 1].text):
            return -1
        first, last = parts[place].start, parts[stop - 1].stop
        if is_member(words[:3]) and words[0] not in INDICES and words[3:4] != ["("]:
            self.names.append((first, parts[place + 2].stop))
            return place + 3
        while stop < len(parts) and ARITHMETIC_WORDS.issuperset((parts[stop].text,)):
            last = parts[stop].stop  # `unsigned long(...)`
            stop += 1
        if stop < len(parts) and parts[stop].text in BRACKETS:
            group = parts[stop]
            if group.text != "(" or not names_built_in_type(self._unit, first, last):
                return -1
            self._add_type(first, last)
            return stop + 1 if self.read(group.start + 1, group.stop - 1) else -1
        self.names.append((first, last))
        return stop

    def _read_cast(self, parts: list[Part], place: int) -> int:
        """Read ``static_cast<TYPE>(...)`` with a built-in type."""
        angle = next((i for i in range(place, len(parts)) if parts[i].text == ">"), len(parts))
        if parts[place + 1].text != "<" or angle + 1 >= len(parts):
            return -1
        first, last = parts[place + 2].start, parts[angle].start
        group = parts[angle + 1]
        if group.text != "(" or not names_built_in_type(self._unit, first, last):
            return -1
        self._add_type(first, last)
        return angle + 2 if self.read(group.start + 1, group.stop - 1) else -1

    def _read_call(self, parts: list[Part], place: int) -> int:
        """Read ``min(a, b)`` or ``sizeof(...)``, which is a constant."""
        name, group = parts[place : place + 2]
        if name.text == "sizeof":
            return place + 2
        arguments = list_arguments(self._unit, group.start)
        if len(arguments) != 2 or not all(self.read(*each) for each in arguments):  # noqa: PLR2004 - both take two
            return -1
        self.calls.append((name.start, group.stop))
        return place + 2

    def _add_type(self, first: int, last: int) -> None:
        if not ARITHMETIC_WORDS.issuperset(self._unit.words[first:last]):
            self.types.append((first, last))


def list_arguments(unit: Unit, opening: int) -> list[Span]:
    """Return the arguments of a call, which starts with a parenthesis."""
    close = unit.partners[opening]
    commas = [part.start for part in list_parts(unit, opening + 1, close) if part.text == ","]
    return [*zip([opening + 1, *(comma + 1 for comma in commas)], [*commas, close], strict=True)]


def list_operands(unit: Unit, first: int, last: int) -> Iterator[Part]:
    """Yield the operands and operators of an expression; an operand has all of its tokens.

    A sign or conversion belongs to its operand. What has an unknown form is one operand with more.
    An operand that can be a comparison, or a call with template arguments, has the text `ANGLES`.
    """
    start: int | None = None
    is_complete = False
    text, behind = "", first
    parts = list_parts(unit, first, last)
    for place, part in enumerate(parts):
        if part.start < behind:
            continue
        if part.text == "<" and start is not None:
            is_cast = parts[place - 1].text in _CASTS
            behind = _skip_angles(unit, part.start, last, is_cast)
            if behind > part.start:
                text = text if is_cast else ANGLES
                continue
        is_operator = part.text in _OPERATORS and part.text not in _MEMBERS
        is_postfix = part.text in STEPS and is_complete
        is_prefix = not is_complete and part.text in (*SIGNS, "*", "&", "&&", *STEPS)
        if is_operator and not is_postfix and not is_prefix:
            if start is not None:
                yield Part(text, start, part.start)
            yield part
            start, is_complete, text = None, False, ""
            continue
        start = part.start if start is None else start
        is_behind_member = place > 0 and parts[place - 1].text in _MEMBERS
        is_complete = (is_complete and not is_prefix) or not (
            is_prefix
            or part.text in (*_MEMBERS, *_JUMPS)
            or (is_conversion(unit, part) and not is_complete and not is_behind_member)
        )
    if start is not None:
        yield Part(text, start, last)


def _skip_angles(unit: Unit, index: int, last: int, is_cast: bool) -> int:
    """Return the index behind what a ``<`` opens if a bracket or ``::`` follows, or else 0."""
    close = match_angle(unit.list_between(index, last), 0)
    behind = 0 if close is None else index + close + 1
    if not index < behind < last or unit.words[behind] not in (*BRACKETS, "::"):
        return 0
    words = [part.text for part in list_parts(unit, index + 1, behind)]
    compares = any(a in ("&&", "||") and b not in (">", ",") for a, b in pairwise(words))
    return behind if is_cast or not compares else 0
