"""Build the tables of a target from the records of its sources."""

from __future__ import annotations

from kbuild import files
from kbuild.backends.interface.mixed import Entries
from kbuild.stages.mixed.tables import Demand, build_mixed_tables, keep_shared_names_local
from kbuild.stages.packing.inputs import PackInputs, group_registered, list_declaring
from kbuild.stages.sources.parameter_names import declare_params
from kbuild.stages.stubs.handles import render_handles
from kbuild.stages.stubs.kernel_table import SourceImages, build_kernel_table
from kbuild.stages.stubs.symbols import SymbolTables
from kbuild.stages.stubs.variables import build_variable_table
from kbuild.values import replace


def build_tables(inputs: PackInputs) -> SymbolTables:
    """Build the rows of a target. For mixed sources, also write the files with their handles.

    Raises:
        SourceError: Two sources define one kernel, or the images of a source disagree.
    """
    tables = _build_mixed(inputs) if inputs.plan.mixed else _build_plain(inputs)
    return replace(tables, kernels=declare_params(tables.kernels, list_declaring(inputs)))


def _build_plain(inputs: PackInputs) -> SymbolTables:
    sources = group_registered(inputs)
    kernels = build_kernel_table(sources, has_stubs=inputs.plan.debug_stubs != "OFF")
    handles = frozenset(kernel.handle for kernel in kernels)
    return SymbolTables(kernels=kernels, variables=build_variable_table(sources, handles))


def _build_mixed(inputs: PackInputs) -> SymbolTables:
    plan = inputs.plan
    demands = keep_shared_names_local(_list_demands(inputs))
    tables = build_mixed_tables(
        _group_described(inputs), demands, has_stubs=plan.debug_stubs != "OFF"
    )
    _write_handles(inputs, demands, tables)
    return tables


def _group_described(inputs: PackInputs) -> tuple[SourceImages, ...]:
    """Return the images that describe the kernels of each container.

    Only linked images describe kernels on every backend.
    """
    groups = group_registered(inputs)
    if inputs.plan.link_unit is None:
        return groups
    ((_, images),) = groups
    return tuple((source.display_source, images) for source in inputs.plan.mixed)


def _write_handles(inputs: PackInputs, demands: tuple[Demand, ...], tables: SymbolTables) -> None:
    """Write the handles of each source."""
    rows = iter(tables.kernels)
    for source, entries, _ in demands:
        names = tuple(next(rows).handle for _ in entries.kernels)
        content = render_handles(
            entries,
            names,
            source.module,
            inputs.plan.visibility,
            source.display_source,
            has_weak_instances=inputs.plan.has_weak_instances,
        )
        files.write_if_changed(source.handles, content)


def _list_demands(inputs: PackInputs) -> tuple[Demand, ...]:
    """List the entries of the mixed sources.

    The architectures of a source have the same kernels, so the entries of the first one count.
    """
    is_separate = not inputs.linked or bool(inputs.plan.link_ids)
    entries: dict[str, Entries] = {}
    for record in inputs.compiled:
        if record.entries is not None:
            entries.setdefault(record.source, record.entries)
    return tuple(
        (source, entries[source.display_source], container if is_separate else 0)
        for container, source in enumerate(inputs.plan.mixed)
    )
