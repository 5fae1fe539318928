"""C++ names for people: demangling, and taking a demangled function name apart.

The C++ runtime library demangles (Itanium C++ ABI, section 3.4, ``__cxa_demangle``); it
is on every machine that runs a C++ compiler, and where it is not, names stay mangled.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final, TypeAlias

# find_library() would start processes (ldconfig, gcc); these are the names the ABI fixes.
_LIBRARIES: Final = ("libstdc++.so.6", "libc++abi.so.1")
# A forged name can ask the demangler for a lot of work; real ones stay far below.
_LONGEST_NAME: Final = 1 << 16

# Position, character, depth of nesting before it.
_Token: TypeAlias = tuple[int, str, int]

_OPENING: Final = {"(": ")", "<": ">", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(_OPENING.values())
_OPERATOR_WORD: Final = "operator"
_TOKEN: Final = re.compile(r"operator|[()<>\[\]{}, ]")
_OPERATOR: Final = re.compile(
    r"operator\s*(?:\(\)|\[\]|->\*|->|<=>|<<=|>>=|<<|>>|<=|>=|<|>|,"
    r"|(?:new|delete)(?:\[\])?(?![\w])|[-+*/%^&|~!=]+)?"
)
# Reserved and special names, entities of functions, and nvcc's and others' unnamed namespaces.
_NAMELESS: Final = re.compile(r"\A(?:_Z[TGZL]|__)|\W|_GLOBAL__N_|_INTERNAL_")
# What a compiler appends for a copy that it made: GNU's and LLVM's way.
_CLONE: Final = re.compile(r"(?:\s+\[clone [^\]]*\]|\s+\(\.[^()]*\))+$")


@lru_cache(maxsize=1 << 16)
def demangle(name: str) -> str:
    """The C++ name that ``name`` stands for, or ``name`` itself where it is none."""
    if not name.startswith("_Z") or len(name) > _LONGEST_NAME:
        return name
    functions = _demangler()
    if functions is None:
        return name
    call, free = functions
    status = ctypes.c_int(0)
    address = call(name.encode("utf-8", "replace"), None, None, ctypes.byref(status))
    if not address:
        return name
    try:
        if status.value != 0:
            return name
        return ctypes.string_at(address).decode("utf-8", "replace")
    finally:
        free(address)


def is_nameable(symbol: str) -> bool:
    """Whether other source files can name the variable with this symbol.

    They cannot name what compilers make up, what is local to a function, and what lies in
    an unnamed namespace.
    """
    return _NAMELESS.search(symbol) is None


@cache
def _demangler() -> tuple[Callable[..., int | None], Callable[[int], None]] | None:
    """The demangler, and what gives back the memory of its results."""
    for library in _LIBRARIES:
        try:
            function = ctypes.CDLL(library)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = [
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_size_t),
            ctypes.POINTER(ctypes.c_int),
        ]
        free = ctypes.CDLL(None).free
        free.restype = None
        free.argtypes = [ctypes.c_void_p]
        return function, free
    return None


@lru_cache(maxsize=1 << 14)
def split_function(display: str) -> tuple[str, tuple[str, ...] | None]:
    """The qualified name and the parameter types of a demangled function name.

    ``void ns::axpy<float>(float, float*)`` gives ``ns::axpy<float>`` (the return type of
    a template is no part of its name) and ``("float", "float*")``; a name without a
    parameter list gives None for the types.
    """
    text = _CLONE.sub("", display)
    tokens = tuple(_scan(text))
    opening = _find_parameter_list(text, tokens)
    if opening is None:
        return _without_return_type(text, tokens), None
    name = _without_return_type(text[:opening], tokens)
    return name, _split_parameters(text, tokens, opening)


def _scan(text: str) -> Iterator[_Token]:
    """Brackets, commas and spaces, operator names stepped over."""
    stack: list[str] = []
    position = 0
    while match := _TOKEN.search(text, position):
        start, position = match.span()
        character = match[0]
        if character == _OPERATOR_WORD:
            operator = _OPERATOR.match(text, start)
            if operator and not _is_in_word(text, start, operator.end()):
                position = operator.end()
            continue
        yield start, character, len(stack)
        if character in _OPENING:
            stack.append(_OPENING[character])
        elif character in _CLOSING and not text.startswith("->", start - 1):
            _close(stack, character)


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


def _find_parameter_list(text: str, tokens: tuple[_Token, ...]) -> int | None:
    """Where the parameter list opens: the last parenthesis outside all others."""
    for position, character, depth in reversed(tokens):
        # A parenthesis that starts a name holds no parameters: (anonymous namespace)::f.
        starts_name = position == 0 or text[position - 1] in " :"
        if character == "(" and depth == 0 and not starts_name:
            return position
    return None


def _split_parameters(text: str, tokens: tuple[_Token, ...], opening: int) -> tuple[str, ...]:
    types = []
    start, end = opening + 1, len(text)
    for position, character, depth in tokens:
        if position <= opening or depth != 1:
            continue
        if character == ")":
            end = position
            break
        if character == ",":
            types.append(text[start:position].strip())
            start = position + 1
    last = text[start:end].strip()
    if last or types:
        types.append(last)
    return () if types == ["void"] else tuple(types)


def _without_return_type(text: str, tokens: tuple[_Token, ...]) -> str:
    start = 0
    operators = [
        match.start()
        for match in _OPERATOR.finditer(text)
        if not _is_in_word(text, match.start(), match.start() + len(_OPERATOR_WORD))
    ]
    for position, character, depth in tokens:
        if position >= len(text):
            break
        # A conversion operator's name goes on behind a space: `S::operator unsigned int`.
        is_space = character == " " and depth == 0
        if is_space and not any(start <= operator < position for operator in operators):
            start = position + 1
    return text[start:]
