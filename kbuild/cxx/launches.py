"""Find launches, ``kernel<<<configuration>>>(arguments)``, in preprocessed text."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.lines import locate
from kbuild.cxx.model import Launch
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

_OPENING: Final = frozenset("([{")
_CLOSING: Final = frozenset(")]}")
_CLOSED_BY: Final = 3  # the number of `>` at the end of a configuration
_CONDITIONS: Final = frozenset(("if", "while", "for", "switch", "constexpr"))
_LAMBDA_WORDS: Final = frozenset(("mutable", "constexpr", "consteval", "static", "noexcept"))
_UNEVALUATED: Final = frozenset(("decltype", "sizeof", "alignof", "noexcept", "typeid"))
_STOPPING: Final = frozenset(
    {"return", "else", "do", "case", "goto", "throw", "new", "delete", "sizeof", "alignof", "try"}
    | {"typeid", "co_return", "co_await", "co_yield", "and", "or", "not", "xor", "bitand", "bitor"}
    | {"compl", "if", "while", "for", "switch", "constexpr", "default", "using", "typename"}
    | {"operator"}
)


def find_launches(unit: Unit) -> tuple[Launch, ...]:
    """Find the launches in the order in which they start.

    Raises:
        SourceError: A launch is not understood. The message names its line.
    """
    found = []
    for index in unit.find(("<<<", "<<")):
        # Tools that format code write spaces into the brackets.
        length = 1 if unit.words[index] == "<<<" else 2
        is_start = length == 1 or unit.get(index + 1) == "<"
        if is_start and unit.get(index - 1) != "operator":
            found.append(_read_launch(unit, index, index + length))
    return tuple(sorted(found, key=lambda launch: (launch.start, -launch.end)))


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
        if start < 0 or _find_captures(unit, start) is None:
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


def _read_launch(unit: Unit, index: int, begin: int) -> Launch:
    """Read the launch whose configuration follows the tokens from ``index`` to ``begin``."""
    callee = _find_callee(unit, index)
    end, opening = _find_configuration(unit, begin)
    close = unit.partners.get(opening)
    if close is None:
        raise _reject(unit, index, "the arguments have no closing parenthesis")
    return Launch(
        start=unit.starts[callee],
        end=unit.get_end(close),
        callee=(unit.starts[callee], unit.get_end(index - 1)),
        configuration=(unit.get_end(begin - 1), unit.starts[end]),
        arguments=(unit.get_end(opening), unit.starts[close]),
    )


def _reject(unit: Unit, index: int, problem: str) -> SourceError:
    return SourceError(
        f"{locate(unit.text, unit.starts[index])}: cannot read the launch: {problem}; expected "
        "kernel<<<grid, block, shared_bytes, stream>>>(arguments)"
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
        raise _reject(unit, begin - 1, "there is no '>>>' before an opening parenthesis")
    return candidate


def _find_callee(unit: Unit, index: int) -> int:
    """Return the index where the postfix expression before ``<<<`` starts."""
    start = _read_primary(unit, index - 1)
    if start is None:
        raise _reject(unit, index, "there is no kernel before '<<<'")
    while unit.get(start - 1) in (".", "->", "template"):
        if unit.get(start - 1) == "template":
            start -= 1
            continue
        inner = _read_primary(unit, start - 2)
        if inner is None:
            raise _reject(unit, index, f"there is no expression before '{unit.get(start - 1)}'")
        start = inner
    return start


def _read_primary(unit: Unit, index: int) -> int | None:
    """Return where a name or a parenthesized expression starts, with calls and subscripts after it.

    Args:
        unit: The text.
        index: Its last token.
    """
    start: int | None = None
    while index >= 0:
        word = unit.words[index]
        if word == "operator" or (unit.get_token(index).is_word and word not in _STOPPING):
            return _read_name(unit, index)
        opening = _find_angle(unit, index) if word == ">" else unit.partners.get(index)
        if opening is None or opening > index:
            break
        before = unit.get(opening - 1)
        if _is_attribute(unit, opening, index) or unit.words[opening:index] == ["(", "void"]:
            break
        if start is not None and before in _CONDITIONS:
            break
        if word == "]" and before[:1].isdigit():
            return opening - 1
        if word in (")", "]"):
            start = opening
        elif word == "}" and start is not None and (captures := _find_captures(unit, opening)):
            return captures
        elif not before or not (before == ">" or unit.get_token(opening - 1).is_word):
            break  # a block, or a comparison
        index = opening - 1
    return start


def _is_attribute(unit: Unit, opening: int, close: int) -> bool:
    """Return whether two brackets are those of ``[[attribute]]``."""
    return unit.get(opening + 1) == "[" and unit.get(close - 1) == "]" and unit.get(close) == "]"


def _find_captures(unit: Unit, brace: int) -> int | None:
    """Return where the lambda starts whose body a brace opens; None if there is no lambda."""
    for last in (brace - 1, _skip_return_type(unit, brace - 1)):
        index = last
        while unit.get(index) in _LAMBDA_WORDS:
            index -= 1
        if unit.get(index) == ")":
            index = unit.partners.get(index, 0) - 1
        if unit.get(index) == "]":
            return unit.partners.get(index)
    return None


def _skip_return_type(unit: Unit, index: int) -> int:
    """Return the index before ``-> type``, or the index itself if there is no such type."""
    start = index
    while start >= 0 and unit.words[start] not in (";", "{", "}"):
        if unit.words[start] == "->":
            return start - 1
        start = unit.partners.get(start, start) - 1
    return index


def _read_name(unit: Unit, index: int) -> int:
    """Return where a name with its qualifiers starts."""
    start = index
    index -= 1
    while index >= 0:
        if unit.words[index] == "template":
            index -= 1
            continue
        if unit.words[index] != "::":
            break
        start = index
        index -= 1
        if unit.get(index) == ">":
            index = (_find_angle(unit, index) or 0) - 1
        if index < 0 or not unit.get_token(index).is_word or unit.words[index] in _STOPPING:
            break
        start = index
        index -= 1
    return start - 1 if unit.get(start - 1) == "typename" else start


def _find_angle(unit: Unit, index: int) -> int | None:
    """Return the index of the ``<`` that opens what a ``>`` closes."""
    depth = 0
    while index >= 0:
        word = unit.words[index]
        if word in _CLOSING and index in unit.partners:
            index = unit.partners[index]
        elif word in _OPENING or word in (";", "}"):
            return None
        elif word == ">":
            depth += 1
        elif word == "<" and not _compares(unit, index):
            depth -= 1
            if depth == 0:
                return index
        index -= 1
    return None


def _compares(unit: Unit, index: int) -> bool:
    """Return whether a ``<`` is an operator, because no name is before it."""
    before = unit.get(index - 1)
    return before == ")" or before[:1].isdigit()
