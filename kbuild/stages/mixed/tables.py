"""Build the kernel table and the variable table of mixed sources from their entries.

The host text of each source defines its own handles and shadows. The stub unit refers to handles
that other files can name by their names, so that all files agree even after a copy relocation. It
refers to the others through hidden aliases, and to shadows, and the handles of instances of
templates, through slots with their addresses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from kbuild.backends.interface.mixed import Entries, KernelEntry, VariableEntry
from kbuild.demangle.stub_names import name_stub
from kbuild.errors import SourceError
from kbuild.model import InitialContent, Kernel, KernelRecord, Variable, VariableRecord
from kbuild.stages.edges import MixedSource
from kbuild.stages.stubs.kernel_table import SourceImages, find_common_kernels
from kbuild.stages.stubs.symbols import SymbolTables
from kbuild.stages.stubs.variables import VariableTable
from kbuild.values import replace

# A mixed source, what it demands, and the index of its container.
Demand: TypeAlias = tuple[MixedSource, Entries, int]


def name_handle(module: str, index: int) -> str:
    """Return the alias, or the slot, of the handle of a source's kernel number ``index``."""
    return f"kbuild_handle_{module}_{index}"


def name_stub_alias(module: str, index: int) -> str:
    """Return the alias of the debug stub of a source's kernel number ``index``."""
    return f"kbuild_stub_{module}_{index}"


def name_shadow(module: str, index: int) -> str:
    """Return the slot with the address of the shadow of a source's variable number ``index``."""
    return f"kbuild_shadow_{module}_{index}"


def keep_shared_names_local(demands: tuple[Demand, ...]) -> tuple[Demand, ...]:
    """Return the demands without exports of variables that several sources define.

    Each source uses its own variable, as its kernels do, so that other host files cannot name one.
    """
    names = Counter(
        variable.device_name
        for _, entries, _ in demands
        for variable in entries.variables
        if variable.linkage == "external"
    )
    return tuple(
        (source, replace(entries, variables=_hide_shared(entries.variables, names)), container)
        for source, entries, container in demands
    )


def _hide_shared(
    variables: tuple[VariableEntry, ...], names: Counter[str]
) -> tuple[VariableEntry, ...]:
    return tuple(
        replace(variable, linkage="internal") if names[variable.device_name] > 1 else variable
        for variable in variables
    )


def build_mixed_tables(
    containers: tuple[SourceImages, ...], demands: tuple[Demand, ...], *, has_stubs: bool
) -> SymbolTables:
    """Build one row per entry, in the order of the containers.

    Raises:
        SourceError: Two sources define one external kernel, a handle has no device code, or the
            images of a source disagree.
    """
    kernels = tuple(_list_kernels(containers, demands, has_stubs=has_stubs))
    variables = tuple(_list_variables(containers, demands))
    return SymbolTables(
        kernels=tuple(row for row, _, _ in kernels),
        variables=VariableTable(
            rows=tuple(row for row, _, _ in variables),
            initials=tuple(initial for _, _, initial in variables),
        ),
        handles=tuple(handle for _, handle, _ in kernels),
        stubs=tuple(stub for _, _, stub in kernels),
        shadows=tuple(shadow for _, shadow, _ in variables),
    )


def _list_kernels(
    containers: tuple[SourceImages, ...], demands: tuple[Demand, ...], *, has_stubs: bool
) -> Iterator[tuple[KernelRecord, str, str]]:
    defined: dict[str, str] = {}
    used: set[str] = set()
    common = [
        {kernel.name: kernel for kernel in find_common_kernels(*container)}
        for container in containers
    ]
    for source, entries, container in demands:
        for index, entry in enumerate(entries.kernels):
            kernel = common[container].get(entry.device_name)
            if kernel is None:
                raise SourceError(
                    f"{source.display_source}: there is no device code for kernel "
                    f"'{entry.device_name}', which host code refers to"
                )
            is_external = entry.linkage == "external"
            if is_external:
                _check_duplicate(kernel, source.display_source, defined)
            suffix = f".{container}.{index}" if entry.device_name in used else ""
            used.add(entry.device_name)
            yield (
                _make_row(entry, kernel, container, suffix, has_stub=has_stubs),
                entry.device_name if is_external else name_handle(source.module, index),
                name_stub_alias(source.module, index),
            )


def _check_duplicate(kernel: Kernel, source: str, defined: dict[str, str]) -> None:
    first = defined.setdefault(kernel.name, source)
    if first != source:
        raise SourceError(
            f"kernel '{kernel.display}' is defined in both {first} and {source}; rename one, or "
            "make both static"
        )


def _make_row(
    entry: KernelEntry, kernel: Kernel, container: int, suffix: str, *, has_stub: bool
) -> KernelRecord:
    return KernelRecord(
        handle=entry.device_name + suffix,
        device_name=entry.device_name,
        display=kernel.display,
        linkage=entry.linkage,
        container=container,
        params=kernel.params,
        stub=name_stub(entry.device_name) + suffix if has_stub else None,
    )


def _list_variables(
    containers: tuple[SourceImages, ...], demands: tuple[Demand, ...]
) -> Iterator[tuple[VariableRecord, str, InitialContent | None]]:
    listed: set[tuple[int, str]] = set()
    for source, entries, container in demands:
        known = {v.name: v for image in containers[container][1] for v in image.variables}
        for index, entry in enumerate(entries.variables):
            # A device link merges the inline variables of all sources, as the linker of the host
            # merges their shadows.
            if (container, entry.device_name) in listed:
                continue
            listed.add((container, entry.device_name))
            yield (
                _make_variable(entry, known.get(entry.device_name), container),
                name_shadow(source.module, index),
                entry.initial,
            )


def _make_variable(
    entry: VariableEntry, variable: Variable | None, container: int
) -> VariableRecord:
    return VariableRecord(
        shadow=entry.device_name,
        device_name=entry.device_name,
        display=variable.display if variable else entry.device_name,
        kind=entry.kind,
        size=entry.size,
        container=container,
    )
