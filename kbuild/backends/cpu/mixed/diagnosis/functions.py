"""Find the functions with some names that a text declares, and where they can run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, Literal, TypeAlias

from kbuild.backends import qualifiers as q
from kbuild.cxx.declarations import list_qualifiers, read_declaration
from kbuild.cxx.model import Span
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.tokens import split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

Space: TypeAlias = Literal["host", "device", "both"]

_EVALUATED: Final = frozenset(("constexpr", "consteval", "__constexpr__"))
_NO_FUNCTION: Final = frozenset(("using", "typedef", "asm", "__asm__", "static_assert"))
_GENERATED: Final = frozenset(("default", "delete"))
_OPERATOR: Final = "operator"
_OUTSIDE: Final = frozenset(("namespace", "language", "class"))


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A declaration of a function.

    Attributes:
        name: Its name; that of an operator has its symbol.
        space: What can call it. A constexpr function counts as one of both.
        start: The position where an attribute can be.
        owner: The names of the class or namespaces that it belongs to.
        parameters: The number of its parameters.
        is_kernel: Whether it is a kernel.
        before_mark: What must be between the start and the attribute.
    """

    name: str
    space: Space
    start: int
    owner: tuple[str, ...]
    parameters: int
    is_kernel: bool
    before_mark: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What its redeclarations have in common; others can have it, too."""
        return self.name, self.owner, self.parameters


def find_functions(
    code: Unit, names: Iterable[str], spans: Iterable[Span] | None = None
) -> Iterator[Function]:
    """Yield the declarations of functions with some names in namespaces and classes.

    Args:
        code: The text.
        names: The names. Constructors and destructors have the name of their class, and operators
            have the name ``operator``.
        spans: The parts of the text to look at, in order; by default, all of it.
    """
    scopes = find_scopes(code)
    seen: set[int] = set()
    parts = ((0, len(code.text)),) if spans is None else tuple(spans)
    starts = [start for start, _ in parts]
    for index in code.find(names):
        position = code.starts[index]
        part = bisect_right(starts, position) - 1
        if part < 0 or position >= parts[part][1]:
            continue
        is_named = code.get(index + 1) == "(" or code.words[index] == _OPERATOR
        if not is_named or code.get(index - 1) in (".", "->"):
            continue
        around = scopes.around(code.starts[index])
        head = code.find_head(index)
        is_inside = code.get(head - 1) in ("(", "[")  # a call in an initializer, for example
        if head in seen or is_inside or any(scope.kind not in _OUTSIDE for scope in around):
            continue
        seen.add(head)
        function = _read(code, head, around)
        if function is not None and code.words[index] in (function.name, _OPERATOR):
            yield function


def _read(code: Unit, head: int, around: list[Scope]) -> Function | None:
    found = read_declaration(code, code.starts[head])
    first, last = map(code.find_index, found.parameters)
    parameters = split_at_commas(code.list_between(first, last))
    words = {token.text for token in found.head}
    tail = set(code.words[last : code.find_index(found.end)]) if found.body is None else set()
    # Otherwise, it is a macro or a deduction guide.
    is_typed = len(found.head) > 1 or (around and around[-1].kind == "class")
    is_function = found.kind == "function" and found.name and found.head and is_typed
    if not is_function or found.is_instantiation or words & _NO_FUNCTION or tail & _GENERATED:
        return None
    return Function(
        name=found.name,
        space=find_space(words),
        start=found.head[0].start,
        owner=(*(scope.name for scope in around), *list_qualifiers(found)),
        parameters=0 if code.words[first:last] == ["void"] else len(parameters),
        is_kernel=q.GLOBAL in words,
    )


def find_space(words: AbstractSet[str]) -> Space:
    """Return what can call a function with some words in its head."""
    if words & _EVALUATED or {q.HOST, q.DEVICE} <= words:
        return "both"
    return "device" if words & {q.DEVICE, q.GLOBAL} else "host"
