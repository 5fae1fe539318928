"""C++ names for people: demangling, and taking a demangled function name apart.

Source: Itanium C++ ABI, section 5.1, "External Names (a.k.a. Mangling)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from kbuild.demangle.cxxabi import call_demangler

# A forged name can ask the demangler for a lot of work; real ones stay far below.
_LONGEST_NAME: Final = 1 << 16
# What stands for a part of the name in front of it, which may hold others: with so many of
# them a name of 300 letters stands for gigabytes.
_SUBSTITUTION: Final = re.compile(r"[ST][0-9A-Z]*_")
_MOST_SUBSTITUTIONS: Final = 32

# Position, character, depth of nesting before it and after it.
_Bracket: TypeAlias = tuple[int, str, int, int]

_OPENING: Final = {"(": ")", "<": ">", "[": "]", "{": "}"}
_OPERATOR_WORD: Final = "operator"
_BRACKET: Final = re.compile(r"[()<>\[\]{}]")
_OPERATOR: Final = re.compile(
    r"operator\s*(?:\(\)|\[\]|->\*|->|<=>|<<=|>>=|<<|>>|<=|>=|<|>|,"
    r"|(?:new|delete)(?:\[\])?(?![\w])|[-+*/%^&|~!=]+)?"
)
# Reserved and special names, entities of functions, and nvcc's and others' unnamed namespaces.
_NAMELESS: Final = re.compile(r"\A(?:_Z[TGZL]|__)|\W|_GLOBAL__N_|_INTERNAL_")
_IDENTIFIER: Final = re.compile(r"([1-9]\d{0,4})(?=\D)")
# What a compiler appends for a copy that it made: GNU's and LLVM's way.
_CLONE: Final = re.compile(r"(?:\s+\[clone [^\]]*\]|\s+\(\.[^()]*\))+$")


@lru_cache(maxsize=1 << 16)
def demangle(name: str) -> str:
    """The C++ name that ``name`` stands for, or ``name`` itself where it is none."""
    if not name.startswith("_Z") or len(name) > _LONGEST_NAME:
        return name
    if len(_SUBSTITUTION.findall(name)) > _MOST_SUBSTITUTIONS:
        from kbuild.demangle.server import ask  # noqa: PLC0415 - few names are of this kind

        return ask(name) or name
    return call_demangler(name) or name


def is_nameable(symbol: str) -> bool:
    """Whether other source files can name the variable with this symbol.

    They cannot name what compilers make up, what is local to a function, and what lies in
    an unnamed namespace.
    """
    if _NAMELESS.search(symbol) is not None:
        return False
    return not any(name.startswith("__") for name in _list_identifiers(symbol))


def _list_identifiers(symbol: str) -> Iterator[str]:
    """The scopes and the name of a mangled name, up to its first template argument."""
    rest = symbol.removeprefix("_Z").removeprefix("N").lstrip("rVK")
    while match := _IDENTIFIER.match(rest):
        end = match.end() + int(match[1])
        yield rest[match.end() : end]
        rest = rest[end:]


def is_internal_name(symbol: str) -> bool:
    """Whether a mangled name says that its entity is one file's own.

    ``L`` in front of the identifier is what compilers add for ``static``; unnamed namespaces
    have a name of their own.
    """
    if "_GLOBAL__N_" in symbol:
        return True
    rest = symbol.removeprefix("_Z")
    if rest == symbol:
        return False
    length = sum(len(f"{len(name)}{name}") for name in _list_identifiers(symbol))
    return rest.removeprefix("N").lstrip("rVK")[length:].startswith("L")


@lru_cache(maxsize=1 << 14)
def split_function(display: str) -> tuple[str, tuple[str, ...] | None]:
    """The qualified name and the parameter types of a demangled function name.

    ``void ns::axpy<float>(float, float*)`` gives ``ns::axpy<float>`` (the return type of
    a template is no part of its name) and ``("float", "float*")``; a name without a
    parameter list gives None for the types.
    """
    text = _CLONE.sub("", display)
    masked, operators = _mask_operators(text)
    brackets = tuple(_scan(masked))
    opening = _find_parameter_list(text, brackets)
    if opening is None:
        return text[_find_name(masked, brackets, operators) :], None
    position = brackets[opening][0]
    start = _find_name(masked[:position], brackets[: opening + 1], operators)
    return text[start:position], _split_parameters(text, masked, brackets[opening:])


def spell_function(symbol: str, display: str) -> tuple[str, ...]:
    """The ways in which people name it, for patterns: with and without what is around the name."""
    return symbol, display, display.partition("(")[0], split_function(display)[0]


def _mask_operators(text: str) -> tuple[str, tuple[int, ...]]:
    """The text with letters in place of operator names, and where these are."""
    found = [
        match
        for match in (_OPERATOR.finditer(text) if _OPERATOR_WORD in text else ())
        if not _is_in_word(text, match.start(), match.end())
    ]
    for match in found:
        text = text[: match.start()] + "o" * len(match[0]) + text[match.end() :]
    return text, tuple(match.start() for match in found)


def _scan(text: str) -> Iterator[_Bracket]:
    """The brackets, and the end of the text as a last one."""
    stack: list[str] = []
    for match in _BRACKET.finditer(text):
        start, character, before = match.start(), match[0], len(stack)
        if character in _OPENING:
            stack.append(_OPENING[character])
        elif not text.startswith("->", start - 1):
            _close(stack, character)
        yield start, character, before, len(stack)
    yield len(text), "", len(stack), len(stack)


def _is_in_word(text: str, start: int, end: int) -> bool:
    """Whether the letters ``operator`` there are only part of a longer identifier."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    is_word_before = before.isalnum() or before == "_"
    is_word_after = text[end - 1].isalnum() and (after.isalnum() or after == "_")
    return is_word_before or is_word_after


def _close(stack: list[str], character: str) -> None:
    # `a>b` inside parentheses closes nothing, and `a<b` there must not stay open.
    if character == ">":
        if stack and stack[-1] == ">":
            stack.pop()
        return
    while stack and stack[-1] == ">":
        stack.pop()
    if stack and stack[-1] == character:
        stack.pop()


def _find_parameter_list(text: str, brackets: tuple[_Bracket, ...]) -> int | None:
    """The number of the bracket that opens the parameter list: the last outermost parenthesis."""
    for number in range(len(brackets) - 1, -1, -1):
        position, character, depth, _ = brackets[number]
        # A parenthesis that starts a name holds no parameters: (anonymous namespace)::f.
        if character == "(" and depth == 0 and position and text[position - 1] not in " :":
            return number
    return None


def _split_parameters(text: str, masked: str, brackets: tuple[_Bracket, ...]) -> tuple[str, ...]:
    """The parameters in the list that the first bracket opens."""
    types = []
    start = brackets[0][0] + 1
    for (position, _, _, depth), (following, character, _, _) in pairwise(brackets):
        if depth != 1:
            continue
        while (position := masked.find(",", position + 1, following)) >= 0:
            types.append(text[start:position].strip())
            start = position + 1
        if character in {")", ""}:
            break
    last = text[start:following].strip()
    if last or types:
        types.append(last)
    return () if types == ["void"] else tuple(types)


def _find_name(masked: str, brackets: tuple[_Bracket, ...], operators: tuple[int, ...]) -> int:
    """Where the qualified name starts: behind the last space outside all brackets."""
    start, outside = 0, 0
    for position, _, before, after in brackets:
        while before == 0 and (space := masked.find(" ", outside, position)) >= 0:
            outside = space + 1
            # A conversion operator's name goes on behind a space: `S::operator unsigned int`.
            if not any(start <= operator < space for operator in operators):
                start = outside
        if after == 0:
            outside = position + 1
    return start
