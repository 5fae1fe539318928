"""Read the head of a declaration: the template header, and all that is before the parameters."""

from __future__ import annotations

from typing import Final

from kbuild.cxx.declarators import find_name_end
from kbuild.cxx.lexer import Token
from kbuild.cxx.tokens import ATTRIBUTES, OWN_WORD, match_angle, match_brackets

# Specifiers with arguments in parentheses, which are not the parameters of a function.
_CALLED: Final = ATTRIBUTES | {
    *("decltype", "typeof", "__typeof__", "__typeof", "noexcept", "explicit", "asm", "__asm"),
    *("__asm__", "__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__"),
}
_VALUE_STARTS: Final = frozenset("\"'-+!{")
_VALUES: Final = frozenset(("true", "false", "nullptr", "sizeof", "alignof"))
_OPERATOR_TOKENS: Final = 3  # such as `operator`, `=`, `=`


def takes_arguments(word: str) -> bool:
    """Return whether a parenthesis after a word contains its arguments, and no parameters."""
    return word in _CALLED or word.startswith(OWN_WORD)


def find_template_end(tokens: list[Token]) -> int:
    """Return the index after the template headers and their constraints."""
    index = 0
    while index + 1 < len(tokens) and tokens[index].text == "template":
        if tokens[index + 1].text != "<":
            return index
        index = (match_angle(tokens, index + 1) or index + 1) + 1
        if index < len(tokens) and tokens[index].text == "requires":
            index = _find_constraint_end(tokens, index + 1)
    return index


def _find_constraint_end(tokens: list[Token], index: int) -> int:
    """Return the index after a constraint: primary expressions that are joined by operators."""
    partners = match_brackets(tokens)
    while index < len(tokens):
        if tokens[index].text == "requires":  # a requires expression
            index += 1
            if tokens[index].text == "(":
                index = partners.get(index, index) + 1
            index = partners.get(index, index) + 1
        elif tokens[index].text == "(":
            index = partners.get(index, index) + 1
        else:
            index = find_name_end(tokens, index)
        following = [token.text for token in tokens[index : index + 2]]
        if following not in (["&", "&"], ["|", "|"]):
            return index
        index += 2
    return index


def read_head(tokens: list[Token]) -> tuple[list[Token], int | None]:
    """Return the tokens before the parameters or the initializer, and the parameters' index."""
    partners = match_brackets(tokens)
    head: list[Token] = []
    index = 0
    while index < len(tokens):
        word = tokens[index].text
        is_operator = any(before.text == "operator" for before in head[-_OPERATOR_TOKENS:])
        if word in (";", "=", "{", ",") and not is_operator:
            break
        end = index
        if word == "(" or (word == "[" and not is_operator):
            end = partners.get(index, index)
        elif word == "<" and (not head or head[-1].text != "operator"):
            end = match_angle(tokens, index) or index
        before = head[-1].text if head else ""
        inner = _find_inner_parameters(tokens, index, partners)
        is_attribute = [token.text for token in tokens[index : index + 2]] == ["[", "["]
        if word == "(" and takes_arguments(before):
            head.pop()
        elif is_attribute and not is_operator and end > index:
            pass
        elif inner is not None:
            return head + tokens[index:inner], inner
        elif (
            word == "("
            and (is_operator if before == ")" else before != "operator")
            and index in partners
            and not _is_pointer(tokens, index)
            and not _is_value(tokens[index + 1].text)
        ):
            return head, index
        else:
            head += tokens[index : end + 1]
        index = end + 1
    return head, None


def _is_pointer(tokens: list[Token], parenthesis: int) -> bool:
    """Return whether the parenthesis contains a declarator: ``(*name)``, ``(Class::*name)``."""
    index = find_name_end(tokens, parenthesis + 1) - 1
    is_member = tokens[index - 1].text == "::" and tokens[index].text == "*"
    return is_member or tokens[parenthesis + 1].text in ("*", "&", "^")


def _is_value(word: str) -> bool:
    """Return whether a token starts an argument of a constructor, and no parameter."""
    return word.lstrip(".")[:1].isdigit() or word[0] in _VALUE_STARTS or word in _VALUES


def _find_inner_parameters(
    tokens: list[Token], parenthesis: int, partners: dict[int, int]
) -> int | None:
    """Return the index of the parameters in a declarator such as ``(*name(int n))(char)``."""
    close = partners.get(parenthesis)
    if close is None or tokens[parenthesis].text != "(" or not _is_pointer(tokens, parenthesis):
        return None
    index = find_name_end(tokens, parenthesis + 1)  # after the asterisk
    while tokens[index].is_word or tokens[index].text == "::":
        index += 1
    is_function = tokens[index].text == "(" and tokens[index - 1].is_word
    returns = [token.text for token in tokens[close + 1 : close + 2]]
    return index if is_function and returns in (["("], ["["]) else None


def find_name(head: list[Token]) -> int | None:
    """Return the index of the unqualified name in the head of a function; None for an operator."""
    index = len(head) - 1
    if any(token.text == "operator" for token in head) or not head:
        return None
    if head[index].text == ">":
        depth = 0
        for opening in range(index, -1, -1):
            depth += (head[opening].text == ">") - (head[opening].text == "<")
            if depth == 0:
                return opening - 1 if opening else None
    return index


def read_name(head: list[Token]) -> str:
    """Return the unqualified name in the head of a function; that of an operator has its symbol."""
    words = [token.text for token in head]
    if "operator" in words:
        return "".join(words[words.index("operator") :])
    index = find_name(head)
    return "" if index is None else words[index]
