"""Find the declarations of kernels in preprocessed text."""

from __future__ import annotations

from typing import Final, Literal

from kbuild.cxx.declarations import Declaration, find_qualified, list_qualifiers
from kbuild.cxx.heads import find_name
from kbuild.cxx.model import KernelDeclaration
from kbuild.cxx.tokens import join
from kbuild.cxx.unit import Unit

KERNEL_MARKER: Final = "__kbuild_global__"


def find_kernels(unit: Unit, marker: str = KERNEL_MARKER) -> tuple[KernelDeclaration, ...]:
    """Find the declarations of functions whose specifiers contain a marker."""
    return tuple(
        describe_kernel(unit, found)
        for found in find_qualified(unit, frozenset((marker,)))
        if found.kind == "function" and found.name
    )


def describe_kernel(unit: Unit, found: Declaration) -> KernelDeclaration:
    """Describe the declaration of a kernel."""
    requirement = _find_requirement(unit, found)
    return KernelDeclaration(
        start=found.start,
        end=found.end,
        template=f"{found.template} {requirement}" if requirement else found.template,
        is_friend=any(token.text == "friend" for token in found.head),
        name=found.name,
        parameters=unit.text[slice(*found.parameters)],
        form=_read_form(found),
        body=found.body,
        instance=_read_instance(found),
    )


def _read_instance(found: Declaration) -> tuple[str, ...]:
    """Return the qualifiers and the name of the instance that a declaration instantiates."""
    head = list(found.head)
    name = find_name(head)
    if not found.is_instantiation or name is None or head[0].text == "extern":
        return ()
    return (*list_qualifiers(found), join(head[name:]))


def _find_requirement(unit: Unit, found: Declaration) -> str:
    """Return the ``requires`` clause after the parameters."""
    rest = unit.list_tokens(found.parameters[1] + 1, found.head_end)
    words = [token.text for token in rest]
    if "requires" not in words:
        return ""
    return join([token for token in rest[words.index("requires") :] if token.text != ";"])


def _read_form(
    found: Declaration,
) -> Literal["declaration", "qualified", "specialization", "instantiation"]:
    if found.is_specialization:
        return "specialization"
    if found.is_instantiation:
        return "instantiation"
    head = list(found.head)
    name = find_name(head) or 0
    if [token.text for token in head[name + 1 : name + 2]] == ["<"]:
        return "specialization"
    return "qualified" if name and head[name - 1].text == "::" else "declaration"
