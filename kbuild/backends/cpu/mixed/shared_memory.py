"""Let the names of ``__shared__`` variables refer to the memory of the block that runs.

A variable stays a thread-local one with another name, which only reserves a place: linkers lay out
those of all sources, templates, and inline functions. Its own name becomes a reference to this
place in the memory of the block, or to the memory of all ``extern`` arrays; see
``kbuild_cpu/shared_memory.h``. A lambda or a local class cannot use variables of the function
around it without a capture, so its functions have the same references again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.mentions import find_lambda
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.model import Edit
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.unit import Unit

_PLACE: Final = "__kbuild_place_of_{}__"


def edit_shared_memory(code: Unit) -> Iterator[Edit]:
    """Yield the edits for all declarations of shared memory."""
    functions: dict[int, dict[str, str]] = {}  # references by the brace of the function's body
    for found in find_qualified(code, frozenset((q.SHARED,))):
        is_dynamic = any(token.text == "extern" for token in found.head)
        is_local = found.scope not in ("", "namespace", "language")
        references = []
        for declarator in q.list_declarators(found):
            name = declarator.name
            place = _PLACE.format(name.text)
            yield Edit(start=name.start, end=name.end, text=place)
            reference = _refer(name.text, place, is_dynamic=is_dynamic)
            references.append(reference)
            for brace in _list_functions(code, found, name.text, is_local=is_local):
                functions.setdefault(brace, {})[name.text] = reference
        if is_local:
            yield Edit(start=found.end, end=found.end, text="".join(references))
    for brace, named in functions.items():
        start, end = brace + 1, code.find_close(brace) or brace + 1
        yield Edit(start=start, end=start, text="".join(named.values()) + " {")
        yield Edit(start=end, end=end, text="} ")


def _refer(name: str, place: str, *, is_dynamic: bool) -> str:
    memory = f"in_dynamic_memory<decltype({place})>()" if is_dynamic else f"in_block({place})"
    return f" [[maybe_unused]] auto& {name} = ::kbuild_cpu::{memory};"


def _list_functions(code: Unit, found: Declaration, name: str, *, is_local: bool) -> Iterator[int]:
    """Yield the braces of functions that need a reference of their own."""
    scopes = find_scopes(code)
    depth = len(scopes.around(found.start))
    innermost = scopes.around(found.start)[-1] if is_local else None
    end = code.find_close(innermost.brace) if innermost else None
    for token in code.list_tokens(found.end, end):
        if token.text != name:
            continue
        around = scopes.around(token.start)
        first = depth if is_local else next(
            (i for i, scope in enumerate(around) if scope.kind == "block"), len(around)
        )
        for index in range(first, len(around)):
            scope = around[index]
            is_function = (
                (index == first and not is_local)
                or around[index - 1].kind == "class"
                or find_lambda(code, scope) is not None
            )
            if scope.kind == "block" and is_function and not _has_parameter(code, scope, name):
                yield scope.brace


def _has_parameter(code: Unit, scope: Scope, name: str) -> bool:
    head = code.list_tokens(scope.head, scope.brace)
    return any(token.text == name for token in head)
