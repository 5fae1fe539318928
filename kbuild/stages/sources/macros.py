"""Read the macros that a source and its headers define."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from kbuild.values import dataclass

_DEFINE: Final = re.compile(rb"#\s*define\s+(\w+)(?:\(([^)]*)\))?(.*)", re.DOTALL)
_WORD: Final = re.compile(rb"[A-Za-z_$]\w*")
_TOKEN: Final = re.compile(
    rb'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_$]\w*|##|::|->|<<<|[^\w\s]'
)
# A replacement that starts with one of these is a statement or an expression.
_STATEMENTS: Final = frozenset((b"do", b"{", b"if", b"(", b"for", b"while", b"switch", b"return"))


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro. ``words`` are the tokens of its replacement, without parameters."""

    name: bytes
    words: tuple[bytes, ...]
    parameters: frozenset[bytes]


# One name can have several definitions.
Macros: TypeAlias = Mapping[bytes, tuple[Macro, ...]]


def read_macros(directives: Iterable[bytes]) -> Macros:
    """Read the macros that directives define."""
    macros: dict[bytes, tuple[Macro, ...]] = {}
    for directive in directives:
        match = _DEFINE.fullmatch(directive)
        if match is not None:
            name, parameters, replacement = match.groups()
            macro = Macro(
                name=name,
                words=tuple(_TOKEN.findall(replacement)),
                parameters=frozenset(_WORD.findall(parameters or b"")),
            )
            macros[name] = (*macros.get(name, ()), macro)
    return macros


def list_mentions(macros: Macros, name: bytes) -> frozenset[bytes]:
    """Return the tokens that the definitions of a macro add to their arguments."""
    definitions = macros.get(name, ())
    return frozenset(w for macro in definitions for w in macro.words if w not in macro.parameters)


def add_macros(words: Iterable[bytes], macros: Macros) -> frozenset[bytes]:
    """Add the macros to ``words`` whose replacements contain one of them."""
    found = set(words)
    mentions = {name: list_mentions(macros, name) for name in macros}
    while True:
        more = {
            n for n, words in mentions.items() if n not in found and not found.isdisjoint(words)
        }
        if not more:
            return frozenset(found)
        found |= more


def can_declare(macros: Macros, name: bytes) -> bool:
    """Return whether the replacement of a macro can be a declaration."""
    for macro in macros.get(name, ()):
        first, following = (*macro.words, b"", b"")[:2]
        is_call = first not in macro.parameters and following == b"("
        if first and first not in _STATEMENTS and not (is_call and not can_declare(macros, first)):
            return True
    return False
