"""Read declarations: functions, variables, and lambdas, and find those that CUDA's words mark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from kbuild.cxx.heads import find_name, find_template_end, read_head, read_name
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Span
from kbuild.cxx.places import find_angle, starts_captures
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.tokens import join
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass, replace

_OPENING: Final = frozenset("([{")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A declaration.

    Attributes:
        kind: What is declared. A ``lambda`` has only its qualifiers.
        start: The position of its first character, template header included.
        end: The position after its ``;`` or body.
        qualifiers: The spans of the qualifiers that were asked for, in order.
        words: These qualifiers.
        head: The tokens after the template header and before the parameters of a function, or the
            ``;`` of a variable.
        template: The template header; empty without one.
        is_instantiation: Whether it is an explicit instantiation.
        name: The unqualified name of a function.
        parameters: The span of a function's parameters, without parentheses.
        initializers: The span of the member initializers of a constructor.
        body: The braces of a function's body and what is between them.
        namespaces: The names of the namespaces around it; unnamed ones are empty.
        scope: The kind of the innermost scope; empty for the global one.
    """

    kind: Literal["function", "variable", "lambda"]
    start: int
    end: int
    qualifiers: tuple[Span, ...] = ()
    words: frozenset[str] = frozenset()
    head: tuple[Token, ...] = ()
    template: str = ""
    is_instantiation: bool = False
    name: str = ""
    parameters: Span = (0, 0)
    initializers: Span | None = None
    body: Span | None = None
    namespaces: tuple[str, ...] = ()
    scope: str = ""

    @property
    def head_end(self) -> int:
        """The position of the body, or else the end."""
        return self.end if self.body is None else self.body[0]

    @property
    def is_specialization(self) -> bool:
        """Whether it is an explicit specialization of a template."""
        return self.template.replace(" ", "") == "template<>"


def find_qualified(unit: Unit, qualifiers: frozenset[str]) -> tuple[Declaration, ...]:
    """Return all declarations with one of the qualifiers, in order; they can be nested.

    Args:
        unit: The text.
        qualifiers: Words that nothing else in the text contains.
    """
    scopes = find_scopes(unit)
    found: list[Declaration] = []
    last = -1  # the position before which all qualifiers belong to the last declaration's head
    for mark in unit.find(qualifiers):
        position = unit.starts[mark]
        if position < last:
            continue
        around = scopes.around(position)
        declaration = replace(
            _read(unit, mark, qualifiers),
            namespaces=scopes.name_namespace(position),
            scope=around[-1].kind if around else "",
        )
        if declaration.qualifiers:  # otherwise, the word is where none belongs
            found.append(declaration)
        last = max((unit.get_end(mark), *(end for _, end in declaration.qualifiers)))
    return tuple(found)


def read_declaration(unit: Unit, start: int) -> Declaration:
    """Read the declaration of a function or variables that starts at a position.

    The result does not tell what is around it.
    """
    return _read_declaration(unit, unit.find_index(start), frozenset())


def _read(unit: Unit, mark: int, qualifiers: frozenset[str]) -> Declaration:
    start = unit.find_head(mark)
    before = mark - 1
    while before >= start and unit.words[before] in qualifiers:
        before -= 1
    opening = find_angle(unit, before) if unit.get(before) == ">" else None
    if opening is not None and unit.get(opening - 1) == "]":
        before = opening - 1  # before the template parameters of a lambda
    if before >= start and _ends_captures(unit, before, start):
        end = mark
        while unit.get(end) in qualifiers:
            end += 1
        marks = unit.list_between(mark, end)
        return _make("lambda", marks, marks[0].start, marks[-1].end)
    return _read_declaration(unit, start, qualifiers)


def _ends_captures(unit: Unit, index: int, start: int) -> bool:
    """Return whether a token closes the captures of a lambda."""
    opening = unit.partners.get(index, start)
    before = unit.get(opening - 1) if opening > start else ""
    return unit.words[index] == "]" and starts_captures(before, unit.get(opening + 1))


def _make(
    kind: Literal["function", "variable", "lambda"],
    marks: Iterable[Token],
    start: int,
    end: int,
) -> Declaration:
    marks = tuple(marks)
    return Declaration(
        kind=kind,
        start=start,
        end=end,
        qualifiers=tuple((mark.start, mark.end) for mark in marks),
        words=frozenset(mark.text for mark in marks),
    )


def _read_declaration(unit: Unit, start: int, qualifiers: frozenset[str]) -> Declaration:
    """Read the declaration whose first token has an index."""
    end = unit.find_declaration_end(start) or len(unit.words)
    tokens = unit.list_between(start, end)
    header = find_template_end(tokens)
    head, opening = read_head(tokens[header:])
    marks = [mark for mark in head if mark.text in qualifiers]
    position = unit.starts[start] if start < len(unit.starts) else len(unit.text)
    if opening is None:
        stop = unit.find_declaration_end(start + header, ";") or len(unit.words)
        found = _make("variable", marks, position, unit.get_end(stop - 1))
        head = unit.list_between(start + header, stop - 1)
    else:
        index = start + header + opening
        close = unit.partners[index]
        last, initializers, body = _read_function_end(unit, close + 1)
        found = replace(
            _make("function", marks, position, last),
            name=read_name(head),
            parameters=(unit.get_end(index), unit.starts[close]),
            initializers=initializers,
            body=body,
        )
    first = [token.text for token in tokens[:2] if token.text != "extern"]
    is_instantiation = not header and first[:1] == ["template"]
    return replace(
        found,
        head=tuple(head),
        template=join(tokens[:header]),
        is_instantiation=is_instantiation,
    )


def list_qualifiers(found: Declaration) -> tuple[str, ...]:
    """Return the namespaces and classes that a function's declaration spells before its name."""
    head = list(found.head)
    index = find_name(head) or 0
    names: list[str] = []
    while index > 1 and head[index - 1].text == "::" and head[index - 2].is_word:
        index -= 2
        names.insert(0, head[index].text)
    return tuple(names)


def _read_function_end(unit: Unit, index: int) -> tuple[int, Span | None, Span | None]:
    """Return the end of a function, its member initializers, and its body."""
    colon: int | None = None
    is_value = False
    last = ")"
    while index < len(unit.words):
        word = unit.words[index]
        if word == ";":
            return unit.get_end(index), None, None
        if word == "=":
            is_value = True
        elif word == ":" and colon is None:
            colon = unit.starts[index]
        elif word in _OPENING:
            is_member = colon is not None and (last not in (")", "}", "..."))
            close = unit.partners.get(index)
            if close is None:
                break  # the compiler says what is missing
            if word == "{" and not is_member and not is_value:
                start, end = unit.starts[index], unit.get_end(close)
                return end, None if colon is None else (colon, start), (start, end)
            index = close
            word = unit.words[close]
        last = word
        index += 1
    return len(unit.text), None, None
