"""The host text of a mixed source: kernels without code, and shadows of device variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import ThreadWords, find_thread_words
from kbuild.backends.cpu.mixed.qualifiers import runs_on_host
from kbuild.backends.host_texts import (
    LINKAGE,
    edit_kernel,
    is_own,
    list_extern,
    replace_body,
    replace_qualifier,
)
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Edit, Span
from kbuild.cxx.places import list_outside, skip_arguments
from kbuild.cxx.unit import Unit

_EVALUATED: Final = frozenset(("constexpr", "consteval"))
_NULL: Final = "nullptr"


def edit_host_text(
    code: Unit, declarations: tuple[Declaration, ...], *, is_relocatable: bool = False
) -> Iterator[Edit]:
    """Yield the edits that make a host text of preprocessed text.

    Without a device link, each source has its own device variables, also those that a header
    defines. Their shadows are therefore static. If only one source of the target defines a
    variable, the handles make its shadow available to other host files.
    """
    text = code.text
    shared = frozenset(() if is_relocatable else list_extern(declarations))
    words = find_thread_words(code) if runs_on_host(text) else None
    functions = frozenset(
        found.name for found in declarations if q.is_device_only(found) and found.name
    )
    inline = frozenset(
        found.name
        for found in declarations
        if found.kind == "function" and found.body is None and _is_inline(found)
    )
    for found in declarations:
        if q.is_variable(found) or q.is_variable_template(found):
            yield from _edit_variable(code, found, functions)
            if not is_relocatable and is_own(found, shared) and not found.is_specialization:
                start = found.qualifiers[0][0]  # after attributes, which must be first
                yield Edit(start=start, end=start, text="static ")
        elif q.is_device_only(found) and q.GLOBAL in found.words:
            yield from edit_kernel(text, found)
        elif words is not None and _can_run(code, found, words):
            yield from _edit_callable(found)
        elif found.kind == "function":
            yield from _edit_function(code, found, inline)
    known = {start for found in declarations for start, _ in found.qualifiers}
    for index in code.find((q.CONSTANT, q.MANAGED)):
        start, end = code.starts[index], code.get_end(index)
        if start not in known:  # as with nvcc, nothing that an expression can contain
            yield Edit(start=start, end=end, text="__attribute__(())")


def _is_kept(code: Unit, found: Declaration, body: Span) -> bool:
    """Return whether the function needs its body: to be evaluated, or to find its result type."""
    words = {token.text for token in found.head}
    return (
        bool(_EVALUATED & words) or _is_deduced(code, found, body) or found.initializers is not None
    )


def _is_deduced(code: Unit, found: Declaration, body: Span) -> bool:
    """Return whether the result type follows from the body."""
    first, last = code.find_index(found.start), code.find_index(found.parameters[0])
    words = code.words[first:last]
    # A head contains no `decltype`.
    if not any(token.text == "auto" for token in found.head):
        return ("decltype", "(", "auto") in zip(words, words[1:], words[2:], strict=False)
    start, end = code.find_index(found.parameters[1]) + 1, code.find_index(body[0])
    # A `noexcept` or a constraint can also contain the arrow, in parentheses.
    arrows = [i for i in list_outside(code, start, end) if code.words[i] == "->"]
    return not arrows or "auto" in code.words[arrows[0] : end]


def _is_inline(found: Declaration) -> bool:
    return any(token.text in LINKAGE for token in found.head)


def _edit_function(code: Unit, found: Declaration, inline: frozenset[str]) -> Iterator[Edit]:
    """Yield the edits of a function that is not a kernel.

    Args:
        code: The text.
        found: The function.
        inline: The names of functions that are declared inline without a body.
    """
    text = code.text
    is_free = found.scope != "class" and not found.is_specialization
    # Names of kernels contain the linkage of functions that are template arguments.
    is_static = any(token.text == "static" for token in found.head)
    if found.body is None:
        return
    if not q.is_device_only(found):
        yield replace_qualifier(found, "__kbuild_unused__")
    elif _is_kept(code, found, found.body):
        yield from _edit_callable(found)
    else:
        # A template and its specializations must agree on `gnu_inline`, as declarations must, and
        # need none.
        if is_free and found.name in inline:
            yield from _edit_callable(found)
        elif is_free and (is_static or found.template):
            yield replace_qualifier(found, "__kbuild_unused__")
        elif is_free:
            yield from q.list_words(found, LINKAGE)
            yield replace_qualifier(found, "__kbuild_function__")
        name = found.name.replace("\\", "").replace('"', "")
        stop = f'{{ ::kbuild_cpu::stop_host("{name}"); }}'
        yield from replace_body(text, found, found.body, stop)


def _can_run(code: Unit, found: Declaration, words: ThreadWords) -> bool:
    """Return whether a device function with a body needs nothing that only kernels have."""
    return found.body is not None and q.is_device_only(found) and not words.are_in(code, found.body)


def _edit_callable(found: Declaration) -> Iterator[Edit]:
    """Keep the code of a device function, for host code that needs it.

    Without a device link, each source that includes a header has its own device functions. In host
    code, `inline` allows several definitions of a function. It also lets compilers leave out a
    function that only device code calls. Its code can need symbols that only device code has.
    """
    inline = "" if found.scope == "class" or _is_inline(found) else " inline"
    start, end = found.qualifiers[0]
    yield Edit(start=start, end=end, text=f"__kbuild_unused__{inline}")


def _edit_variable(code: Unit, found: Declaration, functions: frozenset[str]) -> Iterator[Edit]:
    """Keep a variable as its shadow, but without the names of device functions."""
    words = [token.text for token in found.head]
    is_initialized = "=" in words or "{" in words
    if "extern" not in words or is_initialized:
        yield replace_qualifier(found, "__kbuild_shadow__")
    if not is_initialized:
        return
    first = min(words.index(word) for word in ("=", "{") if word in words)
    for token in found.head[first:]:
        if token.text in functions:
            index = code.find_index(token.start)
            start = code.starts[index - (code.words[index - 1] == "&")]
            end = code.get_end(skip_arguments(code, index) - 1)
            yield Edit(start=start, end=end, text=_NULL)
