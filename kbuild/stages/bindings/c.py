"""The C header of a target, with one function per kernel that checks the argument types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kbuild.demangle.names import split_function
from kbuild.facts.parameter_types import PointerType, VectorType
from kbuild.stages.bindings.model import Bindings, BoundParameter
from kbuild.stages.bindings.names import identifier, make_unique, read_words
from kbuild.stages.render import render

# Words of C and C++ that no parameter can have as its name, and the names in the launch functions.
_RESERVED: Final = read_words(
    """
    config arguments kbuild_launch
    asm auto bool break case catch char class const continue default delete do
    double else enum explicit extern false float for friend goto if inline int long mutable
    namespace new operator private protected public register restrict return short signed sizeof
    static struct switch template this throw true try typedef typename union unsigned using
    virtual void volatile while
    """
)
# C has no such types. Values of these are passed alike; None if no type of C is.
_TYPES: Final[dict[str, str | None]] = {
    "char8_t": "unsigned char",
    "char16_t": "uint16_t",
    "char32_t": "uint32_t",
    "wchar_t": "int32_t",
    "_Float16": None,
    "pointer": None,
}


def render_c_header(bindings: Bindings, host_header: str | None) -> bytes:
    """Generate the header for C hosts.

    It declares each kernel without its parameters, for `kbuild_launch`, and defines a function
    that launches it with typed arguments.

    Args:
        bindings: The kernels.
        host_header: The header of the backend's host API, if it has one.
    """
    qualified = [split_function(kernel.display)[0] for kernel in bindings.kernels]
    # C has no overloads, so they are declared by their symbols.
    names = [
        identifier(name if qualified.count(name) == 1 else kernel.handle)
        for kernel, name in zip(bindings.kernels, qualified, strict=True)
    ]
    rows = [
        {
            "name": name,
            "symbol": kernel.handle,
            "display": kernel.display,
            "launcher": f"launch_{kernel.name}",
            "parameters": _describe_parameters(name, kernel.parameters),
            "notes": [p.note for p in kernel.parameters if p.note],
        }
        for kernel, name in zip(bindings.kernels, names, strict=True)
    ]
    context = {"target": bindings.target, "host_header": host_header, "kernels": rows}
    return render("kernels.h.j2", context)


def _describe_parameters(
    kernel: str, parameters: tuple[BoundParameter, ...]
) -> list[Mapping[str, Any]]:
    # A parameter can have the name of the kernel, which would hide it.
    names = make_unique((parameter.name for parameter in parameters), _RESERVED | {kernel})
    return [_describe(name, p) for name, p in zip(names, parameters, strict=True)]


def _describe(name: str, parameter: BoundParameter) -> Mapping[str, Any]:
    """Return the declaration of a parameter, and the address of its value.

    Vectors and structures are arrays of their elements or bytes.
    """
    kind = parameter.type
    if isinstance(kind, PointerType):
        const = "const " if kind.is_to_const else ""
        declaration = f"{const}{_spell_pointee(kind)} *{name}"
        return {"declaration": declaration, "address": f"(void *)&{name}"}
    if isinstance(kind, VectorType):
        element = _TYPES.get(kind.element.name, kind.element.name)
        return {
            "declaration": f"const {element} {name}[{kind.length}]",
            "address": f"(void *){name}",
        }
    spelled = None if kind is None else _TYPES.get(kind.name, kind.name)
    if spelled is None:
        declaration = f"const unsigned char {name}[{parameter.size}]"
        return {"declaration": declaration, "address": f"(void *){name}"}
    return {"declaration": f"{spelled} {name}", "address": f"(void *)&{name}"}


def _spell_pointee(pointer: PointerType) -> str:
    """Return the type behind a pointer. Structures and pointers have no name in C."""
    if pointer.pointee is None:
        return "void"
    return _TYPES.get(pointer.pointee.name, pointer.pointee.name) or "void"
