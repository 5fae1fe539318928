"""Find launches, ``kernel<<<configuration>>>(arguments)``, in preprocessed text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.launched import find_callee, find_captures, reject_launch
from kbuild.cxx.model import Launch
from kbuild.cxx.unit import Unit

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_CLOSED_BY: Final = 3  # the number of `>` at the end of a configuration
_UNEVALUATED: Final = frozenset(("decltype", "sizeof", "alignof", "noexcept", "typeid"))


def find_launches(unit: Unit) -> tuple[Launch, ...]:
    """Find the launches in the order in which they start.

    Raises:
        SourceError: A launch is not understood. The message names its line.
    """
    found = [read_launch(unit, *brackets) for brackets in find_brackets(unit)]
    return tuple(sorted(found, key=lambda launch: (launch.start, -launch.end)))


def find_brackets(unit: Unit) -> Iterator[tuple[int, int]]:
    """Yield the index of each ``<<<``, and the index after it."""
    for index in unit.find(("<<<", "<<")):
        # Tools that format code write spaces into the brackets.
        length = 1 if unit.words[index] == "<<<" else 2
        is_start = length == 1 or unit.get(index + 1) == "<"
        if is_start and unit.get(index - 1) != "operator":
            yield index, index + length


def is_in_statement(unit: Unit, launch: Launch) -> bool:
    """Return whether a statement contains a launch, and evaluates it as it is; in doubt, no.

    An ellipsis can expand a launch, also with the lambda that it is in.
    """
    start, end = unit.find_index(launch.start), unit.find_index(launch.end)
    while _ends_statement(unit, end):
        start -= 1
        while start >= 0 and unit.words[start] != "{":
            if unit.words[start] in _CLOSING:
                start = unit.partners.get(start, start)
            elif unit.words[start] == "(" and unit.get(start - 1) in _UNEVALUATED:
                return False
            start -= 1
        if start < 0 or find_captures(unit, start) is None:
            return True
        end = unit.partners.get(start, start) + 1
    return False


def _ends_statement(unit: Unit, index: int) -> bool:
    """Return whether a statement ends after an expression, and no ellipsis expands it."""
    is_after_comma = False
    while (word := unit.get(index)) not in ("", ";", "}"):
        if word == "..." and not is_after_comma:
            return False
        if word == ")" and unit.get(unit.partners.get(index, index) + 1) == "...":
            return False
        if word in _OPENING:
            index = unit.partners.get(index, index)
        is_fold = word == "," and unit.get(index + 1) == "..."
        is_after_comma = word not in _CLOSING and (is_after_comma or (word == "," and not is_fold))
        index += 1
    return word == ";"


def read_launch(unit: Unit, index: int, begin: int) -> Launch:
    """Read the launch whose configuration follows the tokens from ``index`` to ``begin``.

    Raises:
        SourceError: The launch is not understood. The message names its line.
    """
    callee = find_callee(unit, index)
    end, opening = _find_configuration(unit, begin)
    close = unit.partners.get(opening)
    if close is None:
        raise reject_launch(unit, index, "the arguments have no closing parenthesis")
    return Launch(
        start=unit.starts[callee],
        end=unit.get_end(close),
        callee=(unit.starts[callee], unit.get_end(index - 1)),
        configuration=(unit.get_end(begin - 1), unit.starts[end]),
        arguments=(unit.get_end(opening), unit.starts[close]),
    )


def _find_configuration(unit: Unit, begin: int) -> tuple[int, int]:
    """Return the indices of the ``>>>`` at the end and of the parenthesis after it.

    A ``>>>`` can also close template arguments. Then there are more ``<`` than ``>`` before it.
    """
    candidate: tuple[int, int] | None = None
    index, angles = begin, 0
    while index < len(unit.words):
        word = unit.words[index]
        if word in _OPENING and index in unit.partners:
            index = unit.partners[index] + 1
            continue
        if word in _CLOSING or word in _OPENING or word == ";":
            break
        if word == "<":
            angles += index > begin and unit.get_token(index - 1).is_word
        elif word == ">":
            first = index
            while unit.get(index + 1) == ">":
                index += 1
            count = index + 1 - first
            if count >= _CLOSED_BY and unit.get(index + 1) == "(":
                candidate = index + 1 - _CLOSED_BY, index + 1
                if angles <= count - _CLOSED_BY:
                    return candidate
            angles = max(angles - count, 0)
        index += 1
    if candidate is None:
        raise reject_launch(unit, begin - 1, "there is no '>>>' before an opening parenthesis")
    return candidate
