"""Read the profiles that ``valgrind --tool=callgrind`` writes.

Source: "Callgrind Format Specification" in the Valgrind manual. A file is a sequence of lines of
names, which say to what the following lines of numbers belong:

- ``ob=`` and ``fn=`` name the object file and the function. ``cob=`` and ``cfn=`` name those of the
  next call. A name appears once as ``(7) name``, and later as ``(7)``. A callee without ``cob=``
  is in the object file of the caller.
- A line of numbers has a position and the cost of the function itself at that position.
- After ``calls=``, the next line of numbers is the inclusive cost of a call.

Positions and the names of source files (``fl=`` and similar) do not matter for the costs of
functions.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError

_EVENT: Final = "Ir"
_NAME: Final = re.compile(r"(ob|fn|cob|cfn)=(?:\((\d+)\))?\s*(.*)")
_JUMPS: Final = ("jump=", "jcnd=")
_NUMBERS: Final = "0123456789+-*"


@dataclass(frozen=True, slots=True, order=True)
class Function:
    """A function and its object file."""

    object_file: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """All calls from one function to another, and the instructions executed inside them."""

    caller: Function
    callee: Function
    inclusive: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The instructions that each function itself executed, and the calls between functions."""

    own: tuple[tuple[Function, int], ...]
    calls: tuple[Call, ...]


class _Names:
    """The abbreviated names of one kind."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def find(self, number: str | None, name: str) -> str:
        if number is None:
            return name
        if name:
            self._known[number] = name
        if number not in self._known:
            raise InputError(f"callgrind profile uses name ({number}) before its definition")
        return self._known[number]


class _Reader:
    """A parser that keeps the state on which lines of numbers depend."""

    def __init__(self) -> None:
        self._names = {"ob": _Names(), "fn": _Names()}
        self._current = {"ob": "", "fn": "", "cob": "", "cfn": ""}
        self._columns = (1, 0)
        self._is_call = False
        self._is_jump = False
        self.own: Counter[Function] = Counter()
        self.calls: Counter[tuple[Function, Function]] = Counter()

    def read(self, line: str) -> None:
        if line.startswith("positions:"):
            self._columns = (len(line.split()) - 1, self._columns[1])
        elif line.startswith("events:"):
            self._read_events(line.split()[1:])
        elif line.startswith("calls="):
            self._is_call = True
        elif line.startswith(_JUMPS):
            self._is_jump = True
        elif line[:1] and line[0] in _NUMBERS:
            self._read_numbers(line.split())
        elif match := _NAME.match(line):
            self._read_name(match[1], match[2], match[3])

    def _read_events(self, events: list[str]) -> None:
        if _EVENT not in events:
            raise InputError(f"callgrind profile has no event {_EVENT!r}, only {' '.join(events)}")
        self._columns = (self._columns[0], events.index(_EVENT))

    def _read_name(self, key: str, number: str | None, name: str) -> None:
        self._current[key] = self._names[key[-2:]].find(number, name)
        if key == "ob":
            self._current["cob"] = ""
        elif key == "fn":
            self._current["cfn"] = ""

    def _read_numbers(self, words: list[str]) -> None:
        positions, event = self._columns
        # Trailing zeros can be omitted.
        numbers = words[positions:]
        cost = int(numbers[event]) if len(numbers) > event else 0
        current = self._current
        caller = Function(current["ob"], current["fn"])
        if self._is_jump:
            self._is_jump = False
        elif self._is_call:
            callee = Function(current["cob"] or current["ob"], current["cfn"])
            self.calls[caller, callee] += cost
            self._is_call = False
            current["cob"] = ""
        else:
            self.own[caller] += cost


def parse(text: str) -> Profile:
    """Parse a profile.

    Raises:
        InputError: The text is not a callgrind profile.
    """
    if "events:" not in text:
        raise InputError("not a callgrind profile: it has no 'events:' line")
    reader = _Reader()
    try:
        for line in text.splitlines():
            reader.read(line)
    except ValueError as error:
        raise InputError(f"callgrind profile has an invalid line: {error}") from error
    return Profile(
        own=tuple(reader.own.items()),
        calls=tuple(
            Call(caller=caller, callee=callee, inclusive=cost)
            for (caller, callee), cost in reader.calls.items()
        ),
    )


def sum_calls(profile: Profile, *, caller: str | None = None, callee: str | None = None) -> int:
    """Return the instructions of all calls between functions of these names; None means any."""
    return sum(
        call.inclusive
        for call in profile.calls
        if caller in (None, call.caller.name) and callee in (None, call.callee.name)
    )


def functions_below(profile: Profile, caller: str, *, stop: frozenset[str]) -> tuple[Function, ...]:
    """Return the functions entered below the callees of ``caller``, but not below ``stop``."""
    called: dict[Function, list[Function]] = {}
    for call in profile.calls:
        # Calls made while counting was off are listed as well, without costs.
        if call.inclusive > 0:
            called.setdefault(call.caller, []).append(call.callee)
    pending = [
        callee
        for function, callees in called.items()
        if function.name == caller
        for callee in callees
    ]
    seen: dict[Function, None] = {}
    while pending:
        for function in called.get(pending.pop(), []):
            if function.name not in stop and function not in seen:
                seen[function] = None
                pending.append(function)
    return tuple(sorted(seen))
