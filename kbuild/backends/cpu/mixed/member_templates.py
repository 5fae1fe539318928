"""Insert the word ``template`` before member templates, which nvcc does without.

In ``c.f<true>(x)`` and ``C<T>::f<true>(x)``, where the type of ``c`` and ``T`` depend on a template
parameter, C++ takes ``<`` for an operator. The word is also allowed where nothing depends on one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.cxx.model import Edit
from kbuild.cxx.scopes import find_scopes
from kbuild.cxx.unit import Unit

_ACCESS: Final = (".", "->")
_BEFORE_DESIGNATORS: Final = ("{", ",")


def name_member_templates(code: Unit) -> Iterator[Edit]:
    """Yield the edits that insert the word.

    A member can be compared only if it is an object, and then a declaration in the text has another
    token than ``<`` or ``(`` after its name.
    """
    names: dict[str, list[int]] = {}
    for index in (*code.find(_ACCESS), *_list_qualified(code)):
        name = code.get(index + 1)
        if name.isidentifier() and name != "operator" and code.get(index + 2) == "<":
            names.setdefault(name, []).append(index + 1)
    for name, places in names.items():
        if all(_can_be_function(code, index) for index in code.find((name,))):
            for index in places:
                start = code.starts[index]
                yield Edit(start=start, end=start, text="template ")


def _list_qualified(code: Unit) -> Iterator[int]:
    """Yield the colons behind template arguments in bodies: declarations cannot have the word."""
    for index in code.find(("::",)):
        if code.get(index - 1) == ">":
            around = find_scopes(code).around(code.starts[index])
            if around and around[-1].kind == "block":
                yield index


def _can_be_function(code: Unit, index: int) -> bool:
    """Return whether nothing at this mention of a name shows that it is an object or a type."""
    before = code.get(index - 1)
    is_designator = before == "." and code.get(index - 2) in _BEFORE_DESIGNATORS
    if before in ("::", "template", *_ACCESS) and not is_designator:
        return True
    return not is_designator and code.get(index + 1) in ("<", "(")
