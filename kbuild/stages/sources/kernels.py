"""Find the kernels that source text declares, with the names and types of their parameters.

The device images of most backends do not contain parameter names, so that debuggers would show
numbered arguments. The text is not compiled, so aliases are not resolved. If the text is not
preprocessed, declarations that come from macros are not found, and code inside ``#if`` is ignored,
because it might not be the code that is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.declarations import Declaration, find_qualified, list_qualifiers
from kbuild.cxx.declarators import GRID_CONSTANT, find_declarator, split_initializer
from kbuild.cxx.heads import find_name
from kbuild.cxx.lexer import Token
from kbuild.cxx.scopes import Scope, find_scopes, list_head
from kbuild.cxx.tokens import drop_attributes, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

# kbuild's headers define the second one as the first.
_KERNEL: Final = frozenset(("__global__", "KBUILD_KERNEL"))
_UNNAMED: Final = "(anonymous namespace)"
_IGNORED_WORDS: Final = ("__restrict__", "__restrict", "__grid_constant__", GRID_CONSTANT)
_C: Final = '"C"'


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredParam:
    """A parameter. ``name`` is None for an unnamed parameter."""

    type: str
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredKernel:
    """A kernel in source text.

    ``scope`` contains the namespaces and classes around it. ``is_c`` says that it has C linkage, so
    that its symbol is its name.
    """

    name: str
    scope: tuple[str, ...]
    params: tuple[DeclaredParam, ...]
    is_c: bool
    is_definition: bool

    @property
    def qualified(self) -> str:
        """The name with its scope, as demanglers spell it."""
        return "::".join((*self.scope, self.name))


def find_declared_kernels(text: bytes) -> tuple[DeclaredKernel, ...]:
    """Return every kernel that ``text`` declares or defines, in the order of the text."""
    if not any(word.encode() in text for word in _KERNEL):
        return ()
    unit = Unit(text.decode(errors="replace"), is_source=True)
    left_out = tuple(list_conditional(unit))
    return tuple(
        kernel
        for found in find_qualified(unit, _KERNEL)
        if not any(start < found.start < end for start, end in left_out)
        if (kernel := _read_kernel(unit, found)) is not None
    )


def list_conditional(unit: Unit) -> Iterator[tuple[int, int]]:
    """Yield the parts of the text that depend on conditions, other than include guards."""
    opened: list[tuple[int, bool]] = []
    for index, directive in enumerate(unit.directives):
        words = directive.text[1:].split()
        kind = words[0] if words else ""
        if kind.startswith("if"):
            following = unit.directives[index + 1 : index + 2]
            defined = following[0].text[1:].split() if following else []
            is_guard = kind == "ifndef" and defined[:2] == ["define", *words[1:2]]
            opened.append((directive.start, is_guard))
        elif kind == "endif" and opened:
            start, is_guard = opened.pop()
            if not is_guard:
                yield start, directive.start


def _read_kernel(unit: Unit, found: Declaration) -> DeclaredKernel | None:
    head = list(found.head)
    around = find_scopes(unit).around(found.start)
    if (
        found.kind != "function"
        or find_name(head) is None
        or found.is_instantiation
        or any(scope.kind == "block" for scope in around)
    ):
        return None
    languages = [scope for scope in around if scope.kind == "language"]
    is_block_of_c = bool(languages) and _C in list_head(unit, languages[-1])
    parameters = split_at_commas(drop_attributes(unit.list_tokens(*found.parameters)))
    read = tuple(_read_parameter(part) for part in parameters if not _is_pack(part))
    is_void = read == (DeclaredParam(type="void", name=None),)
    return DeclaredKernel(
        name=found.name,
        scope=(*(name for scope in around for name in _list_names(scope)), *list_qualifiers(found)),
        params=() if is_void else read,
        is_c=is_block_of_c or any(token.text == _C for token in head),
        is_definition=found.body is not None,
    )


def _list_names(scope: Scope) -> Iterator[str]:
    if scope.kind == "namespace":
        yield from scope.name.split("::") if scope.name else (_UNNAMED,)
    elif scope.kind == "class":
        yield scope.name


def _is_pack(tokens: list[Token]) -> bool:
    return any(token.text == "..." for token in tokens)


def _read_parameter(tokens: list[Token]) -> DeclaredParam:
    """Read a parameter. Its type is the text of the declaration without the name."""
    body, _ = split_initializer(tokens)
    _, place = find_declarator(body)
    words = [token.text for index, token in enumerate(body) if index != place]
    return DeclaredParam(type=_spell_type(words), name=None if place is None else body[place].text)


def _spell_type(words: list[str]) -> str:
    """Spell a parameter's type as it is in the function's type: an array becomes a pointer."""
    words = [word for word in words if word not in _IGNORED_WORDS]
    if "(" not in words and "[" in words:
        opening = words.index("[")
        close = words.index("]", opening) if "]" in words[opening:] else len(words) - 1
        words[opening : close + 1] = ["*"]
    spelled = ""
    for word in words:
        is_apart = spelled[-1:] in ("*", "&") or spelled[-1:].isalnum() or spelled.endswith("_")
        spelled += f" {word}" if is_apart and (word[0].isalnum() or word[0] == "_") else word
    return spelled
