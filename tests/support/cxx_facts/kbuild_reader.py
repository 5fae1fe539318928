"""Read facts with kbuild's own reader."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterator

from kbuild.backends.qualifiers import QUALIFIERS, list_declarators
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.heads import find_name
from kbuild.cxx.launches import find_launches
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Launch, Span
from kbuild.cxx.tokens import read_tokens, split_at_commas
from kbuild.cxx.unit import Unit
from support.cxx_facts.facts import Declared, Fact, Launched, is_qualified


def read_facts(text: str) -> frozenset[Fact]:
    """Return what kbuild finds in a preprocessed text, outside of system headers.

    Explicit instantiations are left out, because libclang does not show those of functions.
    """
    unit = Unit(text)
    headers = _SystemHeaders(unit)
    facts: list[Fact] = [_describe_launch(launch, text) for launch in find_launches(unit)]
    for found in find_qualified(unit, QUALIFIERS):
        facts += _describe(found, text)
    return frozenset(fact for fact in facts if not headers.contain(fact.position))


class _SystemHeaders:
    """The parts of a text that system headers contain, as line markers tell."""

    def __init__(self, unit: Unit) -> None:
        self._starts = [0]
        self._are_system = [False]
        for directive in unit.directives:
            place = locate(f"{directive.text}\n", len(directive.text) + 1)
            if place.file:  # a line marker, and not a pragma
                self._starts.append(directive.start)
                self._are_system.append("3" in place.flags)

    def contain(self, position: int) -> bool:
        return self._are_system[bisect_right(self._starts, position) - 1]


def _describe(found: Declaration, text: str) -> Iterator[Declared]:
    words = tuple(sorted(found.words))
    if found.kind == "lambda":
        position = text.rindex("]", 0, found.qualifiers[0][0])
        yield Declared(position=position, kind="lambda", words=words)
    if found.kind == "lambda" or found.is_instantiation:
        return
    is_function = found.kind == "function"
    parameters = _split(text, found.parameters) if is_function else []
    is_template = found.template.replace(" ", "") not in (
        "",
        "template<>",
    ) or "auto" in itertools.chain(*parameters)
    for position in _list_names(found):
        yield Declared(
            position=position,
            kind=found.kind,
            words=words,
            namespaces=found.namespaces,
            scope="class" if found.scope == "class" else "block" if found.scope == "block" else "",
            is_template=is_template and not is_qualified(text, position),
            parameters=sum(words not in (["void"], ["..."]) for words in parameters),
            is_defined=found.body is not None,
        )


def _list_names(found: Declaration) -> list[int]:
    if found.kind == "variable":
        return [declarator.name.start for declarator in list_declarators(found)]
    words = [token.text for token in found.head]
    index = words.index("operator") if "operator" in words else find_name(list(found.head))
    if index is None:
        return []
    return [found.head[index - (words[index - 1 : index] == ["~"])].start]


def _describe_launch(launch: Launch, text: str) -> Launched:
    return Launched(
        position=text.index("<", launch.callee[1]),
        start=launch.start,
        end=launch.end,
        configuration=len(_split(text, launch.configuration)),
        arguments=len(_split(text, launch.arguments)),
    )


def _split(text: str, span: Span) -> list[list[str]]:
    parts = split_at_commas(read_tokens(text[slice(*span)]))
    return [[token.text for token in part] for part in parts]
