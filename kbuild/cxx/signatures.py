"""The template headers and parameters of kernels, with names that siblings can use."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from kbuild.cxx.tokens import (
    ATTRIBUTES,
    Token,
    drop_attributes,
    join,
    list_tokens,
    match_angle,
    match_brackets,
    split_at_commas,
)
from kbuild.values import dataclass

FUNDAMENTAL: Final = frozenset(
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
        "auto",
        "__signed__",
    ]
)
_QUALIFIERS: Final = frozenset(
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
        "typename",
        "struct",
        "class",
        "union",
        "enum",
    ]
)
_RESTRICT: Final = ("__restrict__", "__restrict", "restrict")
_CALLED: Final = frozenset({"decltype", "typeof", "__typeof__", "__typeof", "__underlying_type"})


# The words of the template parameters, of the constraint, and of the parameters.
Key: TypeAlias = tuple[tuple[tuple[str, ...], ...], tuple[str, ...], tuple[tuple[str, ...], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a kernel, or of its template.

    Attributes:
        text: The declaration with the new name and the default.
        type: The declaration without name and default.
        name: The name that the sibling uses.
        old_name: The name in the source; empty without one.
        is_pack: Whether it is a pack.
        key: The type, spelled so that most equal types have the same spelling.
    """

    text: str
    type: str
    name: str
    old_name: str
    is_pack: bool
    key: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A kernel's template header and parameters.

    Attributes:
        header: The template header, with names for all parameters; empty if there is none.
        template: The template parameters.
        parameters: The parameters.
        key: Equal for redeclarations of one kernel.
    """

    header: str
    template: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    key: Key


def read_signature(template: str, parameters: str) -> Signature:
    """Read a template header and the text between the parentheses."""
    header, template_parameters, constraint = _read_template(list(list_tokens(template)))
    read = _read_parameters(list(list_tokens(parameters)))
    positions = {
        parameter.old_name: f"${index}"
        for index, parameter in enumerate(template_parameters)
        if parameter.old_name
    }
    key = (
        tuple(_rename(parameter.key, positions) for parameter in template_parameters),
        _rename(constraint, positions),
        tuple(_rename(parameter.key, positions) for parameter in read),
    )
    return Signature(header=header, template=template_parameters, parameters=read, key=key)


def expand_aliases(text: str, key: Key) -> Key:
    """Return the key with the types that names are aliases of, as far as the text has them."""
    template, constraint, parameters = key
    return template, constraint, tuple(_expand(text, words) for words in parameters)


def _expand(text: str, words: tuple[str, ...]) -> tuple[str, ...]:
    for _ in range(_LONGEST_CHAIN):
        expanded: list[str] = []
        for word in words:
            expanded += _find_alias(text, word) or [word]
        if tuple(expanded) == words:
            break
        words = _order(expanded)
    return words


_LONGEST_CHAIN: Final = 8  # aliases of aliases


def _find_alias(text: str, word: str) -> list[str]:
    """Return the type that a name is an alias of; empty if it is none."""
    if not word.isidentifier() or word in FUNDAMENTAL | _QUALIFIERS:
        return []
    name = re.escape(word)
    found = re.search(
        rf"typedef\s+([\w\s:<>,*]*?[\s*]){name}\s*;|using\s+{name}\s*=([^;{{}}()]*);", text
    )
    return [token.text for token in list_tokens(found[1] or found[2])] if found else []


def _rename(key: tuple[str, ...], positions: dict[str, str]) -> tuple[str, ...]:
    return tuple(positions.get(word, word) for word in key)


def _read_template(
    tokens: list[Token],
) -> tuple[str, tuple[Parameter, ...], tuple[str, ...]]:
    """Return the header with names, its parameters, and the words of its constraint."""
    if [token.text for token in tokens[:2]] != ["template", "<"]:
        return "", (), ()
    close = match_angle(tokens, 1)
    if close is None:
        return join(tokens), (), ()
    parameters = tuple(
        _read_template_parameter(part, f"kbuild_t{index}")
        for index, part in enumerate(split_at_commas(tokens[2:close]))
    )
    rest = tokens[close + 1 :]
    header = f"template <{', '.join(parameter.text for parameter in parameters)}>"
    return f"{header} {join(rest)}".strip(), parameters, tuple(token.text for token in rest)


def _read_template_parameter(tokens: list[Token], new_name: str) -> Parameter:
    body, default = split_initializer(tokens)
    words = [token.text for token in body]
    if words[0] == "template":
        close = match_angle(body, 1) or len(body) - 1
        after = close + 1  # class or typename
        return _name_last(body, after + 1, default, new_name)
    if words[0] in ("class", "typename") and all(word != "::" for word in words[1:]):
        return _name_last(body, 1, default, new_name)
    if "(" not in words and _is_constraint(body):
        return _name_last(body, find_type_end(body, 0), default, new_name)
    return _read_parameter(tokens, new_name, keep_name=True)


def _is_constraint(body: list[Token]) -> bool:
    """Return whether it is ``Concept T``: a name that is no known type, without operators.

    A non-type parameter of class type looks the same; it is named in the same way.
    """
    return body[0].text not in FUNDAMENTAL | _QUALIFIERS | _CALLED and body[0].is_word


def _name_last(body: list[Token], start: int, default: str, new_name: str) -> Parameter:
    """Read a parameter whose name, if any, comes last, after an optional ellipsis."""
    is_pack = any(token.text == "..." for token in body[start:])
    old_name = body[-1].text if len(body) > start and body[-1].is_word else ""
    if old_name in _QUALIFIERS | FUNDAMENTAL:
        old_name = ""
    kept = body[:-1] if old_name else body
    name = old_name or new_name
    return Parameter(
        text=f"{join(kept)} {name}{default}",
        type=join(kept),
        name=name,
        old_name=old_name,
        is_pack=is_pack,
        key=tuple("class" if token.text == "typename" else token.text for token in kept),
    )


def _read_parameters(tokens: list[Token]) -> tuple[Parameter, ...]:
    if not tokens or [token.text for token in tokens] == ["void"]:
        return ()
    parameters: list[Parameter] = []
    new_names: dict[str, str] = {}
    for index, part in enumerate(split_at_commas(tokens)):
        parameter = _read_parameter(_replace_names(part, new_names), f"kbuild_{index}")
        parameters.append(parameter)
        new_names[parameter.old_name] = parameter.name
    return tuple(parameters)


def _replace_names(tokens: list[Token], new_names: dict[str, str]) -> list[Token]:
    """Replace the names of earlier parameters, which ``decltype`` and ``sizeof`` can use."""
    return [
        token._replace(text=new_names.get(token.text, token.text))
        if not index or tokens[index - 1].text not in (".", "->", "::")
        else token
        for index, token in enumerate(tokens)
    ]


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


def _read_parameter(tokens: list[Token], new_name: str, *, keep_name: bool = False) -> Parameter:
    body, default = split_initializer(tokens)
    place, old = find_declarator(body)
    name = (body[old].text if old is not None else "") if keep_name else ""
    name = name or new_name
    before = _drop_restrict(body[:place])
    after = body[place if old is None else old + 1 :]
    return Parameter(
        text=f"{join(before)} {name}{join(after)}{default}",
        type=f"{join(before)} {join(after)}".strip(),
        name=name,
        old_name="" if old is None else body[old].text,
        is_pack=any(token.text == "..." for token in before),
        key=_read_key(before, after),
    )


def _drop_restrict(before: list[Token]) -> list[Token]:
    """Drop ``__restrict__`` of the parameter itself: it is no part of the kernel's type.

    g++ with ``-Wuseless-cast`` reports errors for casts of the addresses of such parameters.
    """
    last = max((index for index, token in enumerate(before) if token.text == "*"), default=0)
    return [
        token for index, token in enumerate(before) if index <= last or token.text not in _RESTRICT
    ]


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
        elif word in ("*", "&", "...") or word in _QUALIFIERS | FUNDAMENTAL:
            index += 1
        elif body[index].is_word:
            following = body[index + 1].text if index + 1 < len(body) else ""
            if following not in ("::", "<"):
                return index, index
            index = _end_of_qualifier(body, index)  # a pointer to a member
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
    is_known = False
    while index < len(body):
        word = body[index].text
        if word in _CALLED and index + 1 in partners:
            index = partners[index + 1] + 1
            is_known = True
        elif word in ATTRIBUTES and index + 1 in partners:
            index = partners[index + 1] + 1
        elif word == "[" and not is_known and index in partners:
            index = partners[index] + 1
        elif word in _QUALIFIERS:
            index += 1
        elif word in FUNDAMENTAL:
            index += 1
            is_known = True
        elif word == "::" or (body[index].is_word and not is_known):
            index = _end_of_name(body, index)
            is_known = True
        else:
            break
    return index


def _end_of_name(body: list[Token], index: int) -> int:
    """Return the index after a qualified name with template arguments."""
    if body[index].text == "::":
        index += 1
    while index < len(body):
        if body[index].text == "template":
            index += 1
        index += 1
        if index < len(body) and body[index].text == "<":
            index = (match_angle(body, index) or index) + 1
        if index >= len(body) or body[index].text != "::":
            break
        index += 1
    return index


_SIGNS: Final = frozenset({"signed", "unsigned", "__signed__"})
_SIZES: Final = frozenset({"char", "short", "long", "int"})
_DROPPED: Final = _QUALIFIERS - {"const", "volatile"}


def _read_key(before: list[Token], after: list[Token]) -> tuple[str, ...]:
    """Return the words of a type, without what redeclarations can spell in another way."""
    words: list[str] = []
    for token in [*drop_attributes(before), *_unname_parameters(drop_attributes(after))]:
        is_leading = token.text == "::" and (not words or words[-1] in ("<", ",", "("))
        if not is_leading and token.text not in _DROPPED:
            words.append(token.text)
    if after and after[0].text == "[" and before[-1].text != "(":
        words = [*words[: _index(words, "[")], "*", *words[_index(words, "]") + 1 :]]
    return _order(words)


def _unname_parameters(tokens: list[Token]) -> list[Token]:
    """Return the end of a pointer to a function without the names of its parameters."""
    if [token.text for token in tokens[:2]] != [")", "("]:
        return tokens
    parameters = _read_parameters(tokens[2 : match_brackets(tokens).get(1)])
    words = [word for parameter in parameters for word in (",", *parameter.key)]
    return [*tokens[:2], *(Token(word, 0) for word in words)]


def _order(words: list[str]) -> tuple[str, ...]:
    """Return the words in an order that does not depend on how the type is spelled.

    A ``const`` or ``volatile`` of the parameter itself is not part of the kernel's type.
    """
    end = next((index for index, word in enumerate(words) if word in ("*", "&", "(")), len(words))
    first, rest = words[:end], words[end:]
    qualifiers = sorted({word for word in first if word in ("const", "volatile")})
    numbers = _name_integer([word for word in first if word in _SIGNS | _SIZES])
    names = [word for word in first if word not in _SIGNS | _SIZES | set(qualifiers)]
    while rest[-1:] in (["const"], ["volatile"]):
        rest = rest[:-1]
    return (*(qualifiers if rest else ()), *numbers, *names, *rest)


def _index(words: list[str], word: str) -> int:
    return words.index(word) if word in words else len(words)


def _name_integer(numbers: list[str]) -> list[str]:
    """Return an order of the words of an integer type that all its spellings have in common."""
    if "char" not in numbers and "signed" in numbers:
        numbers = [word for word in numbers if word != "signed"] or ["int"]
    if {"short", "long"} & set(numbers):
        numbers = [word for word in numbers if word != "int"]
    if numbers == ["unsigned"]:
        numbers = ["unsigned", "int"]
    return sorted(numbers)
