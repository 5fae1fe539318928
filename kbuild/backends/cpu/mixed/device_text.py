"""The text of the device pass: the whole source, with a table of its device variables.

Host and device share their memory, so the host text defines managed variables as ordinary ones.
In device code they are references, and the runtime sets what they refer to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.contents import REFERENCE_PREFIX, name_apart
from kbuild.backends.host_texts import make_reference
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

_KINDS: Final = {q.DEVICE: 0, q.CONSTANT: 1}  # enum kbuild_variable_kind
_MANAGED: Final = 2
_VISIBILITY: Final = frozenset(("visibility", "__visibility__"))


def edit_device_text(
    text: str, declarations: tuple[Declaration, ...], own_name: str
) -> Iterator[Edit]:
    """Yield the edits that make the text of the device pass of preprocessed text."""
    number = 0
    for found in declarations:
        if q.is_variable_template(found):
            yield from _list_template(text, found)
        if not q.is_variable(found):
            continue
        declarators = tuple(q.list_declarators(found))
        words = {token.text for token in found.head}
        rows = []
        for declarator in declarators:
            if q.MANAGED in found.words:
                label = _name_reference(found, declarator, own_name, is_static="static" in words)
                yield from make_reference(text, found, declarator, label)
                slot = f"kbuild_slot_{number}"
                row = (
                    f'extern void *{slot} __asm__("{label}"); '
                    f"__kbuild_row__({number}, &{slot}, sizeof({declarator.name.text}), {_MANAGED})"
                )
            else:
                kind = max(_KINDS.get(word, 0) for word in found.words)
                address = f"__builtin_addressof({declarator.name.text})"
                row = f"__kbuild_row__({number}, {address}, sizeof({declarator.name.text}), {kind})"
            if "extern" not in words or declarator.is_initialized:
                rows.append(row)
                number += 1
        if q.MANAGED in found.words:
            yield from _make_external(found, words)
        elif _needs_constant(declarators, words) and not _names_function(found, declarators):
            start, end = found.qualifiers[0]
            yield Edit(start=start, end=end, text="__kbuild_initialized__ ")
        yield Edit(start=found.end, end=found.end, text=" ".join(rows))


def expose_kernels(code: Unit, declarations: tuple[Declaration, ...]) -> Iterator[Edit]:
    """Remove the visibility of kernels, which is that of their handles: images export all kernels.

    The qualifier of a kernel sets it, and g++ rejects a second one.
    """
    for found in declarations:
        if q.GLOBAL not in found.words or found.kind != "function":
            continue
        first, last = map(code.find_index, (found.start, found.head_end))
        for index in range(first, last):
            close = code.partners.get(index + 1)
            if code.words[index] in _VISIBILITY and code.get(index + 1) == "(" and close:
                # An attribute that kernels have, because a list in brackets cannot be empty.
                yield Edit(start=code.starts[index], end=code.get_end(close), text="used")


def _needs_constant(declarators: tuple[q.Declarator, ...], words: set[str]) -> bool:
    """Return whether the initializer of a variable must be constant, but does not say so."""
    is_initialized = any(declarator.is_initialized for declarator in declarators)
    return is_initialized and not words & {"constexpr", "constinit"}


def _names_function(found: Declaration, declarators: tuple[q.Declarator, ...]) -> bool:
    """Return whether a variable is a pointer in parentheses, as that to a function.

    g++ 12 takes `constinit` in front of it for that of the result.
    """
    names = {declarator.name.start for declarator in declarators}
    words = [token.text for token in found.head]
    places = (place for place, token in enumerate(found.head) if token.start in names)
    return any(words[place - 2 : place] == ["(", "*"] for place in places)


def _list_template(text: str, found: Declaration) -> Iterator[Edit]:
    """Keep the instances of a variable template, and write its name into the object.

    Raises:
        SourceError: The variables are managed.
    """
    declarators = tuple(q.list_declarators(found))
    words = {token.text for token in found.head}
    if q.MANAGED in found.words:
        raise SourceError(
            f"{locate(text, found.start)}: the cpu backend does not support templates of "
            "__managed__ variables; use __device__, or a variable for each type"
        )
    kind = max(_KINDS.get(word, 0) for word in found.words)
    start, end = found.qualifiers[0]
    initialized = "__kbuild_initialized__ " if _needs_constant(declarators, words) else ""
    yield Edit(start=start, end=end, text=f"{initialized}__attribute__((used))")
    names = (name or "(anonymous namespace)" for name in found.namespaces)
    scope = "".join(f"{name}::" for name in names)
    rows = (f'__kbuild_template__("{scope}{d.name.text}", {kind})' for d in declarators)
    yield Edit(start=found.end, end=found.end, text=" ".join(rows))


def _name_reference(
    found: Declaration, declarator: q.Declarator, own_name: str, *, is_static: bool
) -> str:
    """Return the symbol of the reference, from which the name of the variable can be read."""
    path = ".".join(name for name in (*found.namespaces, declarator.name.text) if name)
    is_internal = is_static or "" in found.namespaces
    symbol = f"{REFERENCE_PREFIX}{path}"
    return name_apart(symbol, own_name) if is_internal else symbol


def _make_external(found: Declaration, words: set[str]) -> Iterator[Edit]:
    yield from q.list_words(found, frozenset(("static", "inline")))
    start, end = found.qualifiers[0]
    yield Edit(start=start, end=end, text="" if "extern" in words else "extern ")
