"""A Fortran module with one subroutine per kernel.

Source: Fortran 2018, clauses 18.2 and 18.3 (interoperability with C), and 8.5.17 (rank).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kbuild.facts.parameter_types import ArithmeticType, PointerType, VectorType
from kbuild.stages.bindings.model import Bindings, BoundParameter
from kbuild.stages.bindings.names import identifier, make_unique, read_words
from kbuild.stages.render import render

# Fortran has no unsigned types. Their values are passed in signed ones of the same size.
_TYPES: Final = {
    "bool": "logical(c_bool)",
    **dict.fromkeys(("char", "signed char", "unsigned char", "char8_t"), "integer(c_signed_char)"),
    **dict.fromkeys(("short", "unsigned short"), "integer(c_short)"),
    "char16_t": "integer(c_int16_t)",
    **dict.fromkeys(("wchar_t", "char32_t"), "integer(c_int32_t)"),
    **dict.fromkeys(("int", "unsigned int"), "integer(c_int)"),
    **dict.fromkeys(("long", "unsigned long"), "integer(c_long)"),
    **dict.fromkeys(("long long", "unsigned long long"), "integer(c_long_long)"),
    "float": "real(c_float)",
    "double": "real(c_double)",
    "long double": "real(c_long_double)",
}
_LONGEST_NAME: Final = 63
# Names that the template uses in the subroutine of a kernel, and in the module, with those of
# iso_c_binding and of intrinsic procedures.
_LOCAL: Final = read_words(
    """
    grid block shared_bytes stream error arguments c_loc c_null_ptr c_funloc c_int c_size_t
    c_ptr c_bool c_signed_char c_short c_int16_t c_int32_t c_long c_long_long c_float c_double
    c_long_double kbuild_check kbuild_launch kbuild_configure
    """
)
_ENTITIES: Final = _LOCAL | read_words(
    """
    c_char c_int64_t c_funptr c_f_pointer c_f_procpointer size trim transfer present
    kbuild_allocate kbuild_allocate_type kbuild_release kbuild_release_type kbuild_copy
    kbuild_copy_type kbuild_synchronize kbuild_synchronize_type kbuild_error_message
    kbuild_error_message_type kbuild_config kbuild_convert kbuild_descriptor kbuild_dim3
    kbuild_find_runtime kbuild_module kbuild_runtime kbuild_string_length kbuild_to_device
    kbuild_to_host
    """
)


def render_fortran(bindings: Bindings) -> bytes:
    """Generate the module ``<target>_kernels``."""
    module = f"{identifier(bindings.target)}_kernels"
    if not module[0].isalpha():  # no name starts with an underscore or a digit
        module = f"kbuild_{module.lstrip('_')}"
    names = make_unique(
        (_start_with_letter(kernel.name) for kernel in bindings.kernels),
        _ENTITIES | {module.lower()},
        longest=_LONGEST_NAME - len("_handle"),
        ignores_case=True,
    )
    kernels = [
        {
            "name": name,
            "handle": kernel.handle,
            "display": kernel.display,
            "parameters": _describe_parameters(name, kernel.parameters),
        }
        for name, kernel in zip(names, bindings.kernels, strict=True)
    ]
    rows = {
        "target": bindings.target,
        "module": module[:_LONGEST_NAME],
        "descriptor": f"kbuild_module_{identifier(bindings.target)}",
        "kernels": kernels,
        "omitted": bindings.omitted,
    }
    return render("bindings/fortran.f90.j2", rows)


def _start_with_letter(name: str) -> str:
    return name if name[0].isalpha() else f"kernel{name}"


def _describe_parameters(
    kernel: str, parameters: tuple[BoundParameter, ...]
) -> list[Mapping[str, Any]]:
    names = make_unique(
        (_start_with_letter(parameter.name) for parameter in parameters),
        _LOCAL | {kernel.lower(), f"{kernel}_handle".lower()},
        longest=_LONGEST_NAME,
        ignores_case=True,
    )
    return [
        {"name": name, "declaration": _declare(name, parameter), "note": _note(parameter)}
        for name, parameter in zip(names, parameters, strict=True)
    ]


def _declare(name: str, parameter: BoundParameter) -> str:
    """Return the declaration of a dummy argument. Vectors and structures are arrays."""
    kind = parameter.type
    if isinstance(kind, PointerType):
        return f"type(c_ptr), value, target :: {name}"
    if isinstance(kind, VectorType):
        return f"{_TYPES[kind.element.name]}, intent(in), target :: {name}({kind.length})"
    spelled = kind and _TYPES.get(kind.name)
    if spelled is None:
        return f"integer(c_signed_char), intent(in), target :: {name}({parameter.size})"
    return f"{spelled}, value, target :: {name}"


def _note(parameter: BoundParameter) -> str | None:
    is_unsigned = isinstance(parameter.type, ArithmeticType) and parameter.type.kinds == "u"
    return f"{parameter.name}: {parameter.spelled}" if is_unsigned else parameter.note
