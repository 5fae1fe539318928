"""Pack a target: images into containers, kernels into one table, both into a stub unit."""

from __future__ import annotations

from kbuild import __version__, files, records
from kbuild.backends import find_builder
from kbuild.backends.interface.build import Builder
from kbuild.model import TargetRecord
from kbuild.stages.device_libraries import DeviceLibraries
from kbuild.stages.edges import PackPlan
from kbuild.stages.packing.containers import Containers, concatenate, make_containers
from kbuild.stages.packing.inputs import PackInputs, read_inputs, split_sources
from kbuild.stages.packing.tables import build_tables
from kbuild.stages.stubs.debug import list_notes
from kbuild.stages.stubs.symbols import SymbolTables, select_container
from kbuild.stages.stubs.unit import (
    StubInputs,
    render_cpp_header,
    render_stub_unit,
)
from kbuild.stages.stubs.variables import VariableTable
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTarget:
    """The packed kernel table, and notes for the user."""

    table: TargetRecord
    notes: tuple[str, ...]


def pack_target(
    plan: PackPlan, libraries: DeviceLibraries | None = None, *, writes_headers: bool = True
) -> PackedTarget:
    """Write the fat binary, kernel table, stub unit, and headers; write the stamp last.

    Files on which a host build depends are written only if they change.

    Args:
        plan: The pack edge.
        libraries: The device code of other files that the target's device links contain.
        writes_headers: Whether to write the headers with the target's kernels.

    Raises:
        SourceError: Two sources define one kernel, or the images of a source disagree.
    """
    started = files.begin_stamp(plan.stamp)
    builder = find_builder(plan.backend)
    inputs = read_inputs(plan)
    tables = build_tables(inputs)
    linked_ids = libraries.ids if libraries else ()
    if plan.link_unit is not None:
        # The sources register through the unit with the device links.
        link = replace(inputs, plan=plan.link_unit, compiled=())
        nothing = SymbolTables(kernels=(), variables=VariableTable())
        ids = (*plan.link_ids, *linked_ids)
        _write_unit(link, nothing, ids, builder, is_replaceable=True)
    if plan.link_ids:
        first, *_ = [
            _write_unit(part, select_container(tables, index), (), builder)
            for index, part in enumerate(split_sources(inputs))
        ]
        table = replace(first, kernels=tables.kernels)
    else:
        table = _write_unit(inputs, tables, linked_ids, builder)
    if writes_headers:
        _write_headers(inputs, table, builder)
    files.write_stamp(plan.stamp, b"", started)
    notes = list_notes(table, has_headers=bool(plan.headers))
    return PackedTarget(table=table, notes=(*tables.variables.notes, *notes))


def _write_unit(
    inputs: PackInputs,
    tables: SymbolTables,
    linked_ids: tuple[str, ...],
    builder: Builder,
    *,
    is_replaceable: bool = False,
) -> TargetRecord:
    """Write a stub unit, and the fat binary and the kernel table that it includes."""
    plan = inputs.plan
    containers = make_containers(inputs, builder)
    table = TargetRecord(
        version=__version__,
        target=plan.target,
        backend=plan.backend,
        visibility=plan.visibility,
        kernels=tables.kernels,
        containers=containers.records,
        variables=tables.variables.rows,
        compilers=containers.compilers,
        has_host_texts=bool(plan.mixed),
    )
    stub = _describe_unit(plan, tables, containers, table, builder)
    stub = replace(stub, linked_ids=linked_ids, is_replaceable=is_replaceable)
    files.write_if_changed(plan.stub, render_stub_unit(stub))
    return table


def _describe_unit(
    plan: PackPlan,
    tables: SymbolTables,
    containers: Containers,
    table: TargetRecord,
    builder: Builder,
) -> StubInputs:
    """Write the files that a stub unit includes, and describe the unit."""
    traits = builder.TRAITS
    fat_binary, spans = concatenate(containers.contents, traits.fat_binary_alignment)
    kernel_table = records.dump(records.RECORD_SCHEMA, table)
    files.write_if_changed(plan.fat_binary, fat_binary)
    files.write_if_changed(plan.kernel_table, kernel_table)
    return StubInputs(
        table=table,
        headers=plan.headers,
        registration_header=traits.registration_header,
        section=traits.relocatable_section if plan.link_ids else traits.fat_binary_section,
        link_id=plan.link_ids[0] if plan.link_ids else None,
        fat_binary=plan.fat_binary,
        fat_binary_sha256=files.sha256(fat_binary),
        spans=spans,
        kernel_table=plan.kernel_table,
        kernel_table_sha256=files.sha256(kernel_table),
        kernel_table_size=len(kernel_table),
        alignment=traits.fat_binary_alignment,
        initials=tables.variables.initials,
        handles=tables.handles,
        stub_aliases=tables.stubs,
        shadows=tables.shadows,
        modules=tuple(source.module for source in plan.mixed),
    )


def _write_headers(inputs: PackInputs, table: TargetRecord, builder: Builder) -> None:
    """Write the headers with the target's own kernels."""
    from kbuild.stages.bindings.c import render_c_header  # noqa: PLC0415 - the driver writes none
    from kbuild.stages.bindings.model import describe_bindings  # noqa: PLC0415 - as above

    plan, host_header = inputs.plan, builder.TRAITS.host_header
    namespaces = frozenset(name for record in inputs.compiled for name in record.inline_namespaces)
    header = render_cpp_header(table, plan.headers, host_header, namespaces)
    files.write_if_changed(plan.cpp_header, header)
    files.write_if_changed(plan.c_header, render_c_header(describe_bindings(table), host_header))
