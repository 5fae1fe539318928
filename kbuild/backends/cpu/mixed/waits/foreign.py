"""Find the device functions that another source can define, for sources with a device link."""

from __future__ import annotations

from kbuild.backends import qualifiers as q
from kbuild.backends.cpu.mixed.launch_bounds import identify
from kbuild.backends.cpu.mixed.mentions import list_own_files
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit


def find_foreign(code: Unit, declarations: tuple[Declaration, ...]) -> frozenset[str]:
    """Return the names of device functions without a definition in the text."""
    marked = [
        found for found in declarations if found.kind == "function" and q.DEVICE in found.words
    ]
    defined = {identify(code, found) for found in marked if found.body is not None}
    return frozenset(
        found.name
        for found in marked
        if found.body is None and identify(code, found) not in defined
    )


def names_pointers(code: Unit, declarations: tuple[Declaration, ...]) -> bool:
    """Return whether device code can call functions of other sources through pointers.

    Then the project's own files mention pointers to functions, or have virtual functions.
    """
    heads = (found.head for found in declarations if q.DEVICE in found.words)
    has_virtual = any(token.text == "virtual" for head in heads for token in head)
    return has_virtual or any(_names_function_pointer(code, span) for span in list_own_files(code))


def _names_function_pointer(code: Unit, span: Span) -> bool:
    """Return whether a part contains ``(*NAME)(``, a declaration or a call, or ``(*)(``."""
    words = code.words[slice(*map(code.find_index, span))]
    for index, word in enumerate(words):
        if word != "*" or index == 0 or words[index - 1] not in ("(", "::"):
            continue
        after = index + 1
        while words[after : after + 1] == ["const"]:
            after += 1
        if words[after : after + 1] == ["this"]:
            continue
        after += words[after : after + 1] != [")"]
        if words[after : after + 2] == [")", "("]:
            return True
    return False
