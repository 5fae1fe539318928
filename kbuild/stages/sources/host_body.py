"""Reduce the body of a host function to the statements that can change device code.

These are the statements that can instantiate device code, and the declarations of the variables in
them, because their types are deduced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from kbuild.cxx.declarations import Declaration
from kbuild.cxx.statements import Node, Statement, divide_body, list_statements
from kbuild.cxx.unit import Unit, match_words
from kbuild.stages.sources.locals import Local, list_local, read_local
from kbuild.values import dataclass

# A statement that starts with one of these can change the meaning of others.
_DECLARING: Final = frozenset(
    (
        *("using", "typedef", "struct", "class", "enum", "union", "template", "static_assert"),
        *("extern", "asm", "__asm__", "namespace", "constexpr"),
    )
)
# What can precede a value, so that a bracket after it starts no lambda expression.
_VALUE_ENDS: Final = frozenset((")", "]"))


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known about a statement."""

    words: list[str]
    names: frozenset[str]
    local: Local | None


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
    facts = {
        statement: _read_facts(unit.words[statement.start : statement.stop])
        for statement in list_statements(body)
    }
    parameters = _read_parameters(unit, found, names)
    result = [token.text for token in found.head[:-1]]
    kept = _select(facts, parameters, names, returns=not names.isdisjoint(result))
    has_lambdas = any(list(_find_lambdas(words)) for words in kept.values())
    return _write(body, facts, kept, has_lambdas=has_lambdas)


def _read_facts(words: list[str]) -> _Facts:
    return _Facts(words, frozenset(_list_names(words)), read_local(words))


def _list_names(words: Sequence[str]) -> Iterator[str]:
    """Yield the names. Members of objects have a dot in front, because objects stand for them."""
    before = ""
    for word in words:
        if word.isidentifier():
            yield f".{word}" if before in (".", "->") else word
        before = word


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
    objects = {name for name, can_instantiate in parameters.items() if can_instantiate}
    kept: dict[Statement, tuple[str, ...]] = {}

    def can_instantiate(name: str) -> bool:
        return name.removeprefix(".") in names or name in objects

    is_complete = False
    while not is_complete:
        is_complete = True
        for statement, fact in facts.items():
            is_return = returns and fact.words[:1] == ["return"]
            if statement in kept or not (is_return or any(map(can_instantiate, fact.names))):
                continue
            is_complete = False
            kept[statement] = _drop_configurations(fact.words, can_instantiate)
            if fact.local and not fact.local.is_builtin:
                objects |= fact.local.names
    if kept:
        _add_declarations(facts, kept)
    return kept


def _add_declarations(
    facts: Mapping[Statement, _Facts], kept: dict[Statement, tuple[str, ...]]
) -> None:
    """Keep the declarations of the variables in the kept statements."""
    relevant = {word for words in kept.values() for word in words}
    is_complete = False
    while not is_complete:
        is_complete = True
        for statement, fact in facts.items():
            is_declaring = bool(fact.words) and fact.words[0] in _DECLARING
            is_variable = fact.local is not None and not relevant.isdisjoint(fact.local.names)
            if statement in kept or not (is_declaring or is_variable):
                continue
            is_complete = False
            kept[statement] = fact.local.essence if fact.local else tuple(fact.words)
            relevant.update(kept[statement])


def _drop_configurations(
    words: Sequence[str], can_instantiate: Callable[[str], bool]
) -> tuple[str, ...]:
    """Drop the launch configurations, which do not take part in the deduction of types."""
    partners = match_words(list(words))
    parts: list[str] = []
    index = 0
    while index < len(words):
        parts.append(words[index])
        index += 1
        if parts[-1] != "<<<":
            continue
        stop = index
        while stop < len(words) and tuple(words[stop : stop + 4]) != (">", ">", ">", "("):
            stop = max(partners.get(stop, stop), stop) + 1
        inner = words[index:stop]
        if not any(map(can_instantiate, _list_names(inner))) and not any(_find_lambdas(inner)):
            index = stop
    return tuple(parts)


def _find_lambdas(words: Sequence[str]) -> Iterator[int]:
    """Yield the places of brackets that start lambda expressions."""
    for index, word in enumerate(words):
        before = words[index - 1] if index else ";"
        is_value = before in _VALUE_ENDS or before[-1] == '"'
        if word == "[" and not is_value and (not before.isidentifier() or before == "return"):
            yield index


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
        return ["[]" for _ in _find_lambdas(facts[node].words)] if has_lambdas else []
    parts = [
        word
        for child in node.children
        for word in _write(child, facts, kept, has_lambdas=has_lambdas)
    ]
    return ["{", *parts, "}"] if parts else []
