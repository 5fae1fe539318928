"""Reject what nvcc rejects about variables of devices, and warn about what cannot work.

- No code assigns to a `__constant__` variable of a built-in type. nvcc accepts assignments to
  members and elements, and through references.
- Host code that reads or writes a variable of a device reads or writes a copy of the host.

The text says where an operator reads or writes a name, and a compiler says whether the name is that
of such a variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypeAlias

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.diagnosis.callees import skip_template_arguments
from kbuild.backends.cpu.mixed.diagnosis.functions import find_space
from kbuild.backends.cpu.mixed.diagnosis.uses import Mistake, Use
from kbuild.backends.cpu.mixed.mentions import is_own
from kbuild.backends.cpu.mixed.qualifiers import find_declarations, runs_on_host
from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    ASSIGNMENTS,
    STANDARD_TYPES,
    STEPS,
    VALUE_OPERATORS,
)
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.declarators import BUILT_IN_TYPES, TYPE_WORDS
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

# Which functions of a text a pass judges. All of them are device code if there is no host pass.
Part: TypeAlias = Literal["host", "device", "all"]
Kind: TypeAlias = Literal["value", "pointer", "array", "object"]

_BUILT_IN: Final = frozenset(
    (*TYPE_WORDS, *STANDARD_TYPES, *q.QUALIFIERS, "static", "extern", "inline", "std", "::", "*")
)
_ALL: Final = frozenset((*ASSIGNMENTS, *STEPS, *VALUE_OPERATORS))
_CONDITIONS: Final = ("if", "while", "switch", "for")
_MEMBERS: Final = (".", "->", "[", "(")
_READING: Final = frozenset((*VALUE_OPERATORS, "?")) - {"&"}
_ASSIGNABLE: Final = ("value", "pointer")
_ASSIGNED: Final = "copy the value to it in host code, with cudaMemcpyToSymbol"
_COPIED: Final = {
    "read": "copy its value with cudaMemcpyFromSymbol",
    "written": "copy the value to it with cudaMemcpyToSymbol",
}


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A declared name of a variable of devices.

    Attributes:
        name: The name.
        memory: Its qualifier, as users write it.
        start: The position where an attribute can be.
        kind: What it is. An object is of a type with a name, which can be a class.
    """

    name: str
    memory: str
    start: int
    kind: Kind


class VariableReviewer:
    """Finds the variables of devices that a text might misuse, and judges their uses."""

    def __init__(self, code: Unit, part: Part) -> None:
        """Find where the scopes of a text are."""
        self._code = code
        self._part = part
        self._scopes = find_scopes(code)
        # Otherwise, variables are managed ones.
        self._is_copied = not runs_on_host(code.text)

    def find_variables(self) -> tuple[Variable, ...]:
        """Return the variables whose names are read or written where they must not be."""
        variables = [
            variable
            for found in find_declarations(self._code)
            if q.is_variable(found) or q.is_variable_template(found)
            for variable in _list_variables(self._code, found)
        ]
        return tuple(each for each in variables if any(self._list_places(each)))

    def judge_variables(
        self, variables: tuple[Variable, ...], uses: Iterable[Use]
    ) -> Iterator[Mistake]:
        """Yield errors about assignments to constants, and warnings about uses in host code."""
        for use in uses:
            variable = variables[use.number]
            for position, kind in self._list_places(variable):
                if position != use.position:
                    continue
                text = f"the {variable.memory} variable '{variable.name}' cannot be {kind}"
                if kind == "assigned":
                    yield Mistake(position, f"{text}; {_ASSIGNED}")
                else:
                    text = f"{text} directly in host code; {_COPIED[kind]}"
                    yield Mistake(position, text, is_error=False)

    def _list_places(self, variable: Variable) -> Iterator[tuple[int, str]]:
        """Yield where the name of a variable is used in a way that can be wrong, and how."""
        for index in self._code.find((variable.name,)):
            position = self._code.starts[index]
            is_host = self._part != "all" and self._is_in_host_code(position)
            is_judged = is_host == (self._part == "host") and is_own(self._code, position)
            if not is_judged or not self._list_heads(position):
                continue
            first, last = self._find_operand(index)
            is_constant = variable.memory == "__constant__" and variable.kind in _ASSIGNABLE
            if is_constant and self._is_written(first, last):
                yield position, "assigned"
                continue
            is_copied = is_host and self._is_copied and not self._is_in_template(position)
            if is_copied and (kind := self._find_use(variable, first, last)):
                yield position, kind

    def _is_in_host_code(self, position: int) -> bool:
        heads = self._list_heads(position)
        return bool(heads) and all(find_space({*head}) == "host" for head in heads)

    def _is_in_template(self, position: int) -> bool:
        return any(head[:1] == ["template"] for head in self._list_heads(position))

    def _list_heads(self, position: int) -> list[Sequence[str]]:
        """Return what comes before the blocks around a position."""
        around = self._scopes.around(position)
        return [list_head(self._code, scope) for scope in around if scope.kind == "block"]

    def _find_operand(self, index: int) -> tuple[int, int]:
        """Return the first and the last token of a name with its qualifiers and parentheses."""
        code, first = self._code, index
        last = skip_template_arguments(code, index + 1) - 1
        while code.get(first - 1) == "::":
            first -= 2 if code.get_token(first - 2).is_word else 1
        while code.get(first - 1) == "(" and code.get(last + 1) == ")":
            before = code.get_token(first - 2) if first > 1 else None
            if before and before.text != "return" and (before.is_word or before.text in ")]>"):
                break
            first, last = first - 1, last + 1
        return first, last

    def _is_written(self, first: int, last: int) -> bool:
        before, after = self._read_operators(first, last)
        if after in ASSIGNMENTS:
            return before != "*" and not self._is_converted(first)
        return after in STEPS or (before in STEPS and after not in _MEMBERS)

    def _is_converted(self, index: int) -> bool:
        """Return whether a type in parentheses is before a token, and not a condition."""
        code = self._code
        opening = code.partners.get(index - 1, 0)
        return code.get(index - 1) == ")" and code.get(opening - 1) not in _CONDITIONS

    def _find_use(self, variable: Variable, first: int, last: int) -> str:
        """Return how the tokens around a name use what it names; empty if that is not certain."""
        code = self._code
        is_whole = code.get(last + 1) not in (".", "[", "->")
        if variable.kind == "pointer" and not is_whole:
            return "read"
        while code.get(last + 1) in (".", "["):
            last = code.partners.get(last + 1, last) if code.words[last + 1] == "[" else last + 2
        if variable.kind == "array" and is_whole:
            return ""
        if self._is_written(first, last):
            return "written"
        before, after = self._read_operators(first, last)
        is_operand = after in _READING or before in _READING or before == "!"
        return "read" if is_operand or self._is_value(first, last) else ""

    def _read_operators(self, first: int, last: int) -> tuple[str, str]:
        """Return the operators, or other tokens, before and after some tokens."""
        code, index = self._code, last + 2
        before, after = code.get(first - 1), code.get(last + 1)
        while code.get(index) and _are_adjacent(code, index) and after + code.words[index] in _ALL:
            after, index = after + code.words[index], index + 1
        index = first - 1
        while index > 0 and _are_adjacent(code, index) and code.words[index - 1] + before in _ALL:
            before, index = code.words[index - 1] + before, index - 1
        return before, after

    def _is_value(self, first: int, last: int) -> bool:
        """Return whether the value of an expression initializes something, or is converted."""
        code = self._code
        before, earlier = code.get(first - 1), code.get(first - 2)
        after = code.get(last + 1)
        if before == "=":
            return code.get(first - 3) != "&"
        if before == "return":
            heads = self._list_heads(code.starts[first])
            types = (head[: head.index("(")] if "(" in head else head for head in heads)
            return after == ";" and not any({"&", "auto", "decltype"} & {*each} for each in types)
        if before == ")":
            return earlier in BUILT_IN_TYPES - {"void"}
        if before == "(" and earlier in _CONDITIONS:
            return after == ")"
        is_argument = before in ("(", ",") and after in (",", ")")
        return is_argument and self._is_passed_as_value(first)

    def _is_passed_as_value(self, index: int) -> bool:
        """Return whether an argument is one of a function with an ellipsis, such as `printf`."""
        code, index = self._code, index - 1
        while index >= 0 and code.words[index] not in ("(", ";", "{", "}"):
            index = code.partners.get(index, index) - 1
        callee = code.get(index - 1)
        closes = (code.partners.get(each + 1, 0) for each in code.find((callee,)))
        return code.get(index) == "(" and any(
            code.get(close - 1) == "..." and code.get(close - 2) in ("(", ",") for close in closes
        )


def _are_adjacent(code: Unit, index: int) -> bool:
    """Return whether nothing is between a token and the one before it."""
    return code.get_end(index - 1) == code.starts[index]


def _list_variables(code: Unit, found: Declaration) -> Iterator[Variable]:
    if not is_own(code, found.head[-1].start) or q.MANAGED in found.words:
        return
    declarators = [*q.list_declarators(found)]
    first = min((each.name.start for each in declarators), default=0)
    words = {token.text for token in found.head if token.start < first}
    is_built_in = words <= _BUILT_IN
    for each in declarators:
        index = code.find_index(each.name.start)
        kind: Kind = "value" if is_built_in else "object"
        if code.get(index + 1) == "[":
            kind = "array"
        elif code.get(index - 1) == "*":
            kind = "pointer"
        elif words & {"const", "constexpr"}:
            continue  # compilers know its value, and reject assignments
        yield Variable(
            name=each.name.text,
            memory="__constant__" if q.CONSTANT in found.words else "__device__",
            start=found.head[0].start,
            kind=kind,
        )
