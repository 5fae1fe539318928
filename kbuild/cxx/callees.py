"""Decide whether the expression before ``<<<`` names a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from kbuild.cxx.scopes import Scope
from kbuild.cxx.tokens import Token, find_close, list_tokens, match_angle, match_brackets
from kbuild.values import dataclass

# Words after which an identifier is used and not declared.
_EXPRESSION: Final = frozenset(
    {"return", "throw", "new", "delete", "case", "goto", "else", "do", "co_return", "co_await"}
    | {"co_yield", "sizeof", "alignof", "typeid", "not", "and", "or", "xor", "operator", "if"}
    | {"namespace", "while", "for", "switch", "void", "template"}
)
_CLASS_BEFORE: Final = re.compile(r"\b(?:class|struct)\b(?:[^;{}()=]*\s)?$")
_MOST_LOOKED_BACK: Final = 400  # characters
_BASE: Final = re.compile(r"(\w+)\s*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>\s*)?(?:,|$)")
_MOST_CLASSES: Final = 16
_DECLARED_AFTER_TYPE: Final = ("=", ";", ",", ")", "(", "{", "[", ":")


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


def is_shadowed(text: str, position: int, name: str, scopes: list[Scope]) -> bool:
    """Return whether a variable, parameter, or member has the name of a kernel.

    Args:
        text: The preprocessed text.
        position: The position of the launch.
        name: The name.
        scopes: The scopes around the launch.
    """
    inner = [scope for scope in scopes if scope.kind in ("block", "class")]
    if not inner:
        return False
    classes = [scope for scope in inner if scope.kind == "class"]
    end = (find_close(text, classes[0].brace) if classes else None) or position
    if _may_declare(text, name, inner[0].head, end) and _is_declared(
        text, (inner[0].head, end), position, name, inner
    ):
        return True
    owners = [*_list_owners(text, inner[0]), *(scope.name for scope in classes if scope.name)]
    return _has_member(text, tuple(owners), name)


def _may_declare(text: str, name: str, start: int, end: int) -> bool:
    """Return whether a part of the text has a name where `declares` can be true.

    A function can contain hundreds of launches of template kernels, as macros expand to them. Its
    tokens need not be read for any of them.
    """
    pattern = rf"\b{re.escape(name)}\b(?!\s*(?:<(?![<=])|::))"
    return re.compile(pattern).search(text, start, end) is not None


def _is_declared(
    text: str, region: tuple[int, int], position: int, name: str, scopes: list[Scope]
) -> bool:
    """Return whether a declaration in a region of the text reaches the position."""
    tokens = list(list_tokens(text, *region))
    partners = match_brackets(tokens)
    kinds = {scope.brace: scope.kind for scope in scopes}
    return any(
        _reaches(tokens, partners, index, position, kinds)
        for index, token in enumerate(tokens)
        if token.text == name and declares(tokens, partners, index)
    )


def _list_owners(text: str, function: Scope) -> Iterator[str]:
    """Yield the names before the ``::`` in the head of a member function's definition."""
    if function.kind != "block":
        return
    tokens = list(list_tokens(text, function.head, function.brace))
    for index, token in enumerate(tokens[:-1]):
        if token.text != "::" or not tokens[index + 1].is_word or not index:
            continue
        before = index - 1
        if tokens[before].text == ">":
            before = next(
                (
                    start - 1
                    for start in range(before, 0, -1)
                    if tokens[start].text == "<" and match_angle(tokens, start) == before
                ),
                0,
            )
        if tokens[before].is_word:
            yield tokens[before].text


@lru_cache(maxsize=64)  # all launches in a function need the same members
def _has_member(text: str, owners: tuple[str, ...], name: str) -> bool:
    """Return whether one of the classes, or one of their base classes, has a member with a name."""
    classes = list(dict.fromkeys(owners))
    for owner in classes:
        if len(classes) > _MOST_CLASSES:
            break
        for brace, bases in _find_classes(text, owner):
            close = find_close(text, brace)
            scope = Scope(brace, brace, "class")
            if (
                close is not None
                and _may_declare(text, name, brace, close)
                and _is_declared(text, (brace, close), close, name, [scope])
            ):
                return True
            classes += [base for base in bases if base not in classes]
    return False


def _find_classes(text: str, owner: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the opening brace and the base classes of each class with a name."""
    # Patterns that start with the name are searched as fast as a plain string.
    for head in re.finditer(rf"{re.escape(owner)}\b([^;{{}}()]*)\{{", text):
        start = max(0, head.start() - _MOST_LOOKED_BACK)
        if _CLASS_BEFORE.search(text, start, head.start()) is not None:
            yield head.end() - 1, _BASE.findall(head[1].partition(":")[2])


def declares(tokens: list[Token], partners: dict[int, int], index: int) -> bool:
    """Return whether the token at ``index`` is the name in a declaration of a variable.

    In doubt, the answer is yes, because a launch through a pointer also works for most kernels.
    """
    before = tokens[index - 1] if index else Token("", 0)
    after = [token.text for token in tokens[index + 1 : index + 3]]
    if before.text in (".", "->", "::") or after[:1] in (["::"], ["<"]):
        return False
    if after[:1] == ["="]:
        return after != ["=", "="]
    if before.text in ("*", "&"):
        return _is_declarator(tokens, partners, index)
    if before.text in (">", "]"):
        return after[:1] in [[sign] for sign in _DECLARED_AFTER_TYPE]
    if before.text in ("[", ","):
        return _is_structured_binding(tokens, partners, index)
    return before.text == "..." or (before.is_word and before.text not in _EXPRESSION)


def _is_declarator(tokens: list[Token], partners: dict[int, int], index: int) -> bool:
    """Return whether ``*name`` or ``&name`` follows a type."""
    start = index - 1
    while start >= 0 and tokens[start].text in ("*", "&"):
        start -= 1
    if start < 0:
        return False
    if tokens[start].text != "(":
        return _ends_type(tokens[start])
    close = partners.get(start)
    if start == 0 or close is None or close + 1 >= len(tokens):
        return False
    is_type = _ends_type(tokens[start - 1]) or tokens[start - 1].text in ("*", "&")
    return is_type and tokens[close + 1].text in ("(", "[")


def _ends_type(token: Token) -> bool:
    return token.text in (">", "void") or (token.is_word and token.text not in _EXPRESSION)


def _is_structured_binding(tokens: list[Token], partners: dict[int, int], index: int) -> bool:
    while index >= 0 and (tokens[index].is_word or tokens[index].text == ","):
        index -= 1
    return (
        index > 0
        and tokens[index].text == "["
        and tokens[index - 1].text in ("auto", "&")
        and index in partners
    )


def _reaches(
    tokens: list[Token],
    partners: dict[int, int],
    index: int,
    position: int,
    kinds: Mapping[int, str],
) -> bool:
    """Return whether the scope of the declaration at ``index`` contains a position.

    A declaration in parentheses or in a template header belongs to the block or statement after
    it. Every other declaration belongs to the block or class around it.
    """
    outermost: int | None = None
    current = index - 1
    while current >= 0 and tokens[current].text != "{":
        word = tokens[current].text
        if word in (")", "]", "}"):
            current = partners.get(current, current)
        elif word in ("(", "["):
            if current not in partners:  # contains the launch
                return tokens[index].start < position
            outermost = current
        elif word == "template" and outermost is None:
            close = match_angle(tokens, current + 1)
            if close is not None and close > index:
                return _reaches_statement(tokens, partners, close, position)
        current -= 1
    if outermost is not None and not _is_declared_name(tokens, outermost, index):
        return _reaches_statement(tokens, partners, partners[outermost], position)
    if current < 0:
        return tokens[index].start < position
    kind = kinds.get(tokens[current].start)
    return kind == "class" or (kind is not None and tokens[index].start < position)


def _is_declared_name(tokens: list[Token], opening: int, index: int) -> bool:
    """Return whether the bracket is that of ``(*name)`` or ``auto [name]``."""
    return tokens[opening].text == "[" or all(
        token.text in ("*", "&", "const") for token in tokens[opening + 1 : index]
    )


def _reaches_statement(
    tokens: list[Token], partners: dict[int, int], index: int, position: int
) -> bool:
    """Return whether the block or statement that follows ``index`` contains a position."""
    if position < tokens[index].start:
        return False
    while index < len(tokens):
        word = tokens[index].text
        if word == ";":
            return position < tokens[index].start
        if word == "{":
            close = partners.get(index)
            return close is None or position < tokens[close].start
        if word in ("(", "[") and index in partners:
            index = partners[index]
        index += 1
    return True
