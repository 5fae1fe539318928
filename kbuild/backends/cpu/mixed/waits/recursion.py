"""Find the device functions that call themselves, in which a thread can wait as in a loop.

A compiler often makes a loop of such a function, and no text shows it. The rule is one of names:
calls with explicit template arguments, those of members of objects, and those that expand a pack
are other functions, and end when the compiler has made all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit


def find_recursive(unit: Unit, functions: Iterable[tuple[Declaration, Span]]) -> frozenset[str]:
    """Return the names of functions that call functions of their names, also through others.

    Args:
        unit: The text.
        functions: The functions, and the indices of their bodies' braces.
    """
    spans = sorted((*body, found.name) for found, body in functions)
    starts = [start for start, _, _ in spans]
    calls: dict[str, set[str]] = defaultdict(set)
    for index in unit.find(frozenset(name for _, _, name in spans)):
        place = bisect_right(starts, index) - 1
        if place >= 0 and index < spans[place][1] and _is_call(unit, index):
            calls[spans[place][2]].add(unit.words[index])
    return frozenset(name for name in calls if name in _list_reached(calls, name))


def _is_call(unit: Unit, index: int) -> bool:
    """Return whether a name is that of a call that can find a function around it."""
    is_member = unit.get(index - 1) in (".", "->", "::") and unit.get(index - 2) != "this"
    close = unit.partners.get(index + 1, index)
    return unit.get(index + 1) == "(" and not is_member and unit.get(close - 1) != "..."


def _list_reached(calls: Mapping[str, set[str]], name: str) -> set[str]:
    reached: set[str] = set()
    new = {name}
    while new := {called for caller in new for called in calls.get(caller, ())} - reached:
        reached |= new
    return reached
