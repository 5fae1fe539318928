"""Find host code in preprocessed kernel sources, which device compilers would silently drop.

This is about functions and variables with external linkage that the source file itself defines.
Headers can define what they like.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final, Literal

from kbuild.cxx.declarations import Declaration, list_qualifiers, read_declaration
from kbuild.cxx.declarators import CLASS_KEYS
from kbuild.cxx.lexer import Token
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.tokens import drop_attributes, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.stages.sources.included import list_parts
from kbuild.stages.sources.locals import read_local
from kbuild.values import dataclass

_MARKER: Final = re.compile(rb'#(?: |line )\d+ "')
# Device code, as the attributes that the qualifiers expand to and as kbuild's own names for them.
# The CPU backend uses visibility and sections.
_DEVICE: Final = frozenset(
    (
        *("KBUILD_KERNEL", "__device_builtin__", '"hidden"', "patchable_function_entry", "section"),
        *(
            word
            for name in ("device", "global", "constant", "shared", "managed")
            for word in (name, f"__{name}__", f"__kbuild_{name}__")
        ),
    )
)
# Functions with these words have no external linkage, or are compiled where they are used.
_LOCAL: Final = frozenset(
    (
        *("static", "inline", "__inline", "__inline__", "constexpr", "consteval", "template"),
        *("typedef", "using", "friend", "thread_local", "__thread", "static_assert", "asm"),
        *("__asm__", "_Static_assert", "namespace", "concept"),
    )
)
_LISTS: Final = frozenset(("(", "=", "{"))
_LAUNCH: Final = "<<<"
_LAUNCHING_DEVICE: Final = frozenset(("__global__", "__device__"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCode:
    """A function or variable of the host."""

    kind: Literal["function", "variable"]
    name: str
    line: int


@dataclass(frozen=True, slots=True)
class _Item:
    """A declaration in namespaces, and its words up to the body without attributes."""

    found: Declaration
    namespaces: tuple[str, ...]
    words: tuple[str, ...]
    is_exempt: bool
    parameters: int


def needs_host_pass(source: bytes) -> bool:
    """Return whether a source, which is not preprocessed, contains code for the host.

    That is a function or variable with external linkage, or a launch outside of device code. The
    launches of kernels by kernels are device code.
    """
    if find_host_code(source) is not None:
        return True
    if _LAUNCH.encode() not in source:
        return False
    unit = Unit(_decode(source), is_source=True)
    return not unit.is_balanced or any(_is_on_host(unit, index) for index in unit.find((_LAUNCH,)))


def _is_on_host(unit: Unit, index: int) -> bool:
    around = find_scopes(unit).around(unit.starts[index])
    block = next((scope for scope in around if scope.kind == "block"), None)
    if block is None:
        return True
    return _LAUNCHING_DEVICE.isdisjoint(list_head(unit, block))


def find_host_code(text: bytes) -> HostCode | None:
    """Return the first host function or variable that the source defines; None if there is none.

    Args:
        text: The preprocessed source. Its first line marker names the source. Without markers, it
            is the source itself, in which macros are not expanded.
    """
    own, lines = _select_own(text)
    unit = Unit(own, is_source=True)
    if not unit.is_balanced:  # a header opens a brace
        return None
    items = tuple(_list_items(unit))
    exempt = {_identify(item) for item in items if item.is_exempt}
    for item in items:
        name = "" if item.is_exempt else _find_name(item)
        if not name or _identify(item) in exempt:
            continue
        if "::" in name and _is_member_of_device_code(text, name, item.parameters):
            continue
        start, line = lines[bisect_right(lines, (item.found.start, len(own))) - 1]
        return HostCode(
            kind="function" if item.found.body else "variable",
            name="::".join((*item.namespaces, name)),
            line=line + own.count("\n", start, item.found.start),
        )
    return None


def _list_items(unit: Unit) -> Iterator[_Item]:
    """Yield the declarations in namespaces, without those of classes and their members."""
    scopes = find_scopes(unit)
    index = 0
    while index < len(unit.words):
        if unit.words[index] in (";", "}"):
            index += 1
            continue
        end = unit.find_declaration_end(index) or len(unit.words)
        brace = end - 1
        kind = ""
        if unit.words[brace] == "{":
            kind = scopes.around(unit.starts[brace] + 1)[-1].kind
        if kind == "class":
            end = unit.find_declaration_end(unit.partners[brace] + 1, ";") or len(unit.words)
        elif kind not in ("namespace", "language"):
            item = _read_item(unit, index)
            yield item
            end = max(unit.find_index(item.found.end), end)
        index = end


def _read_item(unit: Unit, index: int) -> _Item:
    found = read_declaration(unit, unit.starts[index])
    tokens = unit.list_between(index, unit.find_index(found.head_end))
    words = tuple(token.text for token in drop_attributes(tokens))
    is_function = found.kind == "function"
    before = set(words[: _find_list(words)])
    if is_function:
        before = {*(token.text for token in found.head), *found.template.split()[:1]}
    attributes = _list_attributes(tokens)
    parameters = split_at_commas(unit.list_tokens(*found.parameters))
    is_void = [[token.text for token in part] for part in parameters] == [["void"]]
    return _Item(
        found=found,
        namespaces=find_scopes(unit).name_namespace(found.start),
        words=words,
        is_exempt=not _LOCAL.isdisjoint(before) or not _DEVICE.isdisjoint(before | attributes),
        parameters=(0 if is_void else len(parameters)) if is_function else -1,
    )


def _list_attributes(tokens: list[Token]) -> set[str]:
    kept = set(drop_attributes(tokens))
    return {token.text for token in tokens if token not in kept}


def _identify(item: _Item) -> tuple[tuple[str, ...], str, int]:
    """Return what tells functions apart: the scope, the name, and the number of parameters."""
    return item.namespaces, item.found.name, item.parameters


def _select_own(text: bytes) -> tuple[str, list[tuple[int, int]]]:
    """Return the source's own lines, and (position, line) of each part between line markers."""
    if _MARKER.match(text) is None:
        return _decode(text), [(0, 1)]
    parts = [part for part in list_parts(_decode(text), lambda _: False) if part.is_project]
    sizes = accumulate((len(part.text) for part in parts), initial=0)
    # The end of the line with the marker is in front of the line that it names.
    lines = (part.line - 1 for part in parts)
    return "".join(part.text for part in parts), [*zip(sizes, lines, strict=False)]


def _decode(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _find_name(item: _Item) -> str:
    """Return the name of the host function or variable that an item defines; else empty."""
    if "" in item.namespaces or not item.words:
        return ""
    if item.found.kind == "function":
        names = (*list_qualifiers(item.found), item.found.name)
        return "::".join(names) if item.found.body else ""
    is_declared = "extern" in item.words[: _find_list(item.words)]
    return "" if item.words[0] in CLASS_KEYS or is_declared else _name_variable(list(item.words))


def _find_list(words: tuple[str, ...] | list[str]) -> int:
    """Return the index of the parameters, or of what follows a variable's name."""
    return next((i for i, word in enumerate(words) if word in _LISTS), len(words))


def _name_variable(words: list[str]) -> str:
    words = words[:-1] if words[-1] == ";" else words
    local = read_local(words)
    before = words[: _find_list(words)]
    is_constant = "const" in before and ("*" not in before or before[-2:-1] == ["const"])
    if local is None or "(" in before or is_constant or words[_find_list(words) :][:1] == ["("]:
        return ""
    return min(local.names, key=words.index, default="")


def _is_member_of_device_code(text: bytes, name: str, parameters: int) -> bool:
    """Return whether a class, in any file, declares a member function as device code or inline."""
    last = name.rpartition("::")[2]
    for match in re.finditer(rb"(?<![\w.>:])%b\s*(?=\()" % re.escape(last.encode()), text):
        start = max(text.rfind(end, 0, match.start()) for end in (b";", b"{", b"}")) + 1
        stop = text.find(b";", match.end())
        unit = Unit(_decode(text[start : stop if stop >= 0 else len(text)]))
        item = _read_item(unit, 0)
        if item.is_exempt and "=" not in item.words and item.parameters == parameters:
            return True
    return False
