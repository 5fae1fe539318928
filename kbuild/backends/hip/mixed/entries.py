"""The kernels and variables of a mixed HIP source for which host code needs handles and shadows."""

from __future__ import annotations

from typing import Final

from kbuild.backends.cpu.mixed.entries import drop_internal_mark, names_local_entity
from kbuild.backends.hip.host import host_name
from kbuild.backends.hip.image import list_variables, read_image
from kbuild.backends.hip.mixed.names import name_label
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.model import Kernel, Variable

# Variables of functions, and what compilers generate.
_WITHOUT_SHADOW: Final = ("_ZZ", "_ZT", "_ZG", "__")


def list_entries(unit: CompileUnit) -> Entries:
    """List the entries of a finished device pass."""
    image = unit.output.with_name(unit.output.name + ".hsaco")
    data = image.read_bytes()
    return Entries(
        kernels=tuple(map(_describe_kernel, read_image(data).kernels)),
        variables=tuple(
            _describe_variable(variable, is_relocatable=unit.relocatable)
            for variable in list_variables(data)
            if _has_shadow(variable)
        ),
        follows_assembly=True,
    )


def _has_shadow(variable: Variable) -> bool:
    """Return whether host code can name the variable: not those of functions and templates."""
    return (
        variable.linkage != "internal"
        and not variable.name.startswith(_WITHOUT_SHADOW)
        and "<" not in variable.display
    )


def _describe_kernel(kernel: Kernel) -> KernelEntry:
    own = host_name(kernel.name)
    symbol = drop_internal_mark(own)
    return KernelEntry(
        device_name=kernel.name,
        expression=None,
        linkage=kernel.linkage,
        symbol=None if symbol == kernel.name else symbol,
    )


def _describe_variable(variable: Variable, *, is_relocatable: bool) -> VariableEntry:
    own = host_name(variable.name)
    is_internal = own != variable.name or names_local_entity(own) or drop_internal_mark(own) != own
    is_managed = variable.kind == "managed"
    symbol = own
    if not is_relocatable and (is_managed or not is_internal):
        *namespaces, name = variable.display.split("::")
        symbol = name_label(tuple(namespaces), name)
    return VariableEntry(
        device_name=variable.name,
        expression=None,
        kind=variable.kind,
        size=variable.size,
        linkage="internal" if is_internal else "external",
        symbol=None if symbol == variable.name else symbol,
        initial_offset=variable.initial_offset,
    )
