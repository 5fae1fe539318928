"""Typed adapters for CPU kernels: the rows of ``templates/cpu_adapter.cpp.j2``.

An image's kernels are called from an array of argument addresses.  Calling a function
asks only for types that the platform's ABI passes alike, so the adapter unit declares
twins of the kernels' parameter types (:mod:`kbuild.backends.cpu.passing`) instead of
including their headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kbuild.backends.cpu.passing import make_twin
from kbuild.demangle.names import demangle, split_function
from kbuild.formats.dwarf import Parameter, ValueType
from kbuild.model import Param, Variable

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
    ("float", 4): "float",
    ("float", 8): "double",
    ("float", 16): "long double",
    ("complex", 8): "__complex__ float",
    ("complex", 16): "__complex__ double",
    ("complex", 32): "__complex__ long double",
    ("pointer", 8): "void *",
    ("reference", 8): "void *",
}
# Types that are passed like no other of their kind and size, or that not every compiler has.
_NAMED_SCALARS: Final = frozenset(
    ("__float128", "_Float128", "_Float16", "__bf16", "decltype(nullptr)")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterKernel:
    """A kernel to adapt; ``linkage`` is the code of ``kbuild/cpu_image.h``."""

    symbol: str
    linkage: int
    parameters: tuple[Parameter, ...]


def adapter_rows(
    kernels: tuple[AdapterKernel, ...],
    variables: tuple[Variable, ...],
    shared_arrays: tuple[str, ...],
    initialisers: tuple[str, ...] = (),
    *,
    is_x86: bool = True,
) -> Mapping[str, Any]:
    """What the template needs: types in order of use, kernels, symbols to define.

    ``variables`` are those that the host may name, ``shared_arrays`` the ``extern
    __shared__`` arrays, ``initialisers`` functions that do nothing.
    """
    twins = _Twins(is_x86=is_x86)
    rows = []
    for kernel in kernels:
        layout = layout_parameters(kernel)
        types = [twins.name_of(p.type) for p in kernel.parameters]
        rows.append(
            {
                "symbol": kernel.symbol,
                "linkage": kernel.linkage,
                "types": types,
                "params": layout,
            }
        )
    return {
        "records": twins.rows,
        "kernels": rows,
        "variables": variables,
        "shared_arrays": shared_arrays,
        "initialisers": initialisers,
    }


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


def is_known_scalar(value: ValueType) -> bool:
    """Whether the adapter has a word for ``value``, or declares a type in its place."""
    is_declared = value.kind in ("record", "union", "vector") or value.name in _NAMED_SCALARS
    return is_declared or (value.kind, value.size) in _SCALARS


class _Twins:
    """C++ types that are passed as given ones are, and the rows that declare them."""

    def __init__(self, *, is_x86: bool) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self._is_x86 = is_x86
        self._names: dict[ValueType, str] = {}

    def name_of(self, value: ValueType) -> str:
        """The name of a twin of ``value``, declared first if need be."""
        if value.kind in ("record", "union"):
            return self._names.get(value) or self._declare_record(value)
        if value.kind == "vector":
            return self._names.get(value) or self._declare_vector(value)
        if value.name in _NAMED_SCALARS:
            return value.name
        return _SCALARS[value.kind, value.size]

    def _declare_vector(self, value: ValueType) -> str:
        element = self.name_of(value.members[0].type)
        name = self._names[value] = f"vector_{len(self.rows)}"
        self.rows.append({"name": name, "element": element, "size": value.size})
        return name

    def _declare_record(self, value: ValueType) -> str:
        twin = make_twin(value, is_x86=self._is_x86)
        members = [{"type": self.name_of(m.type), "count": m.count} for m in twin.members]
        name = self._names[value] = f"record_{len(self.rows)}"
        self.rows.append(
            {
                "name": name,
                "source_name": value.name,
                "size": value.size,
                "alignment": value.alignment,
                "is_packed": twin.is_packed,
                "members": members,
            }
        )
        return name
