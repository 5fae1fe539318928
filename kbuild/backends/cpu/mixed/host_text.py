"""The host text of a mixed source: kernels without code, and shadows of device variables.

A kernel becomes a function without code that the compiler never emits, so that its address is an
undefined symbol. The handle defines this symbol. A function that is only declared does not work:
both compilers reject one without linkage, such as an instance for a lambda. clang emits functions
without linkage; there, the function is the handle, which contains a null pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.thread_words import ONLY_IN_KERNELS
from kbuild.cxx.lines import locate
from kbuild.cxx.mentions import list_words
from kbuild.cxx.model import Edit, Span
from kbuild.cxx.qualified import Declaration
from kbuild.cxx.tokens import Token

_LINKAGE: Final = frozenset(("static", "inline", "__inline__", "__inline", "constexpr"))
_STATIC: Final = frozenset(("static",))
# With one of these words, the linkage of a definition must not change.
_OTHER_LINKAGE: Final = frozenset(("static", "extern", "inline"))
_EVALUATED: Final = frozenset(("constexpr", "consteval"))
_SYSTEM_HEADER: Final = " 3"
_NULL: Final = "nullptr"
# A line marker without flags. Compilers also put them around words from macros of headers.
_USER_MARKER: Final = re.compile(r'^# \d+ "[^\n]*"(?=\n)', re.MULTILINE)


def edit_host_text(
    text: str, declarations: tuple[Declaration, ...], *, is_relocatable: bool = False
) -> Iterator[Edit]:
    """Yield the edits that make a host text of preprocessed text.

    Without a device link, each source has its own device variables, also those that a header
    defines. Their shadows are therefore static. If only one source of the target defines a
    variable, the handles make its shadow available to other host files.
    """
    shared = frozenset(() if is_relocatable else _list_extern(declarations))
    has_callers = q.runs_on_host(text)
    functions = frozenset(
        found.name for found in declarations if q.is_device_only(found) and found.name
    )
    for found in declarations:
        if q.is_variable(found):
            yield from _edit_variable(found, functions)
            if not is_relocatable and _is_own(found, shared):
                start = found.qualifiers[0][0]  # after attributes, which must be first
                yield Edit(start=start, end=start, text="static ")
        elif q.is_device_only(found) and q.GLOBAL in found.words:
            yield from _edit_kernel(text, found)
        elif found.kind == "function" and has_callers and _can_run(text, found):
            yield from _edit_callable(found)
        elif found.kind == "function":
            yield from _edit_function(text, found)


def _edit_kernel(text: str, found: Declaration) -> Iterator[Edit]:
    if found.is_instantiation:
        yield Edit(start=found.start, end=found.end, text=_restore(text, found.end))
        return
    if found.scope != "class":
        yield from q.list_words(found, _STATIC if found.body is None else _LINKAGE)
    if found.body is None:
        return
    kind = "specialization" if _is_specialization(found) else "kernel"
    yield _replace_qualifier(found, f"__kbuild_{kind}__")
    yield from _replace_body(text, found, found.body, f"__kbuild_{kind}_body__")


def _is_specialization(found: Declaration) -> bool:
    return found.template.replace(" ", "") == "template<>"


def _is_kept(found: Declaration) -> bool:
    """Return whether the function needs its body: to be evaluated, or to find its result type."""
    words = [token.text for token in found.head]
    has_deduced_type = "auto" in words or "decltype" in words
    return bool(_EVALUATED & set(words)) or has_deduced_type or found.initializers is not None


def _edit_function(text: str, found: Declaration) -> Iterator[Edit]:
    is_free = found.scope != "class" and not _is_specialization(found)
    # Names of kernels contain the linkage of functions that are template arguments.
    is_static = any(token.text == "static" for token in found.head)
    if found.body is None:
        return
    if not q.is_device_only(found) or _is_kept(found):
        # Perhaps only device code uses it.
        yield _replace_qualifier(found, "__kbuild_unused__")
    else:
        if is_free and is_static:
            yield _replace_qualifier(found, "__kbuild_unused__")
        elif is_free:
            yield from q.list_words(found, _LINKAGE)
            yield _replace_qualifier(found, "__kbuild_function__")
        name = found.name.replace("\\", "").replace('"', "")
        stop = f'{{ ::kbuild_cpu::stop_host("{name}"); }}'
        yield from _replace_body(text, found, found.body, stop)


def _can_run(text: str, found: Declaration) -> bool:
    """Return whether a device function with a body needs nothing that only kernels have."""
    return (
        found.body is not None
        and q.is_device_only(found)
        and not list_words(text, ONLY_IN_KERNELS, inside=found.body)
    )


def _edit_callable(found: Declaration) -> Iterator[Edit]:
    """Keep a device function that host code can call.

    Without a device link, each source that includes a header has its own device functions. In host
    code, `inline` allows several definitions of a function.
    """
    words = {token.text for token in found.head}
    is_free = found.scope != "class" and not _is_specialization(found)
    inline = " inline" if is_free and words.isdisjoint(_LINKAGE) else ""
    start, end = found.qualifiers[0]
    yield Edit(start=start, end=end, text=f"__kbuild_unused__{inline}")


def _replace_qualifier(found: Declaration, word: str) -> Edit:
    start, end = found.qualifiers[0]
    return Edit(start=start, end=end, text=word)


def _replace_body(text: str, found: Declaration, body: Span, new: str) -> Iterator[Edit]:
    """Replace the body, and let compilers take the declaration for one of a system header.

    They do not warn about such declarations, but errors still name the line.
    """
    place = locate(text, found.start)
    line = f'\n# {place.line} "{place.file}"{place.flags or _SYSTEM_HEADER}\n'
    yield Edit(start=found.start, end=found.start, text=line)
    start, end = body
    for marker in _USER_MARKER.finditer(text, found.start, start):
        yield Edit(start=marker.end(), end=marker.end(), text=_SYSTEM_HEADER)
    yield Edit(start=start, end=end, text=f"{new}{_restore(text, end)}")


def _restore(text: str, position: int) -> str:
    """Return a line marker for what follows."""
    return f"\n{locate(text, position).marker}\n"


def _edit_variable(found: Declaration, functions: frozenset[str]) -> Iterator[Edit]:
    """Keep a variable as its shadow, but without the names of device functions."""
    words = [token.text for token in found.head]
    is_initialized = "=" in words or "{" in words
    if "extern" not in words or is_initialized:
        yield _replace_qualifier(found, "__kbuild_shadow__")
    if not is_initialized:
        return
    first = min(words.index(word) for word in ("=", "{") if word in words)
    yield from _replace_functions(found.head[first:], functions)


def _list_extern(declarations: tuple[Declaration, ...]) -> Iterator[str]:
    """Yield the variables that the text declares for definitions in any file."""
    for found in declarations:
        if q.is_variable(found) and any(token.text == "extern" for token in found.head):
            yield from (declarator.name.text for declarator in q.list_declarators(found))


def _is_own(found: Declaration, shared: frozenset[str]) -> bool:
    """Return whether a declaration can define variables for its source only.

    Host and device share managed variables. Those with C linkage have the same name in all files.
    """
    words = {token.text for token in found.head}
    return (
        q.MANAGED not in found.words
        and found.scope != "language"
        and "" not in found.namespaces
        and words.isdisjoint(_OTHER_LINKAGE)
        and shared.isdisjoint(declarator.name.text for declarator in q.list_declarators(found))
    )


def _replace_functions(tokens: tuple[Token, ...], functions: frozenset[str]) -> Iterator[Edit]:
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.text not in functions:
            index += 1
            continue
        before = tokens[index - 1]
        start = before.start if before.text == "&" else token.start
        end, index = _find_name_end(tokens, index)
        yield Edit(start=start, end=end, text=_NULL)


def _find_name_end(tokens: tuple[Token, ...], index: int) -> tuple[int, int]:
    """Return the position and the index after a name with template arguments."""
    depth = 0
    end = tokens[index].end
    for current in range(index + 1, len(tokens)):
        depth += (tokens[current].text == "<") - (tokens[current].text == ">")
        if depth == 0 and tokens[current].text != ">":
            return end, current
        end = tokens[current].end
    return end, len(tokens)
