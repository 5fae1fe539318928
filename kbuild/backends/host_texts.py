"""Make a host text of preprocessed text: the steps that several backends share.

A kernel becomes a function whose code is never emitted and, because a call must be reported, never
inlined. Its address is an undefined symbol, which the handle defines. A function that is only
declared does not work: both compilers reject one without linkage, such as an instance for a lambda.
clang emits functions without linkage; there, the function is the handle, which contains a null
pointer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends import qualifiers as q
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, Span
from kbuild.errors import SourceError

LINKAGE: Final = frozenset(("static", "inline", "__inline__", "__inline", "constexpr"))
STATIC: Final = frozenset(("static",))
# With one of these words, the linkage of a definition must not change.
_OTHER_LINKAGE: Final = frozenset(("static", "extern", "inline"))
_SYSTEM_HEADER: Final = " 3"
# A line marker without flags. Compilers also put them around words from macros of headers.
_USER_MARKER: Final = re.compile(r'^# \d+ "[^\n]*"(?=\n)', re.MULTILINE)


def edit_kernel(text: str, found: Declaration) -> Iterator[Edit]:
    """Yield the edits of the declaration of a kernel; the words that they use are macros."""
    if found.is_instantiation:
        yield Edit(start=found.start, end=found.end, text=_restore(text, found.end))
        return
    if found.scope != "class":
        yield from q.list_words(found, STATIC if found.body is None else LINKAGE)
    if found.body is None:
        return
    kind = "specialization" if found.is_specialization else "kernel"
    yield replace_qualifier(found, f"__kbuild_{kind}__")
    yield from replace_body(text, found, found.body, f"__kbuild_{kind}_body__")


def replace_qualifier(found: Declaration, word: str) -> Edit:
    """Replace the first qualifier of a declaration."""
    start, end = found.qualifiers[0]
    return Edit(start=start, end=end, text=word if start < end else f"{word} ")


def replace_body(text: str, found: Declaration, body: Span, new: str) -> Iterator[Edit]:
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
    """Return a line marker for the text that follows."""
    return f"\n{locate(text, position).marker}\n"


def list_extern(declarations: tuple[Declaration, ...]) -> Iterator[str]:
    """Yield the variables that the text declares for definitions in any file."""
    for found in declarations:
        if q.is_variable(found) and any(token.text == "extern" for token in found.head):
            yield from (declarator.name.text for declarator in q.list_declarators(found))


def is_own(found: Declaration, shared: frozenset[str]) -> bool:
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


def make_reference(
    text: str, found: Declaration, declarator: q.Declarator, label: str
) -> Iterator[Edit]:
    """Yield the edits that declare a reference instead of a variable.

    Args:
        text: The text.
        found: The declaration.
        declarator: The declared name.
        label: The symbol that contains the address of the variable; empty for the name's own.

    Raises:
        SourceError: It is an array without a size.
    """
    name = declarator.name
    following = next((t for t in found.head if t.start > name.start), None)
    after = found.head[found.head.index(following) + 1].text if following else ""
    if following is not None and following.text == "[" and after == "]":
        raise SourceError(
            f"{locate(text, name.start)}: the __managed__ array '{name.text}' has no size; write "
            "the number of its elements between the brackets"
        )
    reference = f"&{name.text}"
    if following is not None and following.text == "[":
        reference = f"({reference})"
    yield Edit(start=name.start, end=name.end, text=reference)
    end = declarator.end.end
    start = declarator.initializer.start if declarator.initializer else end
    newlines = "\n" * text.count("\n", start, end)
    named = f' __asm__("{label}")' if label else ""
    hidden = 'visibility("hidden")'
    yield Edit(start=start, end=end, text=f"{named} __attribute__(({hidden})){newlines}")
