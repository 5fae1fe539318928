"""C++ names for people: demangling, and taking a demangled function name apart.

The C++ runtime library demangles (Itanium C++ ABI, section 3.4, ``__cxa_demangle``); it
is on every machine that runs a C++ compiler, and where it is not, names stay mangled.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Final

# find_library() would start processes (ldconfig, gcc); these are the names the ABI fixes.
_LIBRARIES: Final = ("libstdc++.so.6", "libc++abi.so.1")
# A forged name can ask the demangler for a lot of work; real ones stay far below.
_LONGEST_NAME: Final = 1 << 16

_OPENING: Final = {"(": ")", "<": ">", "[": "]", "{": "}"}
_CLOSING: Final = frozenset(_OPENING.values())
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
    function = _demangler()
    if function is None or not name.startswith("_Z") or len(name) > _LONGEST_NAME:
        return name
    status = ctypes.c_int(0)
    encoded = name.encode("utf-8", "replace")
    address = function(encoded, None, None, ctypes.byref(status))
    if not address:
        return name
    try:
        if status.value != 0:
            return name
        return ctypes.string_at(address).decode("utf-8", "replace")
    finally:
        _free(address)


def is_nameable(symbol: str) -> bool:
    """Whether other source files can name the variable with this symbol.

    They cannot name what compilers make up, what is local to a function, and what lies in
    an unnamed namespace.
    """
    return _NAMELESS.search(symbol) is None


@cache
def _demangler() -> Callable[..., int | None] | None:
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
        return function
    return None


def _free(address: int) -> None:
    free = ctypes.CDLL(None).free
    free.restype = None
    free.argtypes = [ctypes.c_void_p]
    free(address)


def split_function(display: str) -> tuple[str, tuple[str, ...] | None]:
    """The qualified name and the parameter types of a demangled function name.

    ``void ns::axpy<float>(float, float*)`` gives ``ns::axpy<float>`` (the return type of
    a template is no part of its name) and ``("float", "float*")``; a name without a
    parameter list gives None for the types.
    """
    text = _CLONE.sub("", display)
    opening = _parameter_list(text)
    if opening is None:
        return _without_return_type(text), None
    closing = _find_closing(text, opening)
    inside = text[opening + 1 : closing]
    types = tuple(_split_at_commas(inside))
    return _without_return_type(text[:opening]), () if types == ("void",) else types


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """(position, character, depth of nesting before it), operator names stepped over."""
    stack: list[str] = []
    position = 0
    while position < len(text):
        operator = _OPERATOR.match(text, position)
        if operator and not _is_in_word(text, position, operator.end()):
            position = operator.end()
            continue
        character = text[position]
        yield position, character, len(stack)
        if character in _OPENING:
            stack.append(_OPENING[character])
        elif character in _CLOSING and not text.startswith("->", position - 1):
            _close(stack, character)
        position += 1


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


def _parameter_list(text: str) -> int | None:
    """Where the parameter list opens: the last parenthesis outside all others."""
    found = None
    for position, character, depth in _scan(text):
        # A parenthesis that starts a name holds no parameters: (anonymous namespace)::f.
        starts_name = position == 0 or text[position - 1] in " :"
        if character == "(" and depth == 0 and not starts_name:
            found = position
    return found


def _find_closing(text: str, opening: int) -> int:
    for position, character, depth in _scan(text):
        if position > opening and character == ")" and depth == 1:
            return position
    return len(text)


def _split_at_commas(text: str) -> Iterator[str]:
    start = 0
    for position, character, depth in _scan(text):
        if character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    if text.strip():
        yield text[start:].strip()


def _without_return_type(text: str) -> str:
    start = 0
    operator_positions = [m.start() for m in _OPERATOR.finditer(text)]
    for position, character, depth in _scan(text):
        # A conversion operator's name goes on behind a space: `S::operator unsigned int`.
        is_in_operator = any(
            start <= p < position and not _is_in_word(text, p, p + len("operator"))
            for p in operator_positions
        )
        if character == " " and depth == 0 and not is_in_operator:
            start = position + 1
    return text[start:]
