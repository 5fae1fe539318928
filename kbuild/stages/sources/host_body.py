"""Reduce the body of a host function to the statements that can change device code.

These are the statements that can instantiate device code, and the declarations of the variables in
them, because their types are deduced.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.statements import Node, Statement, divide_body
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.arguments import (
    drop_configurations,
    drop_numbers,
    find_lambdas,
    list_names,
)
from kbuild.stages.sources.locals import Local, list_local, read_local
from kbuild.values import dataclass

# A statement that starts with one of these can change the meaning of others.
_DECLARING: Final = frozenset(
    (
        *("using", "typedef", "struct", "class", "enum", "union", "template", "static_assert"),
        *("extern", "asm", "__asm__", "namespace", "constexpr"),
    )
)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known about a statement.

    ``scopes`` are the blocks around it, from the outside to the inside, as numbers.
    """

    words: Sequence[str]
    names: frozenset[str]
    local: Local | None
    scopes: tuple[int, ...]


class _Variables:
    """Variables by their names, each with the blocks around its declaration."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Add the parameters of the function."""
        self._scopes: dict[str, list[tuple[int, ...]]] = {name: [()] for name in names}

    def add(self, names: Iterable[str], scopes: tuple[int, ...]) -> None:
        """Add what a statement in some blocks declares."""
        for name in names:
            self._scopes.setdefault(name, []).append(scopes)

    def can_see(self, name: str, scopes: tuple[int, ...]) -> bool:
        """Return whether a statement in some blocks sees a variable with this name."""
        return any(each == scopes[: len(each)] for each in self._scopes.get(name, ()))


def reduce_body(unit: Unit, found: Declaration, names: frozenset[str]) -> list[str]:
    """Return the tokens of a body that can change device code.

    Args:
        unit: The text.
        found: The function. Its body contains no device code.
        names: The names that can instantiate device code.
    """
    if found.body is None:
        return []
    brace = unit.find_index(found.body[0])
    head = unit.words[unit.find_index(found.start) : brace]
    if names.isdisjoint(head) and names.isdisjoint(unit.words[brace : unit.partners[brace]]):
        return []
    body = divide_body(unit, brace)
    facts = dict(_list_facts(unit, body, (), count()))
    parameters = _read_parameters(unit, found, names)
    result = [token.text for token in found.head[:-1]]
    kept = _select(facts, parameters, names, returns=not names.isdisjoint(result))
    has_lambdas = any(list(find_lambdas(words)) for words in kept.values())
    return _write(body, facts, kept, has_lambdas=has_lambdas)


def _list_facts(
    unit: Unit, node: Node, scopes: tuple[int, ...], numbers: Iterator[int]
) -> Iterator[tuple[Statement, _Facts]]:
    """Yield the statements in a node, in order."""
    if isinstance(node, Statement):
        words = unit.words[node.start : node.stop]
        yield node, _Facts(words, frozenset(list_names(words)), read_local(words), scopes)
        return
    inner = (*scopes, next(numbers))
    for child in node.children:
        yield from _list_facts(unit, child, inner, numbers)


def _read_parameters(unit: Unit, found: Declaration, names: frozenset[str]) -> dict[str, bool]:
    """Return the function's parameters, and whether the type of each can instantiate something."""
    parameters: dict[str, bool] = {}
    first, last = map(unit.find_index, found.parameters)
    part: list[str] = []
    for word in (*unit.words[first:last], ","):
        part.append(word)
        if word == ",":
            is_known = not names.isdisjoint(part)
            parameters.update((name, is_known) for name in list_local(part))
            part = [","]
    return parameters


def _select(
    facts: Mapping[Statement, _Facts],
    parameters: Mapping[str, bool],
    names: frozenset[str],
    *,
    returns: bool,
) -> dict[Statement, tuple[str, ...]]:
    """Return the statements to keep, with the tokens to keep of each."""
    objects = _Variables(name for name, can_instantiate in parameters.items() if can_instantiate)
    kept: dict[Statement, tuple[str, ...]] = {}
    is_complete = False
    while not is_complete:
        is_complete = True
        for statement, fact in facts.items():

            def can_instantiate(name: str, scopes: tuple[int, ...] = fact.scopes) -> bool:
                return name.removeprefix(".") in names or objects.can_see(name, scopes)

            is_return = returns and fact.words[:1] == ["return"]
            if statement in kept or not (is_return or any(map(can_instantiate, fact.names))):
                continue
            is_complete = False
            words = tuple(fact.words)
            if words[0] not in _DECLARING:
                words = drop_numbers(words, can_instantiate)
            kept[statement] = drop_configurations(words, can_instantiate)
            if fact.local and not fact.local.is_builtin:
                objects.add(fact.local.names, fact.scopes)
    if kept:
        _add_declarations(facts, kept)
    return kept


def _add_declarations(
    facts: Mapping[Statement, _Facts], kept: dict[Statement, tuple[str, ...]]
) -> None:
    """Keep the declarations of the variables in the kept statements."""
    used: dict[str, set[tuple[int, ...]]] = defaultdict(set)
    new = dict(kept)
    while new:
        for statement, words in new.items():
            for word in words:
                used[word].add(facts[statement].scopes)
        new = {
            statement: fact.local.essence if fact.local else tuple(fact.words)
            for statement, fact in facts.items()
            if statement not in kept
            and ((fact.words[:1] and fact.words[0] in _DECLARING) or _is_used(fact, used))
        }
        kept |= new


def _is_used(fact: _Facts, used: Mapping[str, set[tuple[int, ...]]]) -> bool:
    """Return whether a statement declares a variable that statements in its block use."""
    depth = len(fact.scopes)
    return fact.local is not None and any(
        scopes[:depth] == fact.scopes for name in fact.local.names for scopes in used.get(name, ())
    )


def _write(
    node: Node,
    facts: Mapping[Statement, _Facts],
    kept: Mapping[Statement, tuple[str, ...]],
    *,
    has_lambdas: bool,
) -> list[str]:
    """Write the kept statements with the braces around them.

    Compilers number the lambda expressions of a function, so dropped ones leave a trace.
    """
    if isinstance(node, Statement):
        if node in kept:
            return [*kept[node], ";"]
        return ["[]" for _ in find_lambdas(facts[node].words)] if has_lambdas else []
    parts = [
        word
        for child in node.children
        for word in _write(child, facts, kept, has_lambdas=has_lambdas)
    ]
    return ["{", *parts, "}"] if parts else []
