"""Read declarations: functions, variables, and lambdas, and find those that CUDA's words mark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal

from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Span
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.tokens import ATTRIBUTES, OWN_WORD, join, match_angle, match_brackets
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

# Specifiers with arguments in parentheses, which are not the parameters of a function.
_CALLED: Final = ATTRIBUTES | {
    *("decltype", "typeof", "__typeof__", "__typeof", "noexcept", "explicit", "asm", "__asm"),
    *("__asm__", "__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__"),
}
_OPENING: Final = frozenset("([{")
_VALUE_STARTS: Final = frozenset("\"'-+!{")
_VALUES: Final = frozenset(("true", "false", "nullptr", "sizeof", "alignof"))
_OPERATOR_TOKENS: Final = 3  # such as `operator`, `=`, `=`


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
        found.append(declaration)
        last = max((unit.get_end(mark), *(end for _, end in declaration.qualifiers)))
    return tuple(found)


def read_declaration(unit: Unit, start: int) -> Declaration:
    """Read the declaration of a function or variables that starts at a position.

    The result does not tell what is around it.
    """
    return _read_declaration(unit, unit.find_index(start), frozenset())


def takes_arguments(word: str) -> bool:
    """Return whether a parenthesis after a word contains its arguments, and no parameters."""
    return word in _CALLED or word.startswith(OWN_WORD)


def _read(unit: Unit, mark: int, qualifiers: frozenset[str]) -> Declaration:
    start = unit.find_head(mark)
    before = mark - 1
    while before >= start and unit.words[before] in qualifiers:
        before -= 1
    before = _skip_template_parameters(unit, before, start)
    if before >= start and _ends_captures(unit, before, start):
        end = mark
        while unit.get(end) in qualifiers:
            end += 1
        marks = unit.list_between(mark, end)
        return _make("lambda", marks, marks[0].start, marks[-1].end)
    return _read_declaration(unit, start, qualifiers)


def _skip_template_parameters(unit: Unit, index: int, start: int) -> int:
    """Return the index before a lambda's template parameters; otherwise the index itself."""
    depth = 0
    opening = index
    while opening > start:
        word = unit.words[opening]
        if word in (")", "]", "}"):
            opening = unit.partners.get(opening, opening)
        depth += (word == ">") - (word == "<")
        if depth <= 0:
            break
        opening -= 1
    return opening - 1 if unit.get(opening - 1) == "]" and opening < index else index


def _ends_captures(unit: Unit, index: int, start: int) -> bool:
    """Return whether a token closes the captures of a lambda."""
    if unit.words[index] != "]":
        return False
    opening = unit.partners.get(index, start)
    # A declarator has a name before the bracket, and an attribute a second bracket.
    before = unit.get_token(opening - 1) if opening > start else None
    is_array = before is not None and (
        (before.is_word and before.text not in ("return", "co_return")) or before.text in (")", "]")
    )
    return unit.get(opening + 1) != "[" and not is_array


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
    head, opening = _read_head(tokens[header:])
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
            name=_read_name(head),
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
            index = _find_name_end(tokens, index)
        following = [token.text for token in tokens[index : index + 2]]
        if following not in (["&", "&"], ["|", "|"]):
            return index
        index += 2
    return index


def _find_name_end(tokens: list[Token], index: int) -> int:
    if tokens[index].text == "::":
        index += 1
    while index < len(tokens):
        index += 1
        if index < len(tokens) and tokens[index].text == "<":
            index = (match_angle(tokens, index) or index) + 1
        if index >= len(tokens) or tokens[index].text != "::":
            return index
        index += 1
    return index


def _read_head(tokens: list[Token]) -> tuple[list[Token], int | None]:
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
    index = _find_name_end(tokens, parenthesis + 1) - 1
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
    index = _find_name_end(tokens, parenthesis + 1)  # after the asterisk
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


def list_qualifiers(found: Declaration) -> tuple[str, ...]:
    """Return the namespaces and classes that a function's declaration spells before its name."""
    head = list(found.head)
    index = find_name(head) or 0
    names: list[str] = []
    while index > 1 and head[index - 1].text == "::" and head[index - 2].is_word:
        index -= 2
        names.insert(0, head[index].text)
    return tuple(names)


def _read_name(head: list[Token]) -> str:
    words = [token.text for token in head]
    if "operator" in words:
        return "".join(words[words.index("operator") :])
    index = find_name(head)
    return "" if index is None else words[index]


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
            close = unit.partners.get(index, len(unit.words) - 1)
            if word == "{" and not is_member and not is_value:
                start, end = unit.starts[index], unit.get_end(close)
                return end, None if colon is None else (colon, start), (start, end)
            index = close
            word = unit.words[close]
        last = word
        index += 1
    return len(unit.text), None, None
