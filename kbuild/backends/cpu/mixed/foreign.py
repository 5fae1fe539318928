"""Find the device functions that another source can define, for sources with a device link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.launch_bounds import identify
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Span
from kbuild.cxx.unit import Unit

# The flag 3 of a line marker says that the lines are those of a header of the system.
_SYSTEM_MARKER: Final = re.compile(r'#(?: |line )\d+ "(?:\\.|[^"\\\n])*".* 3\b.*')
_MARKER: Final = re.compile(r"#(?: |line )\d+ .*")


def find_foreign(code: Unit, declarations: tuple[Declaration, ...]) -> frozenset[str] | None:
    """Return the names of device functions without a definition in the text.

    The result is None if device code could call others, too: if the project's own files mention
    pointers to functions, or have virtual functions for devices.
    """
    marked = [
        found for found in declarations if found.kind == "function" and q.DEVICE in found.words
    ]
    if any(token.text == "virtual" for found in marked for token in found.head):
        return None
    if any(_names_function_pointer(code, span) for span in _list_own_files(code)):
        return None
    defined = {identify(code, found) for found in marked if found.body is not None}
    return frozenset(
        found.name
        for found in marked
        if found.body is None and identify(code, found) not in defined
    )


def _list_own_files(code: Unit) -> Iterator[Span]:
    """Yield the parts of the text that come from files of the project."""
    markers = [each for each in code.directives if _MARKER.match(each.text)]
    ends = (*(each.start for each in markers[1:]), len(code.text))
    for marker, end in zip(markers, ends, strict=False):
        if not _SYSTEM_MARKER.fullmatch(marker.text):
            yield marker.end, end


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
