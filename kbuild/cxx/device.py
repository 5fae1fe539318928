"""Find device functions and device variables in preprocessed text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from kbuild.cxx.kernels import find_declaration_end, find_name, find_template_end, find_words
from kbuild.cxx.lines import locate
from kbuild.cxx.model import KernelDeclaration, Span
from kbuild.cxx.scopes import Scopes, list_head
from kbuild.cxx.signatures import (
    FUNDAMENTAL,
    find_declarator,
    find_type_end,
    split_initializer,
)
from kbuild.cxx.tokens import (
    Token,
    find_close,
    join,
    list_tokens,
    match_brackets,
    split_at_commas,
)
from kbuild.errors import SourceError

DEVICE_MARKER: Final = "__kbuild_device__"
HOST_MARKER: Final = "__kbuild_host__"
VARIABLE_MARKERS: Final = (DEVICE_MARKER, "__kbuild_constant__", "__kbuild_managed__")
_MARKER: Final = re.compile(r"__kbuild_\w+__")
_STORAGE: Final = frozenset({"static", "extern", "inline", "thread_local", "__thread"})
_CLASS_KEYS: Final = frozenset({"class", "struct", "union", "enum"})
_KINDS: Final[dict[str, Literal["device", "constant", "managed"]]] = {
    DEVICE_MARKER: "device",
    "__kbuild_constant__": "constant",
    "__kbuild_managed__": "managed",
}
# The compiler needs the body for the function's type or value.
_DEDUCED: Final = frozenset({"auto", "constexpr", "consteval"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFunction:
    """The definition of a function that only device code can call.

    Attributes:
        start: The position of its first character.
        body: The braces of the body and what is between them.
        is_deduced: Whether host code needs the body: the function is ``constexpr``, or its type is
            deduced.
    """

    start: int
    body: Span
    is_deduced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceVariable:
    """A declaration of a device variable.

    ``f"{type} {name}{suffix}"`` declares the variable without markers, storage class, and
    initializer.

    Attributes:
        start: The position of the declaration's first character.
        end: The position after its ``;``. Several variables can share a declaration.
        kind: What the markers say.
        name: The name.
        type: What comes before the name.
        suffix: What comes after the name, such as ``[4][8]``.
        initializer: The initializer with its ``=`` or brackets; None if there is none.
        storage: The storage class specifiers, such as ``static``.
        template: The template header; empty if there is none.
        is_member: Whether it is declared in a class.
    """

    start: int
    end: int
    kind: Literal["device", "constant", "managed"]
    name: str
    type: str
    suffix: str
    initializer: Span | None
    storage: tuple[str, ...]
    template: str
    is_member: bool


def find_device_functions(text: str) -> tuple[DeviceFunction, ...]:
    """Find the definitions of functions that are for devices only. Lambdas are not functions."""
    found: list[DeviceFunction] = []
    for position in find_words(text, DEVICE_MARKER):
        if found and position < found[-1].body[1]:
            continue
        function = _read_function(text, position)
        if function is not None:
            found.append(function)
    return tuple(found)


def list_device_code(
    kernels: Iterable[KernelDeclaration], functions: Iterable[DeviceFunction]
) -> list[Span]:
    """Return the positions of code that runs on devices only, in order."""
    bodies = [kernel.body for kernel in kernels if kernel.body is not None]
    return sorted([*bodies, *(function.body for function in functions)])


def _read_function(text: str, position: int) -> DeviceFunction | None:
    head = list_head(text, position)
    start = head[0].start if head else position
    end = find_declaration_end(text, start)
    if end is None or _is_lambda(head):
        return None
    tokens = list(list_tokens(text, start, end))
    partners = match_brackets(tokens)
    header = find_template_end(tokens)
    place = find_name(tokens, header, partners)
    if place is None:
        return None
    specifiers = {token.text for token in tokens[header : place[0]]}
    rest = [token.text for token in tokens[partners[place[1]] + 1 :]]
    if HOST_MARKER in specifiers or "=" in rest or "requires" in rest:
        return None
    brace = end - 1
    if ":" in rest:
        brace = _skip_member_initializers(text, tokens[partners[place[1]]].end)
    close = find_close(text, brace) if text[brace] == "{" else None
    if close is None:
        return None
    deduced = specifiers & _DEDUCED
    if rest[:1] == ["->"]:
        deduced.discard("auto")
    return DeviceFunction(start=start, body=(brace, close + 1), is_deduced=bool(deduced))


def _is_lambda(head: list[Token]) -> bool:
    """Return whether a marker after these tokens is that of a lambda."""
    if not head or head[-1].text != "]":
        return False
    opening = match_brackets(head).get(len(head) - 1)
    return opening is not None and not (
        head[opening + 1].text == "[" or (opening > 0 and head[opening - 1].text == "[")
    )


def _skip_member_initializers(text: str, position: int) -> int:
    """Return the position of the body's brace after the member initializers of a constructor."""
    is_complete = False
    while (token := next(list_tokens(text, position), None)) is not None:
        position = token.end
        if token.text == "{" and is_complete:
            return token.start
        if token.text in ("(", "{"):
            position = (find_close(text, token.start) or token.start) + 1
            is_complete = True
        elif token.text == ",":
            is_complete = False
        elif token.text == ";":
            break
    return position - 1


def find_device_variables(text: str) -> tuple[DeviceVariable, ...]:
    """Find the declarations of device variables, in the order of the text.

    Variables in functions are not included: host code cannot use them.

    Raises:
        SourceError: A declaration also defines a type.
    """
    positions = sorted(
        position for marker in VARIABLE_MARKERS for position in find_words(text, marker)
    )
    found: list[DeviceVariable] = []
    for position in positions:
        if not found or position >= found[-1].end:
            found += _read_variables(text, position)
    scopes = Scopes(text, (variable.start for variable in found))
    return tuple(
        replace(variable, is_member=around[-1:] != [] and around[-1].kind == "class")
        for variable in found
        for around in [scopes.around(variable.start)]
        if all(scope.kind != "block" for scope in around)
    )


def _read_variables(text: str, position: int) -> Iterator[DeviceVariable]:
    """Yield the variables that the declaration around a position declares."""
    head = list_head(text, position)
    start = head[0].start if head else position
    end = find_declaration_end(text, start)
    if end is None or _is_lambda(head):
        return
    tokens = list(list_tokens(text, start, end))
    header = find_template_end(tokens)
    if header == len(tokens) or _declares_function(tokens, header):
        return
    end = find_declaration_end(text, start, ";") or end
    first, *others = split_at_commas(list(list_tokens(text, tokens[header].start, end - 1)))
    markers = [token.text for token in first if token.text in VARIABLE_MARKERS]
    storage = tuple(token.text for token in first if token.text in _STORAGE)
    first = [
        token for token in first if not _MARKER.fullmatch(token.text) and token.text not in _STORAGE
    ]
    if not markers:  # the marker belongs to something in the declaration, such as a lambda
        return
    base = first[: find_type_end(first, 0)]
    if base and base[0].text in _CLASS_KEYS and tokens[-1].text == "{":
        _reject_type(text, start, tokens)
    for declarator in [first[len(base) :], *others]:
        read = _read_declarator(base, declarator)
        if read is not None:
            name, type_, suffix, initializer = read
            yield DeviceVariable(
                start=start,
                end=end,
                kind=_KINDS[max(markers, key=VARIABLE_MARKERS.index)],
                name=name,
                type=type_,
                suffix=suffix,
                initializer=initializer,
                storage=storage,
                template=join(tokens[:header]),
                is_member=False,
            )


def _reject_type(text: str, start: int, tokens: list[Token]) -> None:
    """Raise an error if the tokens up to a brace are the head of a class."""
    words = [token.text for token in tokens if not _MARKER.fullmatch(token.text)]
    keys = [index for index, word in enumerate(words) if word in _CLASS_KEYS]
    if keys and len(words) - keys[0] <= len(("struct", "name", "{")):
        raise SourceError(
            f"{locate(text, start)}: the declaration of a device variable also defines a type; "
            "define the type on its own"
        )


def _declares_function(tokens: list[Token], header: int) -> bool:
    """Return whether it is a function, and not a variable that is initialized in parentheses."""
    place = find_name(tokens, header, match_brackets(tokens))
    if place is None:
        return False
    first = tokens[place[1] + 1].text
    name = tokens[place[0]].text
    if name in FUNDAMENTAL:  # a pointer to a function, such as `int (*f)(int)`
        return first not in ("*", "&")
    return first[0] not in "\"'&-+!~*" and not first[0].isdigit()


def _read_declarator(
    base: list[Token], declarator: list[Token]
) -> tuple[str, str, str, Span | None] | None:
    """Return the name, what is before and after it, and the initializer."""
    tokens = [*base, *declarator]
    body, _ = split_initializer(tokens)
    _, place = find_declarator(body)
    if place is None:
        return None
    rest = body[place + 1 :]
    stop = next((index for index, token in enumerate(rest) if token.text == "{"), len(rest))
    if rest and rest[0].text == "(":
        stop = 0
    initializer = rest[stop:] or tokens[len(body) :]
    return (
        body[place].text,
        join(body[:place]),
        join(rest[:stop]),
        (initializer[0].start, initializer[-1].end) if initializer else None,
    )
