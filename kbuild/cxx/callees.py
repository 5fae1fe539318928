"""Decide whether the expression before ``<<<`` names a kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.cxx.model import Launch
from kbuild.cxx.scopes import Scope
from kbuild.cxx.tokens import (
    Token,
    list_tokens,
    match_angle,
    match_brackets,
)

# Words after which an identifier is used and not declared.
_EXPRESSION: Final = frozenset(
    [
        "return",
        "throw",
        "new",
        "delete",
        "case",
        "goto",
        "else",
        "do",
        "co_return",
        "co_await",
        "co_yield",
        "sizeof",
        "alignof",
        "typeid",
        "not",
        "and",
        "or",
        "xor",
        "operator",
        "namespace",
        "if",
        "while",
        "for",
        "switch",
        "void",
        "template",
    ]
)
_SIMPLE: Final = re.compile(r"[\w$:<>,\s()&*]*[\w$>)]", re.ASCII)


def name_kernel(text: str, launch: Launch, names: Iterable[str]) -> Token | None:
    """Return the token with the name of a kernel, if the callee is a name or a template id.

    Args:
        text: The preprocessed text.
        launch: The launch.
        names: The unqualified names of the kernels.
    """
    tokens = list(list_tokens(text, *launch.callee))
    while (
        len(tokens) > 2
        and tokens[0].text == "("
        and match_brackets(tokens).get(0) == len(tokens) - 1
    ):
        tokens = tokens[1:-1]
    index = 0
    if tokens[:1] and tokens[0].text == "::":
        index = 1
    while index < len(tokens) and (tokens[index].is_word):
        if tokens[index].text == "template":
            index += 1
            continue
        name = tokens[index]
        index += 1
        if index < len(tokens) and tokens[index].text == "<":
            close = match_angle(tokens, index)
            if close is None:
                return None
            index = close + 1
        if index == len(tokens):
            return name if name.text in names else None
        if tokens[index].text != "::":
            return None
        index += 1
    return None


def is_qualified(text: str, launch: Launch, name: Token) -> bool:
    """Return whether the callee names the kernel with ``::``."""
    return text[launch.callee[0] : name.start].rstrip().endswith(("::", "template"))


def is_shadowed(text: str, launch: Launch, name: str, scopes: list[Scope]) -> bool:
    """Return whether a variable, parameter, or member around the launch has the kernel's name.

    Args:
        text: The preprocessed text.
        launch: The launch.
        name: The name.
        scopes: The scopes around the launch.
    """
    inner = [scope for scope in scopes if scope.kind in ("block", "class")]
    if (
        not inner
        or re.search(rf"\b{re.escape(name)}\b", text[inner[0].head : launch.start]) is None
    ):
        return False
    tokens = list(list_tokens(text, inner[0].head, launch.end))
    partners = match_brackets(tokens)
    braces = {scope.brace for scope in inner}
    return any(
        _reaches(tokens, partners, index, launch.start, braces)
        for index, token in enumerate(tokens)
        if token.text == name and token.start < launch.start and _declares(tokens, partners, index)
    )


def _declares(tokens: list[Token], partners: dict[int, int], index: int) -> bool:
    """Return whether the token at ``index`` is the name in a declaration.

    In doubt, it is: a launch through a pointer also works for most kernels.
    """
    before = tokens[index - 1].text if index else ""
    after = [token.text for token in tokens[index + 1 : index + 3]]
    if before in (".", "->", "::") or after[:1] == ["::"]:
        return False
    if after[:1] == ["="]:
        return after != ["=", "="]
    if after[:1] == ["<"]:
        return False
    if before == "...":
        return True
    if index and tokens[index - 1].is_word:
        return before not in _EXPRESSION
    if before in ("*", "&"):
        return _is_declarator(tokens, partners, index)
    if before in (">", "]"):
        return after[:1] in (["="], [";"], [","], [")"], ["("], ["{"], ["["], [":"])
    if before in ("[", ","):
        return _is_structured_binding(tokens, partners, index)
    return False


def _is_declarator(tokens: list[Token], partners: dict[int, int], index: int) -> bool:
    """Return whether ``*name`` or ``&name`` follows a type."""
    start = index - 1
    while start >= 0 and tokens[start].text in ("*", "&"):
        start -= 1
    if start < 0:
        return False
    if tokens[start].text != "(":
        word = tokens[start]
        return word.text == ">" or (word.is_word and word.text not in _EXPRESSION - {"void"})
    close = partners.get(start)
    if start == 0 or close is None or close + 1 >= len(tokens):
        return False
    word = tokens[start - 1]
    is_type = word.text in (">", "*", "&") or (
        word.is_word and word.text not in _EXPRESSION - {"void"}
    )
    return is_type and tokens[close + 1].text in ("(", "[")


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
    tokens: list[Token], partners: dict[int, int], index: int, position: int, braces: set[int]
) -> bool:
    """Return whether the scope of the declaration at ``index`` contains a position.

    A declaration in parentheses or in a template header belongs to the block or statement after
    it. Every other declaration belongs to the block around it.
    """
    outermost: int | None = None
    current = index - 1
    while current >= 0:
        word = tokens[current].text
        if word in (")", "]", "}"):
            current = partners.get(current, current) - 1
            continue
        if word == "{":
            break
        if word in ("(", "[") and current in partners:
            outermost = current
        elif word == "(":  # contains the launch
            return True
        elif word == "template" and outermost is None:
            close = match_angle(tokens, current + 1)
            if close is not None and close > index:
                return _reaches_statement(tokens, partners, close, position)
        current -= 1
    if outermost is not None and not _is_pointer_name(tokens, outermost, index):
        return _reaches_statement(tokens, partners, partners[outermost], position)
    return current < 0 or tokens[current].start in braces


def _is_pointer_name(tokens: list[Token], opening: int, index: int) -> bool:
    """Return whether the parenthesis is that of ``(*name)``, a declarator."""
    return all(
        token.text in ("*", "&", "[", ",") or token.is_word for token in tokens[opening + 1 : index]
    ) and (tokens[opening + 1].text in ("*", "&") or tokens[opening].text == "[")


def _reaches_statement(
    tokens: list[Token], partners: dict[int, int], index: int, position: int
) -> bool:
    """Return whether the block or statement after ``index`` contains a position."""
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
