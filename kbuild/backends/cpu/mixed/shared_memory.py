"""Let the names of ``__shared__`` variables refer to the memory of the block that runs.

A variable stays a thread-local one with another name, which only reserves a place: linkers lay out
those of all sources, templates, and inline functions. Its own name becomes a reference to this
place in the memory of the block, or to the memory of all ``extern`` arrays; see
``kbuild_cpu/shared_memory.h``. A lambda or a local class cannot use variables of the function
around it without a capture, so its functions have the same references again. For a variable of a
namespace, every function that mentions the name has one, and the namespace has a constant.

A function has no such reference if another declaration hides the name there. The text only finds
that out: the generated code asserts that the name means the variable, by its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.mentions import find_lambda, is_own
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.declarators import find_declarator, find_type_end
from kbuild.cxx.lexer import Token
from kbuild.cxx.model import Edit
from kbuild.cxx.places import find_first, starts_captures
from kbuild.cxx.rewriting.shadows import EXPRESSION, can_declare, is_hidden
from kbuild.cxx.scopes import Scope, find_scopes
from kbuild.cxx.tokens import OWN_WORD, drop_attributes, drop_template_headers, split_at_commas
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_PLACE: Final = "__kbuild_place_of_{}__"
_NAME: Final = "__kbuild_name_of_{}__"
_OUTSIDE: Final = ("", "namespace", "language")  # the scopes of variables that are not local
_CONDITIONS: Final = ("if", "while", "switch")
_SPECIFIERS: Final = ("static", "inline", "extern", "thread_local", "virtual", "friend", "typedef")
_POINTERS: Final = frozenset(("*", "&", "const", "volatile", "__restrict__", "...", "[", "]"))
_IS_SHARED: Final = "::kbuild_cpu::is_shared<decltype({name})>"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Variable:
    """A variable, and the C++ expression for it in the memory of the block."""

    name: Token
    found: Declaration
    memory: str

    @property
    def is_local(self) -> bool:
        return self.found.scope not in _OUTSIDE

    @property
    def reference(self) -> str:
        return (
            f" [[maybe_unused]] auto&& {self.name.text} = ::kbuild_cpu::name_shared({self.memory});"
        )

    def refer(self, *, is_nested: bool) -> str:
        """Return the reference of another function, with the assertion that the name means it."""
        name, is_shared = self.name.text, _IS_SHARED.format(name=self.name.text)
        if not (self.is_local or is_nested):
            kind = _qualify(self.found, _NAME.format(name))
            is_shared = f"::kbuild_cpu::is_name<decltype({name}), {kind}>"
        return f"{_assert(is_shared, name)}{self.reference}"


@dataclass(frozen=True, slots=True)
class _Reference:
    """What is at the start of a function that mentions a variable.

    Of several variables with the name, that with the largest rank is meant: one of a namespace
    around the function, and of the innermost one.
    """

    brace: int
    text: str
    rank: tuple[bool, int] = (True, 0)


def _assert(condition: str, name: str) -> str:
    message = (
        f"the text does not say whether '{name}' means a __shared__ variable in this function; "
        "give this variable a name of its own"
    )
    return f' static_assert({condition}, "{message}");'


def edit_shared_memory(code: Unit) -> Iterator[Edit]:
    """Yield the edits for all declarations of shared memory."""
    functions: dict[int, dict[str, _Reference]] = {}  # by the brace of the body, and by name
    variables = [*_list_variables(code)]
    named: set[tuple[str, ...]] = set()
    for variable in variables:
        name, found = variable.name, variable.found
        yield Edit(start=name.start, end=name.end, text=_PLACE.format(name.text))
        if variable.is_local:
            yield Edit(start=found.end, end=found.end, text=variable.reference)
            continue
        if (*found.namespaces, name.text) not in named:
            named.add((*found.namespaces, name.text))
            kind = f"::kbuild_cpu::shared_name<struct {_NAME.format(name.text)}>"
            constant = f" [[maybe_unused]] constexpr {kind} {name.text}{{}};"
            yield Edit(start=found.end, end=found.end, text=constant)
        yield from _edit_qualified(code, variable)
    for variable in variables:
        find = _find_nested_functions if variable.is_local else _find_functions
        for reference in find(code, variable):
            others = functions.setdefault(reference.brace, {})
            known = others.setdefault(variable.name.text, reference)
            if known.rank < reference.rank:
                others[variable.name.text] = reference
    for brace, references in functions.items():
        close = code.find_close(brace)
        if close is not None:  # an inner block, because a function can hide the name
            text = "".join(each.text for each in references.values())
            yield Edit(start=brace + 1, end=brace + 1, text=f"{text} {{")
            yield Edit(start=close, end=close, text="} ")


def _list_variables(code: Unit) -> Iterator[_Variable]:
    for found in find_qualified(code, frozenset((q.SHARED,))):
        for declarator in q.list_declarators(found):
            memory = _name_memory(found, declarator.name.text)
            yield _Variable(name=declarator.name, found=found, memory=memory)


def _qualify(found: Declaration, name: str) -> str:
    """Return a name beside a variable, from everywhere."""
    if found.scope not in _OUTSIDE:
        return name
    return "::".join(("", *(scope for scope in found.namespaces if scope), name))


def _name_memory(found: Declaration, name: str) -> str:
    place = _qualify(found, _PLACE.format(name))
    if any(token.text == "extern" for token in found.head):
        return f"::kbuild_cpu::in_dynamic_memory<decltype({place})>()"
    return f"::kbuild_cpu::in_block({place})"


def _edit_qualified(code: Unit, variable: _Variable) -> Iterator[Edit]:
    """Replace the qualified names of a variable of a namespace, if the compiler finds it there."""
    for index in _find_mentions(code, variable):
        first = find_first(code, index)
        if first == index or code.get(first - 1) == "using":
            continue
        scopes = variable.found.namespaces
        if code.get(index - 2) == scopes[-1] if scopes else first == index - 1:
            start, end = code.starts[first], code.get_end(index)
            qualified = code.text[start:end]
            text = f"::kbuild_cpu::choose_shared({qualified}, {variable.memory})"
            yield Edit(start=start, end=end, text=text)


def _find_mentions(code: Unit, variable: _Variable, end: int | None = None) -> Iterator[int]:
    """Yield the indices of the variable's name after its declaration."""
    last = len(code.words) if end is None else code.find_index(end)
    first = code.find_index(variable.found.end)
    yield from (index for index in code.find((variable.name.text,)) if first <= index < last)


def _find_functions(code: Unit, variable: _Variable) -> Iterator[_Reference]:
    """Yield the references of the functions that mention a variable of a namespace."""
    path = variable.found.namespaces
    while path[-1:] == ("",):  # everybody sees what an unnamed namespace contains
        path = path[:-1]
    is_used = _is_used(code, variable)
    mentions = [*_find_mentions(code, variable)]
    declared = [index for index in code.find((variable.name.text,)) if _declares(code, index)]
    others = {*_list_namespaces(code, declared)}
    for index in mentions:
        around = find_scopes(code).around(code.starts[index])
        outer = next((i for i, scope in enumerate(around) if scope.kind == "block"), len(around))
        here = find_scopes(code).name_namespace(code.starts[index])
        is_inside = here[: len(path)] == path
        if not around[outer:] or not (is_inside or is_used):
            continue
        nearest = max((len(each) for each in others if here[: len(each)] == each), default=-1)
        is_other = nearest > (len(path) if is_inside else -1)
        if is_other or not _is_use(code, index, around, declared):
            continue
        if not _is_hidden(code, around[: outer + 1], declared):
            text, rank = variable.refer(is_nested=False), (is_inside, len(path))
            yield _Reference(around[outer].brace, text, rank)
        yield from _list_nested(code, around, outer + 1, variable, declared)


def _list_namespaces(code: Unit, declared: list[int]) -> Iterator[tuple[str, ...]]:
    """Yield the namespaces that declare a name themselves."""
    for index in declared:
        around = find_scopes(code).around(code.starts[index])
        is_parameter = code.get(code.find_head(index) - 1) in ("(", "[")
        if not is_parameter and all(scope.kind in _OUTSIDE for scope in around):
            yield find_scopes(code).name_namespace(code.starts[index])


def _is_used(code: Unit, variable: _Variable) -> bool:
    """Return whether using-declarations can name a variable, or a namespace around it."""
    words = {variable.name.text, *variable.found.namespaces}
    return any(
        is_own(code, code.starts[index])
        and not words.isdisjoint(code.words[index : code.find_declaration_end(index, ";")])
        for index in code.find(("using",))
    )


def _find_nested_functions(code: Unit, variable: _Variable) -> Iterator[_Reference]:
    """Yield the references of lambdas and functions of local classes that mention a variable."""
    outer = find_scopes(code).around(variable.found.start)
    mentions = [*_find_mentions(code, variable, code.find_close(outer[-1].brace))]
    declared = [index for index in mentions if _declares(code, index)]
    for index in mentions:
        around = find_scopes(code).around(code.starts[index])
        if _is_use(code, index, around, declared):
            yield from _list_nested(code, around, len(outer), variable, declared)


def _list_nested(
    code: Unit, around: list[Scope], first: int, variable: _Variable, declared: list[int]
) -> Iterator[_Reference]:
    for place in range(first, len(around)):
        scope = around[place]
        is_function = around[place - 1].kind == "class" or find_lambda(code, scope) is not None
        if scope.kind != "block" or not is_function:
            continue
        if not _is_hidden(code, around[: place + 1], declared):
            yield _Reference(scope.brace, variable.refer(is_nested=True))


def _is_use(code: Unit, index: int, around: list[Scope], declared: list[int]) -> bool:
    """Return whether a name means what is outside of all functions around it."""
    is_member = code.get(index - 1) in ("::", ".", "->")
    others = (each for each in declared if each != index)
    return not (is_member or index in declared or is_hidden(code, index, others, around))


def _is_hidden(code: Unit, around: list[Scope], declared: list[int]) -> bool:
    """Return whether another declaration hides a name where the last scope starts."""
    return is_hidden(code, code.find_index(around[-1].brace) + 1, declared, around)


def _declares(code: Unit, index: int) -> bool:
    """Return whether a name can be that of a variable or a parameter that is declared there."""
    if not can_declare(code, index):
        return False
    start = code.find_head(index)
    before = code.get(start - 2)
    if code.get(start - 1) == "[":
        is_binding = before in ("auto", "&")
        return is_binding or starts_captures(before, code.words[start])
    if before in _CONDITIONS and code.get(index + 1) == ")":
        return False  # no declaration without an initializer
    first, *others = split_at_commas(code.list_between(start, index)) or [[]]
    if not others:
        return _is_type(first)
    if _is_type(others[-1]):
        return True
    _, name = find_declarator(first)
    return name is not None and name > 0 and all(t.text in _POINTERS for t in others[-1])


def _is_type(tokens: list[Token]) -> bool:
    """Return whether tokens can be a type in front of a name."""
    tokens = [
        token
        for token in drop_template_headers(drop_attributes(tokens))
        if not (token.text in _SPECIFIERS or token.text.startswith(OWN_WORD))
    ]
    if not tokens or tokens[0].text in EXPRESSION:
        return False
    end = find_type_end(tokens, 0)
    return end > 0 and all(token.text in _POINTERS for token in tokens[end:])
