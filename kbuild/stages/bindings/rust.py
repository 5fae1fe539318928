"""A Rust module with the handles of kernels, and one checked method per kernel.

Source: The Rust Reference, "Keywords", "External blocks", and "Type layout".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kbuild.facts.parameter_types import ArithmeticType, PointerType, VectorType
from kbuild.stages.bindings.model import Bindings, BoundParameter
from kbuild.stages.bindings.names import identifier, make_unique, read_words
from kbuild.stages.render import render

# The editions that `render_rust` can write for. Since the second, external blocks are `unsafe`.
EDITIONS: Final = (2021, 2024)
# Strict, reserved, and weak keywords, and the names in the methods.
_RESERVED: Final = read_words(
    """
    as async await break const continue crate dyn else enum extern false fn for gen if impl in
    let loop match mod move mut pub ref return self Self static struct super trait true try
    type union unsafe use where while abstract become box do final macro override priv typeof
    unsized virtual yield config arguments handle assume_correct kbuild_launch kbuild_module
    None Some Ok Err TO_DEVICE TO_HOST
    """
)
_TYPES: Final = {
    "bool": "bool",
    "char": "c_char",
    "signed char": "i8",
    **dict.fromkeys(("unsigned char", "char8_t"), "u8"),
    "short": "i16",
    **dict.fromkeys(("unsigned short", "char16_t"), "u16"),
    **dict.fromkeys(("int", "wchar_t"), "i32"),
    **dict.fromkeys(("unsigned int", "char32_t"), "u32"),
    **dict.fromkeys(("long", "long long"), "i64"),
    **dict.fromkeys(("unsigned long", "unsigned long long"), "u64"),
    "float": "f32",
    "double": "f64",
}


def render_rust(bindings: Bindings, edition: int) -> bytes:
    """Generate the text of the module for one of the `EDITIONS`, or an older one."""
    names = make_unique((kernel.name for kernel in bindings.kernels), _RESERVED)
    kernels = [
        {
            "name": name,
            "handle": kernel.handle,
            "display": kernel.display,
            "parameters": _describe_parameters(kernel.parameters),
        }
        for name, kernel in zip(names, bindings.kernels, strict=True)
    ]
    rows = {
        "target": bindings.target,
        "descriptor": f"kbuild_module_{identifier(bindings.target)}",
        "external": 'unsafe extern "C"' if edition >= EDITIONS[1] else 'extern "C"',
        "kernels": kernels,
        "omitted": bindings.omitted,
    }
    return render("bindings/rust.rs.j2", rows)


def _describe_parameters(parameters: tuple[BoundParameter, ...]) -> list[Mapping[str, Any]]:
    names = make_unique((parameter.name for parameter in parameters), _RESERVED)
    return [_describe(name, p) for name, p in zip(names, parameters, strict=True)]


def _describe(name: str, parameter: BoundParameter) -> Mapping[str, Any]:
    """Return the type of a parameter, and the value whose address the launch gets."""
    kind = parameter.type
    row = {"name": name, "note": parameter.note, "generic": None, "value": name}
    if isinstance(kind, PointerType):
        element = _spell_pointee(kind.pointee)
        reference = "&" if kind.is_to_const else "&mut "
        row["generic"] = None if element else f"T{parameter.name}"
        row["type"] = f"{reference}DeviceBuffer<{element or row['generic']}>"
        row["value"] = f"{name}.pointer"
    elif isinstance(kind, VectorType):
        row["type"] = f"[{_TYPES[kind.element.name]}; {kind.length}]"
    else:
        row["type"] = (kind and _TYPES.get(kind.name)) or f"[u8; {parameter.size}]"
    return row


def _spell_pointee(pointee: ArithmeticType | None) -> str | None:
    """Return the type of the elements of a buffer; None if they can be of any type.

    Device code can store any byte as a bool, so bools are read as bytes.
    """
    if pointee is None:
        return None
    return "u8" if pointee.name == "bool" else _TYPES.get(pointee.name)
