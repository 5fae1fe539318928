"""Read qualified names, and the using-declarations that contain them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import match_angle, match_brackets, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A qualified name at the end of which template arguments can follow.

    Attributes:
        token: The unqualified name.
        qualifiers: The names before it; None if one has template arguments.
        is_global: Whether it starts with ``::``.
    """

    token: Token
    qualifiers: tuple[str, ...] | None
    is_global: bool


@dataclass(frozen=True, slots=True)
class Using:
    """A using-declaration that names kernels, and the position after its ``;``."""

    start: int
    end: int
    names: tuple[Name, ...]


def read_name(tokens: list[Token]) -> Name | None:
    """Read an expression as a name, with or without parentheses; None if it is something else."""
    partners = match_brackets(tokens)
    start, end = 0, len(tokens)
    while start < end and tokens[start].text == "(" and partners.get(start) == end - 1:
        start, end = start + 1, end - 1
    tokens = tokens[start:end]
    is_global = bool(tokens) and tokens[0].text == "::"
    index = int(is_global)
    qualifiers: list[str] | None = []
    while index < len(tokens) and tokens[index].is_word:
        if tokens[index].text == "template":
            index += 1
            continue
        name = tokens[index]
        has_arguments = index + 1 < len(tokens) and tokens[index + 1].text == "<"
        close = match_angle(tokens, index + 1) if has_arguments else index
        if close is None:
            return None
        index = close + 1
        if index == len(tokens):
            return Name(name, None if qualifiers is None else tuple(qualifiers), is_global)
        if tokens[index].text != "::":
            return None
        if has_arguments or qualifiers is None:
            qualifiers = None
        else:
            qualifiers.append(name.text)
        index += 1
    return None


def find_usings(unit: Unit, names: set[str]) -> Iterator[Using]:
    """Yield the using-declarations that contain one of the names."""
    usings = unit.find(("using",))
    nearest = {bisect_left(usings, place) - 1 for place in unit.find(names)}
    for index in (usings[number] for number in sorted(nearest - {-1})):
        end = unit.find_declaration_end(index, ";")
        if end is None or names.isdisjoint(unit.words[index:end]) or "=" in unit.words[index:end]:
            continue
        parts = split_at_commas(unit.list_between(index + 1, end - 1))
        read = (read_name(part) for part in parts)
        named = tuple(name for name in read if name is not None and name.token.text in names)
        if named and unit.get(index + 1) != "namespace":
            yield Using(unit.starts[index], unit.get_end(end - 1), named)
