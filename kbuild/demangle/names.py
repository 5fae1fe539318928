"""Readable C++ names: demangling, and parsing demangled function names.

Source: Itanium C++ ABI, section 5.1, "External Names (a.k.a. Mangling)".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

from kbuild.demangle.cxxabi import call_demangler

# Real names are much shorter. A forged name can cause the demangler a lot of work.
_LONGEST_NAME: Final = 1 << 16
# A substitution stands for an earlier part of the name, which can itself contain substitutions.
# Every two of them can double the result, so a name of 300 letters can stand for gigabytes.
_SUBSTITUTION: Final = re.compile(r"[ST][0-9A-Z]*_")
_MOST_EXPANSION: Final = 1 << 24
# Some versions of the demangler recurse without a limit, and overflow the stack.
_LONGEST_IN_PROCESS: Final = 1024

# Position, character, depth of nesting before it and after it.
_Bracket: TypeAlias = tuple[int, str, int, int]

_OPENING: Final = {"(": ")", "<": ">", "[": "]", "{": "}"}
_OPERATOR_WORD: Final = "operator"
_BRACKET: Final = re.compile(r"[()<>\[\]{}]")
_OPERATOR: Final = re.compile(
    r"operator\s*(?:\(\)|\[\]|->\*|->|<=>|<<=|>>=|<<|>>|<=|>=|<|>|,"
    r"|(?:new|delete)(?:\[\])?(?![\w])|[-+*/%^&|~!=]+)?"
)
# Special and reserved names, entities local to functions, and unnamed namespaces (also nvcc's).
_NAMELESS: Final = re.compile(r"\A(?:_Z[TGZL]|__)|\W|_GLOBAL__N_|_INTERNAL_")
_IDENTIFIER: Final = re.compile(r"([1-9]\d{0,4})(?=\D)")
# `static` entities have an L before the identifier, and ABI tags a B.
_TAGGED_IDENTIFIER: Final = re.compile(r"[LB]?(?P<length>[1-9]\d{0,4})(?=\D)")
_TAG: Final = re.compile(r"B(?P<length>[1-9]\d{0,4})(?=\D)")
# The suffix of a copy that the compiler made: the forms of GNU and LLVM.
_CLONE: Final = re.compile(r" (?:\[clone [^\]]*\]|\(\.[^()]*\))")


@lru_cache(maxsize=1 << 12)
def demangle(name: str) -> str:
    """Return the demangled form of ``name``, or ``name`` itself if it is not a mangled name."""
    if not name.startswith("_Z") or len(name) > _LONGEST_NAME:
        return name
    expansion = len(name) << len(_SUBSTITUTION.findall(name)) // 2
    if expansion > _MOST_EXPANSION or len(name) > _LONGEST_IN_PROCESS:
        from kbuild.demangle.server import ask  # noqa: PLC0415 - rarely needed

        return ask(name) or name
    return call_demangler(name) or name


def is_nameable(symbol: str) -> bool:
    """Return whether source files can name the variable with this symbol.

    They cannot name variables that compilers generate, variables local to a function, and
    variables in an unnamed namespace.
    """
    if _NAMELESS.search(symbol) is not None:
        return False
    return not any(name.startswith("__") for name in _list_identifiers(symbol))


def _list_identifiers(symbol: str) -> Iterator[str]:
    """Yield the identifiers of a mangled name, up to its first template argument."""
    rest = symbol.removeprefix("_Z").removeprefix("N").lstrip("rVK")
    while match := _IDENTIFIER.match(rest):
        end = match.end() + int(match[1])
        yield rest[match.end() : end]
        rest = rest[end:]


def _drop_identifiers(symbol: str) -> str:
    """Return what follows the name of an entity with its scopes and their ABI tags."""
    rest = symbol.removeprefix("_Z")
    if rest == symbol:
        return ""
    is_nested = rest.startswith("N")
    rest = rest.removeprefix("N").lstrip("rVK").removeprefix("St")
    pattern = _TAGGED_IDENTIFIER
    while match := pattern.match(rest):
        rest = rest[match.end() + int(match["length"]) :]
        if not is_nested:
            pattern = _TAG  # an identifier would be the type of a parameter
    return rest


def names_instance(symbol: str) -> bool:
    """Return whether a mangled name belongs to an instance of a kernel template.

    Its arguments stand behind its name, between ``I`` and ``E``. The demangled name does not tell:
    demanglers reject names with about a thousand parts. Kernels are no members of class templates.
    """
    return _drop_identifiers(symbol).startswith("I")


def is_internal_name(symbol: str) -> bool:
    """Return whether a mangled name belongs to an entity with internal linkage.

    Compilers put ``L`` before the identifier of a ``static`` entity. Unnamed namespaces have a
    special name.
    """
    if "_GLOBAL__N_" in symbol:
        return True
    rest = symbol.removeprefix("_Z")
    if rest == symbol:
        return False
    length = sum(len(f"{len(name)}{name}") for name in _list_identifiers(symbol))
    return rest.removeprefix("N").lstrip("rVK")[length:].startswith("L")


@lru_cache(maxsize=1 << 12)
def split_function(display: str) -> tuple[str, tuple[str, ...] | None]:
    """Split a demangled function name into its qualified name and its parameter types.

    ``void ns::axpy<float>(float, float*)`` gives ``ns::axpy<float>``, without the return type
    that demanglers add to templates, and ``("float", "float*")``. If the name has no parameter
    list, the types are None.
    """
    text = _remove_clone_suffixes(display)
    masked, operators = mask_operators(text)
    brackets = tuple(scan_brackets(masked))
    opening = _find_parameter_list(text, brackets)
    if opening is None:
        return text[_find_name(masked, brackets, operators) :], None
    position = brackets[opening][0]
    start = _find_name(masked[:position], brackets[: opening + 1], operators)
    return text[start:position], _split_parameters(text, masked, brackets[opening:])


def list_groups(text: str) -> Iterator[str]:
    """Yield the content of each pair of parentheses outside all other brackets of a type or name.

    ``f<void (*)()>(int)::{lambda(float)#1} (*)[2]`` gives ``int`` and ``*``.
    """
    masked, _ = mask_operators(text)
    opening: int | None = None
    for position, character, before, after in scan_brackets(masked):
        if character == "(" and before == 0:
            opening = position + 1
        elif opening is not None and after == 0:
            yield text[opening:position]
            opening = None


def spell_function(symbol: str, display: str) -> tuple[str, ...]:
    """Return the spellings of a function that a pattern can match.

    Args:
        symbol: The mangled name.
        display: The demangled name.

    Returns:
        Both names, the demangled name up to its first parenthesis, and the qualified name.
    """
    return symbol, display, display.partition("(")[0], split_function(display)[0]


def _remove_clone_suffixes(display: str) -> str:
    # A pattern that ends with `$` would be tried at every space, also in names of spaces only.
    while display.endswith(("]", ")")):
        start = max(display.rfind(" [clone "), display.rfind(" (."))
        if start < 0 or _CLONE.fullmatch(display, start) is None:
            break
        display = display[:start].rstrip()
    return display


def mask_operators(text: str) -> tuple[str, tuple[int, ...]]:
    """Replace operator names, which can contain brackets, by letters.

    Returns:
        The text, which keeps its length, and the positions of the operator names.
    """
    found = [
        match
        for match in (_OPERATOR.finditer(text) if _OPERATOR_WORD in text else ())
        if not _is_in_word(text, match.start(), match.end())
    ]
    for match in found:
        text = text[: match.start()] + "o" * len(match[0]) + text[match.end() :]
    return text, tuple(match.start() for match in found)


def scan_brackets(text: str) -> Iterator[_Bracket]:
    """Yield the brackets in order, and a last entry for the end of the text."""
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
    """Return whether the letters ``operator`` are only a part of a longer identifier."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    is_word_before = before.isalnum() or before == "_"
    is_word_after = text[end - 1].isalnum() and (after.isalnum() or after == "_")
    return is_word_before or is_word_after


def _close(stack: list[str], character: str) -> None:
    # Inside parentheses, `a>b` closes nothing, and `a<b` must not stay open.
    if character == ">":
        if stack and stack[-1] == ">":
            stack.pop()
        return
    while stack and stack[-1] == ">":
        stack.pop()
    if stack and stack[-1] == character:
        stack.pop()


def _find_parameter_list(text: str, brackets: tuple[_Bracket, ...]) -> int | None:
    """Return the index of the bracket that opens the parameter list; None without a list.

    This is the last parenthesis outside all other brackets.
    """
    for number in range(len(brackets) - 1, -1, -1):
        position, character, depth, _ = brackets[number]
        # A parenthesis at the start of a name has no parameters: (anonymous namespace)::f.
        if character == "(" and depth == 0 and position and text[position - 1] not in " :":
            return number
    return None


def _split_parameters(text: str, masked: str, brackets: tuple[_Bracket, ...]) -> tuple[str, ...]:
    """Return the parameters in the list that the first of ``brackets`` opens."""
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
    """Return the start of the qualified name, which follows the last space outside brackets."""
    start, outside = 0, 0
    for position, _, before, after in brackets:
        while before == 0 and (space := masked.find(" ", outside, position)) >= 0:
            outside = space + 1
            # The name of a conversion operator contains spaces: `S::operator unsigned int`.
            if not any(start <= operator < space for operator in operators):
                start = outside
        if after == 0:
            outside = position + 1
    return start
