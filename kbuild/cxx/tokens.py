"""Lists of tokens: their brackets, template arguments, and parts."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.lexer import Token, split_text
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit, match_words

ATTRIBUTES: Final = frozenset(
    (
        *("__attribute__", "__attribute", "__declspec", "alignas"),
        *("__kbuild_launch_bounds__", "__kbuild_cluster_dims__"),
    )
)
OWN_WORD: Final = "__kbuild_"  # how the words start that kbuild's headers put into texts


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of a part of a text, without directives."""
    found = split_text(text)
    return [Token(*pair) for pair in zip(*found, strict=True) if pair[0][0] != "#"]


def match_brackets(tokens: list[Token]) -> dict[int, int]:
    """Return the index of the partner of each bracket."""
    return match_words([token.text for token in tokens])


def match_angle(tokens: list[Token], index: int) -> int | None:
    """Return the index of the ``>`` that closes the ``<`` at ``index``.

    The result is None for an operator. An assignment is no template argument, so that in
    ``int a = x < 3, b = x > 5;``, another declarator follows the comma.
    """
    numbers: set[str] = set()  # the parameters of a template that are not types
    before_angle = tokens[index - 1].text if index > 0 else ""
    is_template = before_angle == "template"
    has_defaults = before_angle in ("template", "]")
    depth = nesting = 0
    for current in range(index, len(tokens)):
        word = tokens[current].text
        if is_template and depth == 1 and _names_number(tokens, current):
            numbers.add(word)
        if word in ("(", "[", "{"):
            nesting += 1
        elif word in (")", "]", "}"):
            nesting -= 1
            if nesting < 0:
                return None
        elif nesting == 0 and word == "<":
            before = tokens[current - 1].text if current > index else ""
            is_number = before in numbers and tokens[current - 2].text != "::"
            is_comparison = is_number or before == ")" or before[:1].isdigit()
            depth += not is_comparison
        elif nesting == 0 and word == ">":
            depth -= 1
            if depth == 0:
                return current
        elif nesting == 0 and (word == ";" or (not has_defaults and _assigns(tokens, current))):
            return None
    return None


def _assigns(tokens: list[Token], index: int) -> bool:
    """Return whether a token is a ``=`` that is no part of a comparison."""
    around = [token.text for token in tokens[index - 1 : index + 2]]
    return around[1:2] == ["="] and around[0] not in ("=", "<", ">", "!") and "=" not in around[2:]


def _names_number(tokens: list[Token], index: int) -> bool:
    """Return whether a token of a template's parameters is the name of one that is not a type."""
    before, after = tokens[index - 1], tokens[index + 1 : index + 2]
    return (
        tokens[index].is_word
        and before.is_word
        and before.text not in ("class", "typename")
        and bool(after)
        and after[0].text in (",", "=", ">")
    )


def split_at_commas(tokens: list[Token]) -> list[list[Token]]:
    """Split a list of parameters or arguments at its commas; empty if there are no tokens."""
    parts: list[list[Token]] = [[]]
    nesting = angles = 0
    for index, token in enumerate(tokens):
        word = token.text
        if word in ("(", "[", "{"):
            nesting += 1
        elif word in (")", "]", "}"):
            nesting -= 1
        elif nesting == 0 and word == "<":
            angles += match_angle(tokens, index) is not None
        elif nesting == 0 and word == ">":
            angles = max(angles - 1, 0)
        if word == "," and nesting == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if tokens else []


def drop_template_headers(tokens: list[Token]) -> list[Token]:
    """Return the tokens after ``template <...>``."""
    while len(tokens) > 1 and tokens[0].text == "template" and tokens[1].text == "<":
        close = match_angle(tokens, 1)
        if close is None:
            break
        tokens = tokens[close + 1 :]
    return tokens


def drop_attributes(tokens: list[Token]) -> list[Token]:
    """Return the tokens without attributes."""
    partners = match_brackets(tokens)
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if tokens[index].text in ATTRIBUTES and following == "(":
            index = partners.get(index + 1, index + 1) + 1
        elif tokens[index].text == "[" and following == "[" and index in partners:
            index = partners[index] + 1
        else:
            kept.append(tokens[index])
            index += 1
    return kept


def join(tokens: list[Token]) -> str:
    """Return the tokens on one line, with space where the text had some."""
    parts = []
    for index, token in enumerate(tokens):
        if index and token.start != tokens[index - 1].end:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def join_span(unit: Unit, span: Span) -> str:
    """Return the tokens between two indices as `join` does; operators such as ``++`` are two."""
    return join(unit.list_between(*span))
