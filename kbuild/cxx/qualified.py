"""Declarations with qualifiers: functions, variables, and lambdas that CUDA's words mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from kbuild.cxx.kernels import find_declaration_end, find_template_end
from kbuild.cxx.model import Span
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.tokens import (
    ATTRIBUTES,
    SKIPPED,
    Token,
    find_close,
    join,
    list_tokens,
    match_angle,
    match_brackets,
)
from kbuild.values import dataclass

_CALLED: Final = ATTRIBUTES | {"decltype", "typeof", "__typeof__", "__typeof", "noexcept"}
_OPENING: Final = frozenset("([{")
_OPERATOR_TOKENS: Final = 3  # such as `operator`, `=`, `=`


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A declaration that has at least one of the qualifiers.

    Attributes:
        kind: What is declared. A ``lambda`` has only its qualifiers.
        start: The position of its first character, template header included.
        end: The position after its ``;`` or body.
        qualifiers: The spans of the qualifiers, in order.
        words: The qualifiers.
        head: The tokens after the template header and before the parameters of a function, or the
            ``;`` of a variable.
        template: The template header; empty if there is none.
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
    qualifiers: tuple[Span, ...]
    words: frozenset[str]
    head: tuple[Token, ...] = ()
    template: str = ""
    is_instantiation: bool = False
    name: str = ""
    parameters: Span = (0, 0)
    initializers: Span | None = None
    body: Span | None = None
    namespaces: tuple[str, ...] = ()
    scope: str = ""


def find_qualified(text: str, qualifiers: frozenset[str]) -> tuple[Declaration, ...]:
    """Return all declarations with one of the qualifiers, in order; they can be nested.

    Args:
        text: Preprocessed text.
        qualifiers: Words that nothing else in the text contains.
    """
    pattern = rf"{SKIPPED} | \b(?P<word>{'|'.join(sorted(qualifiers))})\b"
    marks = [
        Token(found[0], found.start())
        for found in re.finditer(pattern, text, re.VERBOSE | re.DOTALL)
        if found["word"]
    ]
    scopes = find_scopes(text)
    found: list[Declaration] = []
    last = -1  # the position before which all qualifiers belong to the last declaration's head
    for mark in marks:
        if mark.start < last:
            continue
        around = scopes.around(mark.start)
        declaration = replace(
            _read(text, mark, qualifiers),
            namespaces=scopes.name_namespace(mark.start),
            scope=around[-1].kind if around else "",
        )
        found.append(declaration)
        last = max((mark.end, *(end for _, end in declaration.qualifiers)))
    return tuple(found)


def read_declaration(text: str, start: int) -> Declaration:
    """Read the declaration of a function or variables that starts at a position.

    The result does not tell what is around it.
    """
    return _read_declaration(text, start, frozenset())


def _read(text: str, mark: Token, qualifiers: frozenset[str]) -> Declaration:
    before = list_head(text, mark.start)
    outside = [token for token in before if token.text not in qualifiers]
    if outside and outside[-1].text == "]" and _starts_lambda(outside):
        marks = [mark]
        for token in list_tokens(text, mark.end):
            if token.text not in qualifiers:
                break
            marks.append(token)
        return _make("lambda", marks, mark.start, marks[-1].end)
    start = before[0].start if before else mark.start
    return _read_declaration(text, start, qualifiers)


def _starts_lambda(tokens: list[Token]) -> bool:
    """Return whether the ``]`` at the end closes the captures of a lambda."""
    depth = 0
    for index in range(len(tokens) - 1, -1, -1):
        depth += (tokens[index].text == "]") - (tokens[index].text == "[")
        if depth == 0:
            # A declarator has a name before the bracket, and an attribute a second bracket.
            previous = tokens[index - 1] if index else None
            is_attribute = tokens[index + 1].text == "["
            is_array = previous is not None and (
                (previous.is_word and previous.text not in ("return", "co_return"))
                or previous.text in (")", "]")
            )
            return not is_attribute and not is_array
    return True  # the captures contain braces


def _make(
    kind: Literal["function", "variable", "lambda"], marks: list[Token], start: int, end: int
) -> Declaration:
    return Declaration(
        kind=kind,
        start=start,
        end=end,
        qualifiers=tuple((mark.start, mark.end) for mark in marks),
        words=frozenset(mark.text for mark in marks),
    )


def _read_declaration(text: str, start: int, qualifiers: frozenset[str]) -> Declaration:
    """Read the declaration that starts at a position."""
    header, begin, is_instantiation = _read_template(text, start)
    head, parameters = _read_head(text, begin)
    marks = [mark for mark in head if mark.text in qualifiers]
    if parameters is None:
        end = _find_semicolon(text, begin)
        found = _make("variable", marks, start, end)
        head = list(list_tokens(text, begin, end - 1))
    else:
        end, initializers, body = _read_function_end(text, parameters[1] + 1)
        found = replace(
            _make("function", marks, start, end),
            name=_read_name(head),
            parameters=parameters,
            initializers=initializers,
            body=body,
        )
    return replace(found, head=tuple(head), template=header, is_instantiation=is_instantiation)


def _read_head(text: str, start: int) -> tuple[list[Token], Span | None]:
    """Return the tokens before the parameters or the initializer, and the parameters' span."""
    tokens = list(list_tokens(text, start, find_declaration_end(text, start)))
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
        elif word == "<" and not is_operator:
            end = match_angle(tokens, index) or index
        before = head[-1].text if head else ""
        if word == "(" and before in _CALLED:
            head.pop()
        elif (
            word == "("
            and (is_operator if before == ")" else before != "operator")
            and not _is_pointer(tokens, index)
        ):
            return head, (tokens[index].end, tokens[end].start)
        else:
            head += tokens[index : end + 1]
        index = end + 1
    return head, None


class _TopLevel:
    """The tokens from a position on; `skip` continues after a bracket."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._tokens = list_tokens(text, start)

    def __iter__(self) -> Iterator[Token]:
        while (token := next(self._tokens, None)) is not None:
            yield token

    def skip(self, bracket: Token) -> int:
        """Continue after the partner of a bracket, and return that position."""
        close = find_close(self._text, bracket.start)
        end = len(self._text) if close is None else close + 1
        self._tokens = list_tokens(self._text, end)
        return end


def _read_template(text: str, start: int) -> tuple[str, int, bool]:
    """Return the template header, the position after it, and whether it is an instantiation."""
    tokens = list(list_tokens(text, start, find_declaration_end(text, start)))
    end = find_template_end(tokens)
    is_instantiation = end == 0 and bool(tokens) and tokens[0].text == "template"
    return join(tokens[:end]), tokens[end].start if end else start, is_instantiation


def _is_pointer(tokens: list[Token], parenthesis: int) -> bool:
    """Return whether the parenthesis contains a declarator, such as ``(*name)``."""
    return tokens[parenthesis + 1].text in ("*", "&", "^")


def _read_name(head: list[Token]) -> str:
    words = [token.text for token in head]
    if "operator" in words:
        return "".join(words[words.index("operator") :])
    if words and words[-1] == ">":
        depth = 0
        for index in range(len(words) - 1, -1, -1):
            depth += (words[index] == ">") - (words[index] == "<")
            if depth == 0:
                return words[index - 1] if index else ""
    return words[-1] if words else ""


def _read_function_end(text: str, position: int) -> tuple[int, Span | None, Span | None]:
    """Return the end of a function, its member initializers, and its body."""
    tokens = _TopLevel(text, position)
    colon: int | None = None
    is_value = False
    last = ")"
    for token in tokens:
        if token.text == ";":
            return token.end, None, None
        if token.text == "=":
            is_value = True
        elif token.text == ":" and colon is None:
            colon = token.start
        elif token.text in _OPENING:
            is_member = colon is not None and (last not in (")", "}", "..."))
            end = tokens.skip(token)
            if token.text == "{" and not is_member and not is_value:
                initializers = None if colon is None else (colon, token.start)
                return end, initializers, (token.start, end)
            last = {"(": ")", "[": "]", "{": "}"}[token.text]
            continue
        last = token.text
    return len(text), None, None


def _find_semicolon(text: str, position: int) -> int:
    tokens = _TopLevel(text, position)
    for token in tokens:
        if token.text == ";":
            return token.end
        if token.text in _OPENING:
            tokens.skip(token)
    return len(text)
