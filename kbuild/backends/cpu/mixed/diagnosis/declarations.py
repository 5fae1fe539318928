"""Reject declarations that nvcc rejects, as far as their own words tell.

Whether a kernel returns something, or takes what cannot be passed, is read from its object.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.diagnosis.functions import find_space
from kbuild.backends.cpu.mixed.mentions import is_own
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.scopes import find_scopes, list_head
from kbuild.cxx.unit import Unit

_MEMORY: Final = {q.DEVICE: "__device__", q.CONSTANT: "__constant__", q.MANAGED: "__managed__"}
_NAMES: Final = {**_MEMORY, q.SHARED: "__shared__"}
_WITHOUT_OTHERS: Final = ({q.CONSTANT, q.MANAGED}, {q.CONSTANT, q.SHARED}, {q.MANAGED, q.SHARED})
_ELLIPSES: Final = frozenset((("...", ","), ("...", "(")))  # others expand packs
_BOUNDS: Final = "__kbuild_launch_bounds__"
# What device code cannot contain, apart from templates, of which only instances count.
_NOT_IN_DEVICE_CODE: Final = {
    "throw": "device code cannot throw exceptions; return an error, or call __trap()",
    "try": "device code cannot handle exceptions",
    "typeid": "device code cannot use 'typeid'",
    "dynamic_cast": "device code cannot use 'dynamic_cast'",
    "thread_local": "device code cannot have thread_local variables",
}


def find_mistakes(code: Unit) -> Iterator[tuple[int, str]]:
    """Yield the positions of declarations that are not allowed, and what is wrong."""
    for found in find_qualified(code, q.QUALIFIERS | {q.SHARED}):
        # The qualifiers themselves come from a macro of a system header.
        if found.head and is_own(code, found.head[-1].start):
            for message in _judge(code, found):
                yield found.head[-1].start, message
            yield from _list_forbidden_words(code, found)
    for index in code.find((_BOUNDS,)):
        end = code.find_declaration_end(index) or index
        is_kernel = q.GLOBAL in code.words[code.find_head(index) : end]
        if not is_kernel and is_own(code, code.starts[end - 1]):
            yield code.starts[index], "__launch_bounds__ is for __global__ functions only"


def _judge(code: Unit, found: Declaration) -> Iterator[str]:
    words = {token.text for token in found.head}
    if found.kind == "variable":
        yield from _judge_variable(code, found, words)
    elif found.kind == "function" and q.GLOBAL in found.words:
        yield from _judge_kernel(code, found, words)


def _judge_variable(code: Unit, found: Declaration, words: set[str]) -> Iterator[str]:
    memory = [name for word, name in _MEMORY.items() if word in found.words]
    is_shared = q.SHARED in found.words
    kinds = found.words & {*_NAMES}
    if any(pair <= kinds for pair in _WITHOUT_OTHERS):
        names = " and ".join(_NAMES[word] for word in sorted(kinds))
        yield f"{names} exclude each other; keep one of them"
    elif memory and not is_shared and found.scope == "block" and not words & {"static", "extern"}:
        yield f"a local variable cannot be {memory[-1]}; move it out of the function"
    elif (memory or is_shared) and found.scope == "class" and "static" in words:
        name = "__shared__" if is_shared else memory[-1]
        yield f"a static data member cannot be {name}; move the variable out of the class"
    elif memory and "thread_local" in words:
        yield f"a {memory[-1]} variable cannot be thread_local"
    elif is_shared and any(each.is_initialized for each in q.list_declarators(found)):
        yield "a __shared__ variable cannot have an initializer; assign the value in one thread"
    elif is_shared and found.scope == "block" and _is_in_host_code(code, found):
        yield "a host function cannot have __shared__ variables"


def _is_in_host_code(code: Unit, found: Declaration) -> bool:
    scopes = find_scopes(code).around(found.start)
    heads = (list_head(code, scope) for scope in scopes if scope.kind == "block")
    return {find_space(set(head)) for head in heads} == {"host"}


def _judge_kernel(code: Unit, found: Declaration, words: set[str]) -> Iterator[str]:
    first, last = map(code.find_index, (found.parameters[1], found.head_end))
    tail = code.words[first + 1 : last]
    others = found.words & {q.DEVICE, q.HOST}
    if others:
        name = "__device__" if q.DEVICE in others else "__host__"
        yield f"kernel '{found.name}' cannot also be {name}; remove one of the qualifiers"
    elif "friend" not in words and found.scope == "class":
        yield f"kernel '{found.name}' is a member of a class; move it out of the class"
    elif "operator" in words:
        yield f"a kernel cannot be an operator, such as '{found.name}'; give it a name"
    elif found.name == "main":
        yield "the function 'main' cannot be a kernel"
    elif "noexcept" in tail or "throw" in tail:
        yield f"kernel '{found.name}' has an exception specification; remove it"
    elif (code.get(first - 1), code.get(first - 2)) in _ELLIPSES:
        yield f"kernel '{found.name}' takes a variable number of arguments ('...'); declare each"
    elif "auto" in words and "->" not in tail:
        yield f"kernel '{found.name}' has a deduced result type; write void"


def _list_forbidden_words(code: Unit, found: Declaration) -> Iterator[tuple[int, str]]:
    if found.body is None or found.template or not q.is_device_only(found):
        return
    around = find_scopes(code).around(found.start)
    if any(list_head(code, scope)[:1] == ["template"] for scope in around):
        return
    start, end = found.body
    for index in code.find(_NOT_IN_DEVICE_CODE):
        if start < code.starts[index] < end:
            yield code.starts[index], _NOT_IN_DEVICE_CODE[code.words[index]]
