"""The kernels and variables of a mixed HIP source for which host code needs handles and shadows."""

from __future__ import annotations

from typing import Final

from kbuild.backends.hip.build import name_listed_object
from kbuild.backends.hip.host import host_name
from kbuild.backends.hip.image import list_variables, read_image
from kbuild.backends.hip.mixed.names import name_label
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.demangle.linkage import drop_internal_mark, names_local_entity
from kbuild.model import InitialContent, Kernel, Variable

# Variables of functions, and what compilers generate.
_WITHOUT_SHADOW: Final = ("_ZZ", "_ZT", "_ZG", "__")


def list_entries(unit: CompileUnit) -> Entries:
    """List the entries of a finished device pass."""
    data = name_listed_object(unit).read_bytes()
    return Entries(
        kernels=tuple(map(_describe_kernel, read_image(data).kernels)),
        variables=tuple(
            _describe_variable(variable, unit)
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


def _describe_variable(variable: Variable, unit: CompileUnit) -> VariableEntry:
    own = host_name(variable.name)
    is_internal = own != variable.name or names_local_entity(own) or drop_internal_mark(own) != own
    is_managed = variable.kind == "managed"
    symbol = own
    if not unit.relocatable and (is_managed or not is_internal):
        *namespaces, name = variable.display.split("::")
        symbol = name_label(tuple(namespaces), name)
    return VariableEntry(
        device_name=variable.name,
        expression=None,
        kind=variable.kind,
        size=variable.size,
        linkage="internal" if is_internal else "external",
        symbol=None if symbol == variable.name else symbol,
        initial=_find_initial(variable, unit),
    )


def _find_initial(variable: Variable, unit: CompileUnit) -> InitialContent | None:
    if variable.initial_offset is None:
        return None
    return InitialContent(
        path=name_listed_object(unit), offset=variable.initial_offset, size=variable.size
    )
