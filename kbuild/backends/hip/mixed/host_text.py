"""The host text of a mixed HIP source: kernels without code, and shadows of device variables.

clang registers every kernel and device variable that a host text defines. Therefore, this
module turns kernels into ordinary functions without code, and device variables into ordinary ones.
Device functions stay as they are, because clang generates no code for them in host code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild import resources
from kbuild.backends import qualifiers as q
from kbuild.backends.hip.mixed.names import name_label
from kbuild.backends.host_texts import (
    edit_kernel,
    is_own,
    list_extern,
    make_reference,
    replace_qualifier,
)
from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText
from kbuild.cxx.tokens import match_angle
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

_ATTRIBUTES: Final = ("amdgpu_", "__amdgpu_")  # how the names start
_REFERENCES: Final = ("texture", "surface")


def read_text(code: Unit, *, is_relocatable: bool = False) -> HostText:
    """Find the kernels and launches in preprocessed text.

    Raises:
        SourceError: The text contains a variable that cannot be registered.
    """
    declarations = find_qualified(code, q.QUALIFIERS)
    _reject_references(code)
    edits = (_define_qualifiers(), *_edit(code, declarations, is_relocatable=is_relocatable))
    return HostText(kernels=find_kernels(code), launches=find_launches(code), edits=edits)


def _define_qualifiers() -> Edit:
    path = resources.native_directory() / "device" / "hip" / "mixed" / "host_text.h"
    return Edit(start=0, end=0, text=path.read_text())


def _reject_references(code: Unit) -> None:
    for index in code.find(_REFERENCES):
        kind, start = code.words[index], code.find_head(index)
        if code.words[start:index] not in ([], ["static"]) or code.get(index + 1) != "<":
            continue
        end = code.find_declaration_end(index, ";") or index
        tokens = code.list_between(index, end)
        close = match_angle(tokens, 1)
        name = tokens[close + 1] if close is not None else tokens[0]
        place = locate(code.text, code.starts[index])
        if close is not None and name.is_word and not place.is_system:
            raise SourceError(
                f"{place}: the {kind} reference '{name.text}' cannot be registered; use a "
                f"{kind} object (hip{kind.capitalize()}Object_t)"
            )


def _edit(
    code: Unit, declarations: tuple[Declaration, ...], *, is_relocatable: bool
) -> Iterator[Edit]:
    text = code.text
    shared = frozenset(() if is_relocatable else list_extern(declarations))
    for found in declarations:
        if q.is_variable(found):
            yield from _edit_variable(text, found, shared, is_relocatable=is_relocatable)
        elif found.kind == "function" and q.GLOBAL in found.words:
            yield from edit_kernel(text, found)
            yield from _remove_attributes(code, found)
        elif _is_class_variable(found):
            place = locate(text, found.start)
            if not place.is_system:
                raise SourceError(
                    f"{place}: the device variable is a member of a class, which kbuild cannot "
                    "register; make it a variable of a namespace"
                )


def _remove_attributes(code: Unit, found: Declaration) -> Iterator[Edit]:
    """Yield the edits that remove attributes that only kernels can have."""
    end = found.parameters[0] if found.body is None else found.body[0]
    first, last = map(code.find_index, (found.start, end))
    for index in range(first, last):
        close = code.partners.get(index + 1)
        is_own = code.words[index] == "__attribute__" and code.get(index + 3).startswith(
            _ATTRIBUTES
        )
        if is_own and close is not None:
            yield Edit(start=code.starts[index], end=code.get_end(close), text="")


def _is_class_variable(found: Declaration) -> bool:
    return found.kind == "variable" and found.scope == "class" and not found.template


def _edit_variable(
    text: str, found: Declaration, shared: frozenset[str], *, is_relocatable: bool
) -> Iterator[Edit]:
    """Yield the edits that make a variable its own shadow, or a managed one a reference."""
    words = {token.text for token in found.head}
    declarators = tuple(q.list_declarators(found))
    (_, *others) = found.qualifiers
    yield from (Edit(start=start, end=end, text="") for start, end in others)
    if q.MANAGED in found.words:
        yield from q.list_words(found, frozenset(("static", "inline")))
        yield replace_qualifier(found, "" if "extern" in words else "extern")
        for declarator in declarators:
            label = "" if is_relocatable else name_label(found.namespaces, declarator.name.text)
            yield from make_reference(text, found, declarator, label)
        return
    is_definition = "extern" not in words or any(d.is_initialized for d in declarators)
    word = "__kbuild_shadow__" if is_definition else ""
    if is_relocatable or not is_own(found, shared):
        yield replace_qualifier(found, word)
        return
    yield replace_qualifier(found, f"static {word}")
    for declarator in declarators:
        place = declarator.initializer.start if declarator.initializer else declarator.end.end
        label = name_label(found.namespaces, declarator.name.text)
        yield Edit(start=place, end=place, text=f' __asm__("{label}")')
