"""Write what stands for a device function that all threads of a set call at once.

For ``T f(T x)``, that is a class with the type of a frame, which has an array for each parameter
and for the results, and with the divided function ``__run``. Two functions have the template header
and the parameters of the original, so that the compiler chooses between overloads, deduces template
arguments, and converts arguments as usual. One of them tells the class. The other one puts the
arguments of a thread into a frame. See ``divided_call`` in ``kbuild_cpu/regions/regions.h``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kbuild.backends.cpu.mixed.regions.model import CannotDivide
from kbuild.backends.cpu.mixed.regions.variables import Reference, find_group, find_reference
from kbuild.backends.cpu.mixed.regions.writing.casts import REGIONS
from kbuild.backends.cpu.mixed.regions.writing.text import (
    FRAME,
    name_parameter,
    name_split,
)
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.rewriting.signatures import (
    Parameter,
    Signature,
    read_signature,
    write_parameters,
)
from kbuild.cxx.tokens import read_tokens
from kbuild.cxx.unit import Unit

# So that a message about an argument names the function that calls.
_CALLER: Final = '# 1 "<kbuild>" 3'
_FRAMED: Final = "template <class __kbuild_frame>"
_SETS: Final = ("__kbuild_callers__", "__kbuild_live__")


def write_split(unit: Unit, found: Declaration, edits: Iterable[Edit]) -> Edit:
    """Return the insertion of what stands for a function, behind it.

    Args:
        unit: The text.
        found: The definition of the function.
        edits: The edits of its body as that of ``__run``, and all others of the text.
    """
    start, end = found.body or (found.end, found.end)
    inside = (e for e in edits if start <= e.start and e.end <= end and e.start < end)
    body = apply_edits(unit.text, inside, (start, end))
    signature = read_signature(found.template, unit.text[slice(*found.parameters)])
    here, there = locate(unit.text, start).marker, locate(unit.text, end).marker
    own = f"{here} 3"  # so that a message about it names the function
    kind = f"__kbuild_split_{found.start}__"
    text = (
        f"\n{own}\nnamespace {{ {_open_class(signature, kind)}\n{here}\n{body}\n{own}\n}}; "
        f"{_write_functions(signature, kind, found.name)}\n{own}\n}} }}\n{there}\n"
    )
    return Edit(start=found.end, end=found.end, text=text)


def check_signature(unit: Unit, found: Declaration) -> None:
    """Raise CannotDivide if a parameter cannot be in an array, or the header is unknown."""
    if found.is_specialization:
        raise CannotDivide("it is specialized")
    signature = read_signature(found.template, unit.text[slice(*found.parameters)])
    for parameter in signature.parameters:
        if parameter.type.count("&") > 1 and not _names_group(parameter):
            raise CannotDivide("a parameter is a reference to temporary objects")
    if signature.header and not signature.header.endswith(">"):
        raise CannotDivide("it has constraints")


def _open_class(signature: Signature, kind: str) -> str:
    """Return the class up to the body of ``__run``."""
    arrays = " ".join(_declare(each) for each in signature.parameters if each.old_name)
    sets = ", ".join(f"[[maybe_unused]] const {REGIONS}set_view {name}" for name in _SETS)
    header = "template <class __kbuild_r__, int __kbuild_most__>"
    base = f"{REGIONS}frame_results<__kbuild_r__, __kbuild_most__>"
    return (
        f"{signature.plain_header} struct {kind} {{ "
        f"{header} struct __frame : {base} {{ {arrays} }}; "
        f"{header} static void __run("
        f"{sets}, [[maybe_unused]] __frame<__kbuild_r__, __kbuild_most__>& {FRAME})"
    ).lstrip()


def _declare(parameter: Parameter) -> str:
    """Return the member of a frame for a parameter."""
    name = name_parameter(parameter.old_name)
    if _names_group(parameter):
        return f"typename {REGIONS}group_of<{parameter.type}>::__type {name};"
    if _find_reference(parameter) is not None:
        kind = f"typename {REGIONS}frame_reference<{parameter.type}>::__type"
        return f"{kind} {name}[__kbuild_most__];"
    kind = f"typename {REGIONS}frame_element<{parameter.type}>::__type"
    return f"{REGIONS}slots<{kind}, __kbuild_most__> {name};"


def _find_reference(parameter: Parameter) -> Reference | None:
    return find_reference(token.text for token in read_tokens(parameter.type))


def _store(parameter: Parameter, number: int) -> str:
    """Return the statement that puts the argument of a thread into a frame."""
    place = f"__kbuild_call.__of.{name_parameter(parameter.old_name)}"
    argument = f"typename __kbuild_frame::template __argument<{number}>"
    if _find_reference(parameter) is None:
        return f"{place}.template bring<{argument}>(__kbuild_number, {parameter.name});"
    return f"{place}[__kbuild_number].template put<{argument}>({parameter.name});"


def _names_group(parameter: Parameter) -> bool:
    return find_group(token.text for token in read_tokens(parameter.type)) is not None


def _write_functions(signature: Signature, kind: str, name: str) -> str:
    """Return the two functions up to the end of the second body."""
    arguments = [f"{each.name}..." if each.is_pack else each.name for each in signature.template]
    instance = f"{kind}<{', '.join(arguments)}>" if arguments else kind
    parameters = "".join(f", {each}" for each in write_parameters(signature.parameters))
    header = signature.header
    framed = f"{header[:-1]}, class __kbuild_frame>" if header else _FRAMED
    stores = " ".join(
        _store(each, number)
        for number, each in enumerate(signature.parameters)
        if each.old_name and not _names_group(each)
    )
    specifiers = "[[maybe_unused]] inline __attribute__((always_inline))"
    return (
        f"{header} {specifiers} {instance} {name_split(name)}({REGIONS}no_frame{parameters}) "
        f"{{ return {{}}; }} {framed} {specifiers} void {name_split(name)}("
        f"const __kbuild_frame __kbuild_call, const {REGIONS}thread_number __kbuild_number"
        f"{parameters}) {{\n{_CALLER}\n{stores}"
    ).lstrip()
