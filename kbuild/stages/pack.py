"""Pack a target: images into containers, kernels into one table, both into a stub unit."""

from __future__ import annotations

from dataclasses import replace

from kbuild import __version__, files, records
from kbuild.backends import find_builder
from kbuild.backends.interface.build import Builder
from kbuild.model import TargetRecord
from kbuild.stages.edges import PackPlan
from kbuild.stages.packing.containers import Containers, concatenate, make_containers
from kbuild.stages.packing.inputs import PackInputs, read_inputs
from kbuild.stages.packing.tables import build_tables
from kbuild.stages.stubs.debug import list_notes
from kbuild.stages.stubs.symbols import SymbolTables
from kbuild.stages.stubs.unit import (
    StubInputs,
    render_c_header,
    render_cpp_header,
    render_stub_unit,
)
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTarget:
    """The packed kernel table, and notes for the user."""

    table: TargetRecord
    notes: tuple[str, ...]


def pack_target(plan: PackPlan, libraries: tuple[PackPlan, ...] = ()) -> PackedTarget:
    """Write the fat binary, kernel table, stub unit, and headers; write the stamp last.

    Files on which a host build depends are written only if they change.

    Args:
        plan: The pack edge.
        libraries: The static libraries whose device code the target's device links contain.

    Raises:
        SourceError: Two sources define one kernel, or the images of a source disagree.
    """
    started = files.begin_stamp(plan.stamp)
    builder = find_builder(plan.backend)
    inputs = read_inputs(plan, libraries)
    tables = build_tables(inputs)
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
    _write_stub(inputs, tables, containers, table, builder)
    own = replace(table, kernels=tables.kernels[: tables.own_kernels])
    _write_headers(inputs, own, builder)
    files.write_stamp(plan.stamp, b"", started)
    notes = list_notes(own, has_headers=bool(plan.headers))
    return PackedTarget(table=table, notes=(*tables.variables.notes, *notes))


def _write_stub(
    inputs: PackInputs,
    tables: SymbolTables,
    containers: Containers,
    table: TargetRecord,
    builder: Builder,
) -> None:
    """Write the stub unit, and the fat binary and the kernel table that it includes."""
    plan, traits = inputs.plan, builder.TRAITS
    fat_binary, spans = concatenate(containers.contents, traits.fat_binary_alignment)
    kernel_table = records.dump(records.RECORD_SCHEMA, table)
    stub = StubInputs(
        table=table,
        headers=tuple(header for part in inputs.parts for header in part.plan.headers),
        registration_header=traits.registration_header,
        section=traits.relocatable_section if plan.link_id else traits.fat_binary_section,
        link_id=plan.link_id,
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
        modules=tuple(source.module for part in inputs.parts for source in part.plan.mixed),
    )
    files.write_if_changed(plan.fat_binary, fat_binary)
    files.write_if_changed(plan.kernel_table, kernel_table)
    files.write_if_changed(plan.stub, render_stub_unit(stub))


def _write_headers(inputs: PackInputs, table: TargetRecord, builder: Builder) -> None:
    """Write the headers with the target's own kernels."""
    plan, host_header = inputs.plan, builder.TRAITS.host_header
    namespaces = frozenset(name for record in inputs.compiled for name in record.inline_namespaces)
    header = render_cpp_header(table, plan.headers, host_header, namespaces)
    files.write_if_changed(plan.cpp_header, header)
    files.write_if_changed(plan.c_header, render_c_header(table, host_header))
