"""Let the names of ``__shared__`` variables refer to the memory of the block that runs.

A variable stays a thread-local one with another name, which only reserves a place: linkers lay out
those of all sources, templates, and inline functions. Its own name becomes a reference to this
place in the memory of the block, or to the memory of all ``extern`` arrays; see
``kbuild_cpu/shared_memory.h``. A lambda or a local class cannot use variables of the function
around it without a capture, so its functions have the same references again. For a variable of a
namespace, every function that mentions the name has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.mentions import find_lambda
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Edit
from kbuild.cxx.places import find_first
from kbuild.cxx.scopes import Scope, find_scopes, list_head
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_PLACE: Final = "__kbuild_place_of_{}__"
_OUTSIDE: Final = ("", "namespace", "language")  # the scopes of variables that are not local


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variable:
    """A variable, and the C++ expression for it in the memory of the block."""

    name: Token
    found: Declaration
    memory: str

    @property
    def reference(self) -> str:
        return f" [[maybe_unused]] auto& {self.name.text} = {self.memory};"


def edit_shared_memory(code: Unit) -> Iterator[Edit]:
    """Yield the edits for all declarations of shared memory."""
    functions: dict[int, dict[str, str]] = {}  # references by the brace of the function's body
    for found in find_qualified(code, frozenset((q.SHARED,))):
        is_local = found.scope not in _OUTSIDE
        for declarator in q.list_declarators(found):
            name = declarator.name
            variable = _Variable(name=name, found=found, memory=_name_memory(found, name.text))
            yield Edit(start=name.start, end=name.end, text=_PLACE.format(name.text))
            if is_local:
                yield Edit(start=found.end, end=found.end, text=variable.reference)
            else:
                yield from _edit_qualified(code, variable)
            find = _find_nested_functions if is_local else _find_functions
            for brace in find(code, variable):
                functions.setdefault(brace, {})[name.text] = variable.reference
    for brace, references in functions.items():
        close = code.find_close(brace)
        if close is not None:  # an inner block, because a function can hide the name
            yield Edit(start=brace + 1, end=brace + 1, text="".join(references.values()) + " {")
            yield Edit(start=close, end=close, text="} ")


def _name_memory(found: Declaration, name: str) -> str:
    scopes = "".join(f"{scope}::" for scope in found.namespaces if scope)
    place = (
        _PLACE.format(name) if found.scope not in _OUTSIDE else f"::{scopes}{_PLACE.format(name)}"
    )
    if any(token.text == "extern" for token in found.head):
        return f"::kbuild_cpu::in_dynamic_memory<decltype({place})>()"
    return f"::kbuild_cpu::in_block({place})"


def _edit_qualified(code: Unit, variable: _Variable) -> Iterator[Edit]:
    """Replace the qualified names of a variable of a namespace."""
    for index in _find_mentions(code, variable):
        first = find_first(code, index)
        if first == index:
            continue
        scopes = variable.found.namespaces
        if code.get(index - 2) == scopes[-1] if scopes else first == index - 1:
            start, end = code.starts[first], code.get_end(index)
            yield Edit(start=start, end=end, text=variable.memory)


def _find_mentions(code: Unit, variable: _Variable, end: int | None = None) -> Iterator[int]:
    """Yield the indices of the variable's name after its declaration."""
    last = len(code.words) if end is None else code.find_index(end)
    first = code.find_index(variable.found.end)
    yield from (index for index in code.find((variable.name.text,)) if first <= index < last)


def _find_functions(code: Unit, variable: _Variable) -> Iterator[int]:
    """Yield the braces of the functions that mention a variable of a namespace."""
    for index in _find_mentions(code, variable):
        if code.get(index - 1) in ("::", ".", "->"):
            continue
        around = find_scopes(code).around(code.starts[index])
        outer = next((i for i, scope in enumerate(around) if scope.kind == "block"), len(around))
        if not around[outer:] or _has_parameter(code, around[outer], variable):
            continue
        yield around[outer].brace
        yield from _list_nested(code, around, outer + 1, variable)


def _find_nested_functions(code: Unit, variable: _Variable) -> Iterator[int]:
    """Yield the braces of lambdas and functions of local classes that mention a variable."""
    outer = find_scopes(code).around(variable.found.start)
    for index in _find_mentions(code, variable, code.find_close(outer[-1].brace)):
        around = find_scopes(code).around(code.starts[index])
        yield from _list_nested(code, around, len(outer), variable)


def _list_nested(code: Unit, around: list[Scope], first: int, variable: _Variable) -> Iterator[int]:
    for outer, scope in zip(around[first - 1 :], around[first:], strict=False):
        is_function = outer.kind == "class" or find_lambda(code, scope) is not None
        if scope.kind == "block" and is_function and not _has_parameter(code, scope, variable):
            yield scope.brace


def _has_parameter(code: Unit, scope: Scope, variable: _Variable) -> bool:
    return variable.name.text in list_head(code, scope)
