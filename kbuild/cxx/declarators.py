"""Find the parts of a declaration: its type, the declared name, and the initializer."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import ATTRIBUTES, join, match_angle, match_brackets

BUILT_IN_TYPES: Final = frozenset(
    [
        "void",
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "__int128",
        "_Float16",
        "_Float32",
        "_Float64",
        "__float128",
        "__signed__",
    ]
)
CLASS_KEYS: Final = frozenset(("struct", "class", "union", "enum"))
GRID_CONSTANT: Final = "__kbuild_grid_constant__"  # after preprocessing
QUALIFIERS: Final = frozenset(
    [
        "const",
        "volatile",
        "__restrict",
        "__restrict__",
        "restrict",
        "__const",
        "__volatile__",
        "register",
        "constexpr",
        "__grid_constant__",
        GRID_CONSTANT,
        "typename",
        *CLASS_KEYS,
    ]
)
TYPE_WORDS: Final = BUILT_IN_TYPES | QUALIFIERS | {"auto"}
# They take an expression or a type in parentheses.
TYPE_OPERATORS: Final = frozenset(
    {"decltype", "typeof", "__typeof__", "__typeof", "__underlying_type"}
)


def split_initializer(tokens: list[Token]) -> tuple[list[Token], str]:
    """Return the tokens before ``=``, and the rest as text."""
    nesting = 0
    angle_end = -1
    for index, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            nesting += 1
        elif token.text in (")", "]", "}"):
            nesting -= 1
        elif token.text == "<" and nesting == 0 and index > angle_end:
            angle_end = match_angle(tokens, index) or angle_end
        elif token.text == "=" and nesting == 0 and index > angle_end:
            return tokens[:index], f" {join(tokens[index:])}"
    return tokens, ""


def find_declarator(body: list[Token]) -> tuple[int, int | None]:
    """Return the index where a parameter's name belongs, and that of the name, if it has one."""
    partners = match_brackets(body)
    index = find_type_end(body, 0)
    while index < len(body):
        word = body[index].text
        if word in ATTRIBUTES and index + 1 in partners:
            index = partners[index + 1] + 1
        elif word == "[" and index + 1 < len(body) and body[index + 1].text == "[":
            index = partners.get(index, index) + 1
        elif word in ("*", "&", "...") or word in TYPE_WORDS:
            index += 1
        elif body[index].is_word:
            following = body[index + 1].text if index + 1 < len(body) else ""
            end = _end_of_qualifier(body, index)
            if following not in ("::", "<") or body[end - 1].text == ">":
                return index, index  # with template arguments, it is a specialization
            index = end  # a pointer to a member
        elif word == "(" and _is_declarator(body, index, partners):
            index += 1
        else:
            return index, None
    return index, None


def _is_declarator(body: list[Token], index: int, partners: dict[int, int]) -> bool:
    """Return whether the parenthesis contains a declarator, and not parameters."""
    close = partners.get(index)
    if close is None:
        return False
    inner = body[index + 1 : close]
    return any(token.text in ("*", "&") for token in inner[:1]) or (
        close + 1 < len(body)
        and body[close + 1].text in ("(", "[")
        and any(token.text == "*" for token in inner)
    )


def _end_of_qualifier(body: list[Token], index: int) -> int:
    """Return the index after ``name<...>::`` or ``name<...>``."""
    index += 1
    if index < len(body) and body[index].text == "<":
        index = (match_angle(body, index) or index) + 1
    if index < len(body) and body[index].text == "::":
        index += 1
    return index


def find_type_end(body: list[Token], index: int) -> int:
    """Return the index after the type that a declaration starts with."""
    partners = match_brackets(body)
    is_known = is_class = False
    while index < len(body):
        word = body[index].text
        is_class = is_class or word in CLASS_KEYS
        if is_class and word in (":", "{"):  # the definition of the class
            braces = (brace for brace in range(index, len(body)) if body[brace].text == "{")
            index = partners.get(next(braces, index), index) + 1
            is_known, is_class = True, False
        elif word in TYPE_OPERATORS and index + 1 in partners:
            index = partners[index + 1] + 1
            is_known = True
        elif word in ATTRIBUTES and index + 1 in partners:
            index = partners[index + 1] + 1
        elif word == "[" and not is_known and index in partners:
            index = partners[index] + 1
        elif word in QUALIFIERS:
            index += 1
        elif word in BUILT_IN_TYPES or word == "auto":
            index += 1
            is_known = True
        elif word == "::" or (body[index].is_word and not is_known):
            index = find_name_end(body, index)
            is_known = True
        else:
            break
    return index


def find_name_end(body: list[Token], index: int) -> int:
    """Return the index after a qualified name with template arguments."""
    if body[index].text == "::":
        index += 1
    while index < len(body):
        if body[index].text == "template":
            index += 1
        index += 1
        if index < len(body) and body[index].text == "<":
            closing = match_angle(body, index)
            if closing is None:
                return index  # a comparison
            index = closing + 1
        if index >= len(body) or body[index].text != "::":
            break
        index += 1
    return index
