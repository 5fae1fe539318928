"""Reduce the body of a host function to the statements that can change device code.

These are the statements that can demand an instance of a template kernel, and the declarations of
the variables in them, because their types are deduced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from kbuild.cxx.source.declarations import is_name
from kbuild.cxx.source.locals import Local, read_local
from kbuild.cxx.source.names import list_local, skip_group
from kbuild.cxx.source.statements import Node, Statement, divide_body, list_statements
from kbuild.cxx.source.tokens import SourceTokens
from kbuild.stages.sources.demand import Demand
from kbuild.stages.sources.macros import Macros, can_declare
from kbuild.values import dataclass

# A statement that starts with one of these can change the meaning of others.
_DECLARING: Final = frozenset(
    b"using typedef struct class enum union template static_assert extern asm __asm__"
    b" namespace".split()
)
_CONDITION: Final = re.compile(rb"#\s*if")
_BRANCH: Final = re.compile(rb"#\s*(?:el|endif$)")
_HINT: Final = re.compile(rb"#\s*pragma\s+(?:omp|unroll|GCC\s+(?:ivdep|unroll))\b")
# What can precede a value, so that a bracket after it starts a lambda expression.
_VALUE_ENDS: Final = (b")", b"]")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known about a statement."""

    words: list[bytes]
    names: frozenset[bytes]
    local: Local | None


def is_opaque(words: Sequence[bytes], demand: Demand) -> bool:
    """Return whether all of a body must be kept, because parts of it cannot be judged alone."""
    if any(word[:1] == b"#" for word in words) and not _has_plain_directives(words):
        return True
    for index, word in enumerate(words):
        if word in demand.device or tuple(words[index : index + 2]) == (b"if", b"constexpr"):
            return True
        if word == b"]" and _ends_captures(words, index):
            return True
        if word in demand.macros and not _is_balanced(demand.macros, word):
            return True
    return False


def _ends_captures(words: Sequence[bytes], index: int) -> bool:
    """Return whether a name follows a bracket: a macro in a lambda, which can be ``__device__``."""
    following = words[index + 1 : index + 2]
    is_array = tuple(words[index - 2 : index]) == (b"delete", b"[")
    return bool(following) and is_name(following[0]) and not is_array


def _has_plain_directives(words: Sequence[bytes]) -> bool:
    """Return whether all directives are conditions or for the optimizer.

    The brackets must match in all branches of a condition.
    """
    depth = 0
    conditions: list[int] = []
    for word in words:
        if word in (b"(", b"[", b"{"):
            depth += 1
        elif word in (b")", b"]", b"}"):
            depth -= 1
            if conditions and depth < conditions[-1]:
                return False
        elif _CONDITION.match(word):
            conditions.append(depth)
        elif _BRANCH.match(word):
            if not conditions or depth != conditions[-1]:
                return False
            if word.endswith(b"endif"):
                conditions.pop()
        elif word[:1] == b"#" and not _HINT.match(word):
            return False
    return not conditions


def _is_balanced(macros: Macros, name: bytes) -> bool:
    return all(
        macro.words.count(first) == macro.words.count(last)
        for macro in macros[name]
        for first, last in ((b"{", b"}"), (b"(", b")"))
    )


def reduce_body(
    tokens: SourceTokens, head: Sequence[bytes], brace: int, demand: Demand
) -> list[bytes]:
    """Return the tokens of a body that can change device code.

    Args:
        tokens: The text.
        head: The tokens of the function before its body.
        brace: The index of the brace that opens the body.
        demand: The names in the source and its headers.
    """
    if demand.is_empty:
        return []
    body = divide_body(tokens, brace)
    facts = {
        statement: _read_facts(tokens.words[statement.start : statement.stop])
        for statement in list_statements(body)
    }
    parameters = _read_parameters(head, demand)
    kept = _select(facts, parameters, demand, returns=_can_return(head, demand))
    has_lambdas = any(list(_find_lambdas(words)) for words in kept.values())
    return _write(body, facts, kept, has_lambdas=has_lambdas)


def _read_facts(words: list[bytes]) -> _Facts:
    return _Facts(words, frozenset(_list_names(words)), read_local(words))


def _list_names(words: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the names. Members of objects have a dot in front, because objects stand for them."""
    before = b""
    for word in words:
        if is_name(word):
            yield b"." + word if before in (b".", b"->") else word
        before = word


def _read_parameters(head: Sequence[bytes], demand: Demand) -> dict[bytes, bool]:
    """Return the function's parameters, and whether the type of each can demand an instance."""
    found: dict[bytes, bool] = {}
    start = head.index(b"(") if b"(" in head else len(head)
    part: list[bytes] = []
    for word in (*head[start:], b","):
        part.append(word)
        if word == b",":
            names = set(list_local(part))
            is_demanding = any(demand.can_demand(n) for n in part if is_name(n) and n not in names)
            found.update((name, is_demanding) for name in names)
            part = part[-1:]
    return found


def _can_return(head: Sequence[bytes], demand: Demand) -> bool:
    """Return whether the conversion of a returned value can demand an instance."""
    result = head[: head.index(b"(")] if b"(" in head else head
    return any(demand.can_demand(word) for word in result[:-1] if is_name(word))


def _select(
    facts: Mapping[Statement, _Facts],
    parameters: Mapping[bytes, bool],
    demand: Demand,
    *,
    returns: bool,
) -> dict[Statement, tuple[bytes, ...]]:
    """Return the statements to keep, with the tokens to keep of each."""
    demanding = {name for name, is_demanding in parameters.items() if is_demanding}
    known = set(parameters).union(*(f.local.names for f in facts.values() if f.local))
    kept: dict[Statement, tuple[bytes, ...]] = {}

    def can_demand(name: bytes) -> bool:
        if name[:1] == b".":
            return name[1:] in demand.demanding
        return name in demanding or (
            demand.can_demand(name) and (name in demand.demanding or name not in known)
        )

    is_complete = False
    while not is_complete:
        is_complete = True
        for statement, fact in facts.items():
            is_return = returns and fact.words[:1] == [b"return"]
            if statement in kept or not (is_return or any(map(can_demand, fact.names))):
                continue
            is_complete = False
            kept[statement] = _drop_configurations(fact.words, can_demand)
            if fact.local and not fact.local.is_builtin:
                demanding |= fact.local.names
    if kept:
        _add_declarations(facts, kept, demand)
    return kept


def _add_declarations(
    facts: Mapping[Statement, _Facts], kept: dict[Statement, tuple[bytes, ...]], demand: Demand
) -> None:
    """Keep the declarations of the variables in the kept statements."""
    relevant = {word for words in kept.values() for word in words}
    is_complete = False
    while not is_complete:
        is_complete = True
        for statement, fact in facts.items():
            if statement in kept or not _declares(fact, relevant, demand.macros):
                continue
            is_complete = False
            kept[statement] = fact.local.essence if fact.local else tuple(fact.words)
            relevant.update(kept[statement])


def _declares(fact: _Facts, relevant: set[bytes], macros: Macros) -> bool:
    """Return whether a statement can declare a relevant name, or change how names are found."""
    first = fact.words[0] if fact.words else b""
    has_directive = any(word[:1] == b"#" and not _HINT.match(word) for word in fact.words)
    if has_directive or first in _DECLARING:
        return True
    if first in macros and can_declare(macros, first):
        return True
    return fact.local is not None and not relevant.isdisjoint(fact.local.names)


def _drop_configurations(
    words: Sequence[bytes], can_demand: Callable[[bytes], bool]
) -> tuple[bytes, ...]:
    """Drop the launch configurations, which do not take part in the deduction of types."""
    parts: list[bytes] = []
    index = 0
    while index < len(words):
        parts.append(words[index])
        index += 1
        if parts[-1] != b"<<<":
            continue
        stop = _find_arguments(words, index)
        inner = words[index:stop]
        if not any(map(can_demand, _list_names(inner))) and not any(_find_lambdas(inner)):
            index = stop
    return tuple(parts)


def _find_arguments(words: Sequence[bytes], index: int) -> int:
    """Return the index of the ``>>>`` that ends a configuration."""
    while index < len(words):
        if words[index] in (b"(", b"[", b"{"):
            index = skip_group(words, index)
        elif tuple(words[index : index + 4]) == (b">", b">", b">", b"("):
            return index
        else:
            index += 1
    return index


def _find_lambdas(words: Sequence[bytes]) -> Iterator[int]:
    """Yield the places of brackets that start lambda expressions."""
    for index, word in enumerate(words):
        before = words[index - 1] if index else b";"
        is_value = before in _VALUE_ENDS or before[-1:] == b'"'
        if word == b"[" and not is_value and (not is_name(before) or before == b"return"):
            yield index


def _write(
    node: Node,
    facts: Mapping[Statement, _Facts],
    kept: Mapping[Statement, tuple[bytes, ...]],
    *,
    has_lambdas: bool,
) -> list[bytes]:
    """Write the kept statements with the braces around them.

    Compilers number the lambda expressions of a function, so dropped ones leave a trace.
    """
    if isinstance(node, Statement):
        if node in kept:
            return [b"\n%b\n" % word if word[:1] == b"#" else word for word in (*kept[node], b";")]
        return [b"[]" for _ in _find_lambdas(facts[node].words)] if has_lambdas else []
    parts = [
        word
        for child in node.children
        for word in _write(child, facts, kept, has_lambdas=has_lambdas)
    ]
    return [b"{", *parts, b"}"] if parts else []
