"""Lowered names: the symbols of kernels and variables that a program names by expressions.

The compiler says them: each expression is the argument of an instance of a function template. The
demangled name of that function contains the name of the kernel or variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from kbuild.demangle.names import demangle, split_function
from kbuild.formats.elf.file import Elf

_FUNCTION: Final = "kbuild_lowered_name"
_TEMPLATE: Final = f"""
template <int N, class T, T P> [[gnu::used]] void {_FUNCTION}() {{}}
"""
_INSTANCE: Final = re.compile(rf"void {_FUNCTION}<(?P<number>\d+), (?P<rest>.*)>\(\)", re.DOTALL)


def list_references(expressions: Sequence[str]) -> str:
    """Return the text that instantiates and names what the expressions stand for.

    It follows the program, whose lines keep their numbers.
    """
    if not expressions:
        return ""
    instances = (
        f"template void {_FUNCTION}<{number}, decltype(&*({expression})), &*({expression})>();\n"
        for number, expression in enumerate(expressions)
    )
    return _TEMPLATE + "".join(instances)


def find_symbols(
    image: bytes, kernels: Mapping[str, str], expressions: Sequence[str]
) -> tuple[str, ...]:
    """Return the symbol of each expression; empty if it does not name a kernel or a variable.

    Args:
        image: The device image.
        kernels: The demangled names of its kernels, by symbol.
        expressions: The expressions of `list_references`.
    """
    elf = Elf(image)
    named: dict[str, str] = {}
    for symbol in elf.symbols:
        if symbol.type == "object" and symbol.place is not None:
            named.setdefault(f"&{demangle(symbol.name)}", symbol.name)
    named |= {_spell(display): symbol for symbol, display in kernels.items()}
    found = [""] * len(expressions)
    for symbol in elf.symbols:
        instance = _INSTANCE.fullmatch(demangle(symbol.name))
        if instance is not None and symbol.place is not None:
            found[int(instance["number"])] = _find(instance["rest"], named)
    return tuple(found)


def _find(rest: str, named: dict[str, str]) -> str:
    """Return the symbol whose spelling ends a type and an argument, or nothing."""
    fitting = (spelling for spelling in named if rest == spelling or rest.endswith(f", {spelling}"))
    return named[longest] if (longest := max(fitting, key=len, default="")) else ""


def _spell(display: str) -> str:
    """Return how demanglers spell the address of a kernel as a template argument.

    The type of the argument tells kernels with the same name apart.
    """
    name, parameters = split_function(display)
    if parameters is None:
        return f"&{display}"
    types = ", ".join(parameters)
    is_plain = display == f"{name}({types})"
    return f"void (*)({types}), &{name}" if is_plain else f"&({display})"
