"""Find the kernels that source text declares, with the names and types of their parameters.

The device images of most backends do not contain parameter names, so that debuggers would show
numbered arguments. The text is parsed, not compiled, so aliases are not resolved. If the text is
not preprocessed, declarations that come from macros are not found, and code inside ``#if`` is
ignored, because it might not be the code that is compiled.

Source: the CUDA grammar of tree-sitter, which the ``build`` extra installs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from kbuild.errors import ToolchainError
from kbuild.values import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_KERNEL: Final = "__global__"
# kbuild's headers define this macro as `__global__`.
_MACRO: Final = re.compile(rb"\bKBUILD_KERNEL\b")
_UNNAMED: Final = "(anonymous namespace)"
_FUNCTIONS: Final = ("function_definition", "declaration", "field_declaration")
_PARAMETERS: Final = ("parameter_declaration", "optional_parameter_declaration")
_IGNORED_WORDS: Final = ("__restrict__", "__restrict", "__grid_constant__")
_ARRAY: Final = re.compile(r"(?:\[[^\]]*\])")


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


def find_kernels(text: bytes) -> tuple[DeclaredKernel, ...]:
    """Return every kernel that ``text`` declares or defines, in the order of the text.

    Raises:
        ToolchainError: tree-sitter is not installed, and the text has a kernel.
    """
    if _KERNEL.encode() not in text and not _MACRO.search(text):
        return ()
    tree = _parser().parse(_MACRO.sub(_KERNEL.encode(), text))
    return tuple(_walk(tree.root_node, (), is_c=False))


@cache
def _parser() -> Parser:
    try:
        # The grammar is large, and most commands do not parse sources.
        import tree_sitter_cuda  # noqa: PLC0415
        from tree_sitter import Language, Parser  # noqa: PLC0415
    except ImportError as error:
        raise ToolchainError(
            f"cannot parse kernel sources without tree-sitter ({error}); "
            "run: pip install 'kbuild[build]'"
        ) from error

    return Parser(Language(tree_sitter_cuda.language()))


def _walk(node: Node, scope: tuple[str, ...], *, is_c: bool) -> Iterator[DeclaredKernel]:
    for child in node.children:
        if child.type in _FUNCTIONS and any(c.type == _KERNEL for c in child.children):
            found = _read_function(child, scope, is_c=is_c)
            if found is not None:
                yield found
        elif child.type == "namespace_definition":
            yield from _walk_body(child, (*scope, *_read_namespace(child)), is_c=is_c)
        elif child.type in ("class_specifier", "struct_specifier"):
            name = child.child_by_field_name("name")
            if name is not None:
                yield from _walk_body(child, (*scope, _text(name)), is_c=is_c)
        elif child.type == "linkage_specification":
            value = child.child_by_field_name("value")
            is_own = value is not None and _text(value) == '"C"'
            yield from _walk(child, scope, is_c=is_own)
        elif child.type.startswith("preproc_") and not _is_guard(child):
            continue  # the text does not say which branch is compiled
        elif child.type not in ("compound_statement", "template_instantiation"):
            yield from _walk(child, scope, is_c=is_c)


def _is_guard(node: Node) -> bool:
    """Return whether this is an include guard: ``#ifndef X``, then ``#define X``."""
    name = node.child_by_field_name("name")
    first = next((c for c in node.named_children if c != name), None)
    defined = first.child_by_field_name("name") if first and first.type == "preproc_def" else None
    return name is not None and defined is not None and _text(name) == _text(defined)


def _walk_body(node: Node, scope: tuple[str, ...], *, is_c: bool) -> Iterator[DeclaredKernel]:
    body = node.child_by_field_name("body")
    if body is not None:
        yield from _walk(body, scope, is_c=is_c)


def _read_namespace(node: Node) -> tuple[str, ...]:
    name = node.child_by_field_name("name")
    if name is None:
        return (_UNNAMED,)
    parts = (part.removeprefix("inline").strip() for part in _text(name).split("::"))
    return tuple(part for part in parts if part)


def _read_function(node: Node, scope: tuple[str, ...], *, is_c: bool) -> DeclaredKernel | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None:
        return None
    name = declarator.child_by_field_name("declarator")
    params = declarator.child_by_field_name("parameters")
    if name is None or params is None or params.has_error:
        return None
    *outer, own = _text(name).partition("<")[0].split("::")
    found = tuple(_read_param(c) for c in params.named_children if c.type in _PARAMETERS)
    is_void = len(found) == 1 and found[0] == DeclaredParam(type="void", name=None)
    return DeclaredKernel(
        name=own.strip(),
        scope=(*scope, *(part.strip() for part in outer if part.strip())),
        params=() if is_void else found,
        is_c=is_c,
        is_definition=node.type == "function_definition",
    )


def _read_param(node: Node) -> DeclaredParam:
    """Read a parameter. Its type is the text of the declaration without the name."""
    name = _find_name(node.child_by_field_name("declarator"))
    default = node.child_by_field_name("default_value")
    end = default.start_byte if default is not None else node.end_byte
    source = node.text or b""
    text = source[: end - node.start_byte].rstrip(b" \n\t=")
    if name is not None:
        start, stop = name.start_byte - node.start_byte, name.end_byte - node.start_byte
        text = text[:start] + b" " + text[stop:]
    return DeclaredParam(
        type=_spell_type(text.decode(errors="replace")), name=_text(name) if name else None
    )


def _find_name(declarator: Node | None) -> Node | None:
    """Find the identifier that a nested declarator declares."""
    if declarator is None or declarator.type == "identifier":
        return declarator
    inner = declarator.child_by_field_name("declarator")
    if inner is None:  # the grammar has no field for parentheses and references
        inner = next(
            (c for c in declarator.named_children if "declarator" in c.type), None
        ) or next((c for c in declarator.named_children if c.type == "identifier"), None)
    return _find_name(inner)


def _spell_type(text: str) -> str:
    """Spell a parameter's type as it is in the function's type: an array becomes a pointer."""
    words = [w for w in re.findall(r"\w+|\S", text) if w not in _IGNORED_WORDS]
    spelled = re.sub(r"(?<=\w) (?=\W)|(?<=\W) (?=\w)|(?<=\W) (?=\W)", "", " ".join(words))
    spelled = re.sub(r"(?<=[*&])(?=\w)", " ", spelled)
    return spelled if "(" in spelled else _ARRAY.sub("*", spelled, count=1)


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")
