"""The template headers and parameters of kernels, with names that siblings can use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from kbuild.cxx.declarators import (
    TYPE_OPERATORS,
    TYPE_WORDS,
    find_declarator,
    find_type_end,
    split_initializer,
)
from kbuild.cxx.lexer import Token
from kbuild.cxx.rewriting.type_keys import Words, expand_type, spell_type
from kbuild.cxx.tokens import (
    drop_attributes,
    join,
    match_angle,
    match_brackets,
    read_tokens,
    split_at_commas,
)
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_RESTRICT: Final = ("__restrict__", "__restrict", "restrict")


# The words of the template parameters, of the constraint, and of the parameters.
Key: TypeAlias = tuple[tuple[Words, ...], Words, tuple[Words, ...]]


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
        default: The default, with which the text ends; empty without one.
    """

    text: str
    type: str
    name: str
    old_name: str
    is_pack: bool
    key: tuple[str, ...]
    default: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A kernel's template header and parameters.

    Attributes:
        header: The template header, with names for all parameters; empty if there is none.
        plain_header: The same without defaults.
        template: The template parameters.
        parameters: The parameters.
        key: Equal for redeclarations of one kernel.
    """

    header: str
    plain_header: str
    template: tuple[Parameter, ...]
    parameters: tuple[Parameter, ...]
    key: Key


def write_parameters(
    parameters: tuple[Parameter, ...], *, with_defaults: bool = True
) -> Iterator[str]:
    """Yield the declarations of parameters."""
    for parameter in parameters:
        yield parameter.text if with_defaults else parameter.text.removesuffix(parameter.default)


def read_signature(template: str, parameters: str) -> Signature:
    """Read a template header and the text between the parentheses."""
    template_parameters, header, plain, constraint = _read_template(read_tokens(template))
    read = _read_parameters(read_tokens(parameters))
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
    return Signature(
        header=header,
        plain_header=plain,
        template=template_parameters,
        parameters=read,
        key=key,
    )


def expand_aliases(unit: Unit, key: Key) -> Key:
    """Return the key with the types that names are aliases of, as far as the text has them."""
    template, constraint, parameters = key
    return template, constraint, tuple(expand_type(unit, words) for words in parameters)


def _rename(key: Words, positions: dict[str, str]) -> Words:
    return tuple(positions.get(word, word) for word in key)


def _read_template(
    tokens: list[Token],
) -> tuple[tuple[Parameter, ...], str, str, tuple[str, ...]]:
    """Return the parameters, the header with and without defaults, and the constraint's words."""
    if [token.text for token in tokens[:2]] != ["template", "<"]:
        return (), "", "", ()
    close = match_angle(tokens, 1)
    if close is None:
        return (), join(tokens), join(tokens), ()
    parameters = tuple(
        _read_template_parameter(part, f"kbuild_t{index}")
        for index, part in enumerate(split_at_commas(tokens[2:close]))
    )
    rest = tokens[close + 1 :]
    header, plain = (
        f"template <{', '.join(write_parameters(parameters, with_defaults=with_defaults))}>"
        f" {join(rest)}".rstrip()
        for with_defaults in (True, False)
    )
    return parameters, header, plain, tuple(token.text for token in rest)


def _read_template_parameter(tokens: list[Token], new_name: str) -> Parameter:
    body, default = split_initializer(tokens)
    words = [token.text for token in body]
    if not words:  # the compiler says what is missing
        return _read_parameter(tokens, new_name, keep_name=True)
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
    """Return whether the parameter is a constrained type, such as ``Concept T``.

    A parameter that is a value of a class looks the same, and gets its name in the same way.
    """
    return body[0].text not in TYPE_WORDS | TYPE_OPERATORS and body[0].is_word


def _name_last(body: list[Token], start: int, default: str, new_name: str) -> Parameter:
    """Read a parameter whose name, if any, comes last, after an optional ellipsis."""
    is_pack = any(token.text == "..." for token in body[start:])
    old_name = body[-1].text if len(body) > start and body[-1].is_word else ""
    if old_name in TYPE_WORDS:
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
        default=default,
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


def _read_parameter(tokens: list[Token], new_name: str, *, keep_name: bool = False) -> Parameter:
    body, default = split_initializer(tokens)
    place, old = find_declarator(body)
    name = (body[old].text if old is not None else "") if keep_name else ""
    name = name or new_name
    before = _drop_restrict(body[:place])
    after = body[place if old is None else old + 1 :]
    space = " " if after and after[0].is_word else ""  # before an attribute
    return Parameter(
        text=f"{join(before)} {name}{space}{join(after)}{default}",
        type=f"{join(before)} {join(after)}".strip(),
        name=name,
        old_name="" if old is None else body[old].text,
        is_pack=bool(before) and before[-1].text == "...",
        key=spell_type(drop_attributes(before), _unname_parameters(drop_attributes(after))),
        default=default,
    )


def _drop_restrict(before: list[Token]) -> list[Token]:
    """Drop ``__restrict__`` of the parameter itself, which is not part of the kernel's type.

    g++ with ``-Wuseless-cast`` reports errors for casts of the addresses of such parameters.
    """
    last = max((index for index, token in enumerate(before) if token.text == "*"), default=0)
    return [
        token for index, token in enumerate(before) if index <= last or token.text not in _RESTRICT
    ]


def _unname_parameters(tokens: list[Token]) -> list[Token]:
    """Return the end of a pointer to a function without the names of its parameters."""
    if [token.text for token in tokens[:2]] != [")", "("]:
        return tokens
    parameters = _read_parameters(tokens[2 : match_brackets(tokens).get(1)])
    words = [word for parameter in parameters for word in (",", *parameter.key)]
    return [*tokens[:2], *(Token(word, 0) for word in words)]
