"""Typed adapters for CPU kernels: the rows of ``templates/cpu_adapter.cpp.j2``.

An image's kernels are called from an array of argument addresses.  Calling a function
asks only for types that the platform's ABI passes alike, so the adapter unit declares
structural twins of the kernels' parameter types instead of including their headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kbuild.demangle import demangle, split_function
from kbuild.formats.dwarf import Member, Parameter, ValueType
from kbuild.model import Param

# Larger records go through memory under every supported ABI, whatever their members
# (x86-64 psABI 3.2.3; AAPCS64 6.8.2, whose largest homogeneous aggregate has 64 bytes).
_LARGEST_IN_REGISTERS: Final = 64

_SCALARS: Final = {
    ("signed", 1): "signed char",
    ("signed", 2): "short",
    ("signed", 4): "int",
    ("signed", 8): "long",
    ("signed", 16): "__int128",
    ("unsigned", 1): "unsigned char",
    ("unsigned", 2): "unsigned short",
    ("unsigned", 4): "unsigned int",
    ("unsigned", 8): "unsigned long",
    ("unsigned", 16): "unsigned __int128",
    ("bool", 1): "bool",
    ("float", 2): "_Float16",
    ("float", 4): "float",
    ("float", 8): "double",
    ("float", 16): "long double",
    ("complex", 8): "__complex__ float",
    ("complex", 16): "__complex__ double",
    ("pointer", 8): "void *",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterKernel:
    """A kernel to adapt; ``linkage`` is the code of ``kbuild/cpu_image.h``."""

    symbol: str
    linkage: int
    parameters: tuple[Parameter, ...]


def adapter_rows(
    kernels: tuple[AdapterKernel, ...], shared_arrays: tuple[str, ...]
) -> Mapping[str, Any]:
    """What the template needs: record types in order of use, kernels, shared arrays."""
    records: list[Mapping[str, Any]] = []
    names: dict[ValueType, str] = {}
    rows = []
    for kernel in kernels:
        layout = layout_parameters(kernel)
        types = [_twin(p.type, records, names) for p in kernel.parameters]
        rows.append(
            {
                "symbol": kernel.symbol,
                "linkage": kernel.linkage,
                "types": types,
                "params": layout,
            }
        )
    return {"records": records, "kernels": rows, "shared_arrays": shared_arrays}


def layout_parameters(kernel: AdapterKernel) -> tuple[Param, ...]:
    """Offsets as in a struct of the parameters, the layout that CUDA and HIP use too."""
    _, spelled = split_function(demangle(kernel.symbol))
    if spelled is None or len(spelled) != len(kernel.parameters):
        spelled = tuple(p.type.name for p in kernel.parameters)  # extern "C" says no types
    params = []
    end = 0
    for index, parameter in enumerate(kernel.parameters):
        alignment = parameter.type.alignment
        offset = (end + alignment - 1) // alignment * alignment
        end = offset + parameter.type.size
        params.append(
            Param(
                index=index,
                offset=offset,
                size=parameter.type.size,
                type=spelled[index],
                name=parameter.name,
            )
        )
    return tuple(params)


def _twin(kind: ValueType, records: list[Mapping[str, Any]], names: dict[ValueType, str]) -> str:
    """A C++ type that is passed as ``kind`` is; declares it in ``records`` if need be."""
    if kind.kind not in ("record", "union"):
        return _SCALARS[kind.kind, kind.size]
    if kind not in names:
        members: list[Mapping[str, Any]]
        if kind.size > _LARGEST_IN_REGISTERS:
            members = [{"type": "unsigned char", "count": kind.size, "bit_size": None}]
        else:
            members = [_member(m, records, names) for m in kind.members]
        names[kind] = f"record_{len(records)}"
        records.append(
            {
                "name": names[kind],
                "source_name": kind.name,
                "keyword": "union" if kind.kind == "union" else "struct",
                "size": kind.size,
                "alignment": kind.alignment,
                "members": members,
            }
        )
    return names[kind]


def _member(
    member: Member, records: list[Mapping[str, Any]], names: dict[ValueType, str]
) -> Mapping[str, Any]:
    return {
        "type": _twin(member.type, records, names),
        "count": member.count,
        "bit_size": member.bit_size,
    }
