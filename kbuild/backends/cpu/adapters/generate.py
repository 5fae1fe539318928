"""Typed adapters for CPU kernels: the rows of ``templates/cpu_adapter.cpp.j2``.

The runtime calls a kernel with an array of argument addresses, so an adapter must call the kernel
with typed arguments. A call needs only types that the platform's ABI passes in the same way.
Therefore, the adapter unit does not include the headers of a kernel's parameter types. It declares
ABI-equivalent types instead (see :mod:`kbuild.backends.cpu.adapters.passing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kbuild.backends.cpu.adapters.passing import make_equivalent
from kbuild.backends.cpu.contents import REFERENCE_PREFIX
from kbuild.demangle.names import demangle, split_function
from kbuild.formats.dwarf import Parameter, ValueType
from kbuild.model import Param, Variable
from kbuild.values import dataclass

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
# Types that no other type of the same kind and size can replace, or that some compilers lack.
_NAMED_SCALARS: Final = frozenset(
    ("__float128", "_Float128", "_Float16", "__bf16", "decltype(nullptr)")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterKernel:
    """A kernel to adapt.

    ``linkage`` is its code in ``kbuild/cpu_image.h``, ``max_threads`` its launch bound, or 0,
    ``execution`` how the threads of a block run, and ``cluster`` the code of the size of its
    clusters, or 0.
    """

    symbol: str
    linkage: int
    parameters: tuple[Parameter, ...]
    max_threads: int = 0
    execution: str = ""
    cluster: int = 0


def adapter_rows(
    kernels: tuple[AdapterKernel, ...],
    variables: tuple[Variable, ...],
    *,
    is_x86: bool = True,
    is_instrumented: bool = False,
    has_atomics: bool = False,
) -> Mapping[str, Any]:
    """Return the template's rows: types in order of use, kernels, and symbols to define.

    Args:
        kernels: The kernels to adapt.
        variables: The variables that the host can name.
        is_x86: Whether the image is for x86-64.
        is_instrumented: Whether the kernels call the functions of checks.
        has_atomics: Whether they call those of atomic accesses, too.
    """
    abi_types = _AbiTypes(is_x86=is_x86)
    rows = []
    for kernel in kernels:
        layout = layout_parameters(kernel)
        types = [abi_types.name_of(p.type) for p in kernel.parameters]
        rows.append(
            {
                "symbol": kernel.symbol,
                "linkage": kernel.linkage,
                "max_threads": kernel.max_threads,
                "execution": kernel.execution,
                "cluster": kernel.cluster,
                "types": types,
                "params": layout,
            }
        )
    return {
        "is_instrumented": is_instrumented,
        "has_atomics": has_atomics,
        "records": abi_types.rows,
        "kernels": rows,
        "variables": [
            {
                "name": variable.name,
                "size": variable.size,
                "kind": variable.kind,
                "is_reference": variable.name.startswith(REFERENCE_PREFIX),
            }
            for variable in variables
        ],
    }


def layout_parameters(kernel: AdapterKernel) -> tuple[Param, ...]:
    """Lay out the parameters as members of a struct, as CUDA and HIP do too."""
    _, spelled = split_function(demangle(kernel.symbol))
    if spelled is None or len(spelled) != len(kernel.parameters):
        spelled = tuple(p.type.name for p in kernel.parameters)  # an extern "C" name
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
    """Return whether the adapter can spell the type of ``value``, or declares one for it."""
    is_declared = value.kind in ("record", "union", "vector") or value.name in _NAMED_SCALARS
    return is_declared or (value.kind, value.size) in _SCALARS


class _AbiTypes:
    """ABI-equivalent C++ types, and the rows that declare them."""

    def __init__(self, *, is_x86: bool) -> None:
        self.rows: list[Mapping[str, Any]] = []
        self._is_x86 = is_x86
        self._names: dict[ValueType, str] = {}

    def name_of(self, value: ValueType) -> str:
        """Return the name of a type that is ABI-equivalent to ``value``, and declare it."""
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
        equivalent = make_equivalent(value, is_x86=self._is_x86)
        members = [{"type": self.name_of(m.type), "count": m.count} for m in equivalent.members]
        name = self._names[value] = f"record_{len(self.rows)}"
        self.rows.append(
            {
                "name": name,
                "source_name": value.name,
                "size": value.size,
                "alignment": value.alignment,
                "is_packed": equivalent.is_packed,
                "is_by_reference": value.is_by_reference,
                "members": members,
            }
        )
        return name
