"""Pack a target: images into containers, kernels into one table, both into a stub unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, get_args

from kbuild import __version__, files, process, records
from kbuild.backends import find_backend, find_builder
from kbuild.backends.interface.build import Builder, PackedImage, PackUnit
from kbuild.backends.interface.mixed import Entries
from kbuild.errors import ConfigurationError, InputError, ToolError
from kbuild.model import (
    CompilerRecord,
    ContainerRecord,
    DeviceImage,
    FigureRecord,
    ImageKind,
    ImageRecord,
    LoggedFigure,
    Problem,
    TargetRecord,
)
from kbuild.stages.depfiles import read_dependencies
from kbuild.stages.device_libraries import adapt_linkage, load_compiled
from kbuild.stages.edges import PackPlan
from kbuild.stages.mixed.tables import (
    Demand,
    MixedTables,
    build_mixed_tables,
    keep_shared_names_local,
)
from kbuild.stages.sources.parameter_names import declare_params
from kbuild.stages.stubs.debug import list_notes
from kbuild.stages.stubs.handles import render_handles
from kbuild.stages.stubs.kernel_table import SourceImages, build_kernel_table
from kbuild.stages.stubs.unit import (
    StubInputs,
    render_c_header,
    render_cpp_header,
    render_stub_unit,
)
from kbuild.stages.stubs.variables import VariableTable, build_variable_table
from kbuild.values import dataclass

# No limit in practice: kbuild itself wrote the containers.
_LARGEST_IMAGE: Final = 1 << 40


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
    sources = _group_by_source(plan.compiled)
    plans = (plan, *libraries)
    mixed = _build_mixed(plans, sources)
    prelinked = _select_prelinked(plans, sources)
    containers = tuple(
        _make_container(builder, plan, index, images)
        for index, (_, images) in enumerate((*sources, *prelinked))
    )
    rows = (
        mixed.kernels if mixed else build_kernel_table(sources, has_stubs=plan.debug_stubs != "OFF")
    )
    kernels = declare_params(rows, _list_files(plans, sources))
    variables = (
        VariableTable(rows=mixed.variables, initials=mixed.initials)
        if mixed
        else build_variable_table(sources, frozenset(kernel.handle for kernel in kernels))
    )
    groups = (*sources, *prelinked)
    compilers = _list_compilers(groups)
    table = TargetRecord(
        version=__version__,
        target=plan.target,
        backend=plan.backend,
        visibility=plan.visibility,
        kernels=kernels,
        containers=tuple(
            _describe_container(builder, group, content, compilers, is_prelinked=group in prelinked)
            for group, content in zip(groups, containers, strict=True)
        ),
        variables=variables.rows,
        compilers=compilers,
        has_host_texts=bool(plan.mixed),
    )
    fat_binary, spans = _concatenate(containers, builder.TRAITS.fat_binary_alignment)
    table_bytes = records.dump(records.RECORD_SCHEMA, table)
    inputs = StubInputs(
        table=table,
        headers=tuple(header for each in plans for header in each.headers),
        registration_header=builder.TRAITS.registration_header,
        section=builder.TRAITS.fat_binary_section,
        fat_binary=plan.fat_binary,
        fat_binary_sha256=files.sha256(fat_binary),
        spans=spans,
        kernel_table=plan.kernel_table,
        kernel_table_sha256=files.sha256(table_bytes),
        kernel_table_size=len(table_bytes),
        alignment=builder.TRAITS.fat_binary_alignment,
        initials=variables.initials,
        handles=mixed.handles if mixed else (),
        stub_aliases=mixed.stubs if mixed else (),
        shadows=mixed.shadows if mixed else (),
        modules=tuple(source.module for each in plans for source in each.mixed),
    )
    files.write_if_changed(plan.fat_binary, fat_binary)
    files.write_if_changed(plan.kernel_table, table_bytes)
    files.write_if_changed(plan.stub, render_stub_unit(inputs))
    own = replace(table, kernels=kernels[: mixed.own_kernels]) if mixed else table
    _write_headers(plan, own, builder)
    files.write_stamp(plan.stamp, b"", started)
    notes = list_notes(own, has_headers=bool(plan.headers))
    return PackedTarget(table=table, notes=(*variables.notes, *notes))


def _write_headers(plan: PackPlan, table: TargetRecord, builder: Builder) -> None:
    """Write the headers with the target's own kernels."""
    namespaces = frozenset(
        name
        for compiled in load_compiled(plan.prelinked or plan.compiled)
        for name in compiled.inline_namespaces
    )
    host_header = builder.TRAITS.host_header
    header = render_cpp_header(table, plan.headers, host_header, namespaces)
    files.write_if_changed(plan.cpp_header, header)
    files.write_if_changed(plan.c_header, render_c_header(table, host_header))


def _group_by_source(stamps: tuple[Path, ...]) -> tuple[SourceImages, ...]:
    grouped: dict[str, list[DeviceImage]] = {}
    for compiled in load_compiled(stamps):
        grouped.setdefault(compiled.source, []).extend(compiled.images)
    return tuple((source, tuple(images)) for source, images in grouped.items())


def _build_mixed(
    plans: tuple[PackPlan, ...], containers: tuple[SourceImages, ...]
) -> MixedTables | None:
    """Write the handles of mixed sources; return the tables, or None if there are no such sources.

    Args:
        plans: The target, and the static libraries whose device code it contains.
        containers: The images that are registered.
    """
    plan, *libraries = plans
    if not plan.mixed:
        return None
    own = _list_demands(plan)
    others = (
        (source, adapt_linkage(entries, library, plan.visibility), container)
        for library in libraries
        for source, entries, container in _list_demands(library)
    )
    demands = keep_shared_names_local((*own, *others))
    tables = build_mixed_tables(containers, demands, has_stubs=plan.debug_stubs != "OFF")
    rows = iter(tables.kernels)
    for source, found, _ in demands[: len(own)]:
        names = tuple(next(rows).handle for _ in found.kernels)
        content = render_handles(
            found, names, source.module, plan.visibility, source.display_source
        )
        files.write_if_changed(source.handles, content)
    return replace(tables, own_kernels=sum(len(entries.kernels) for _, entries, _ in own))


def _list_demands(plan: PackPlan) -> tuple[Demand, ...]:
    """List the entries of a plan's sources.

    The architectures of a source have the same kernels, so the entries of the first one count.
    """
    entries: dict[str, Entries] = {}
    for compiled in load_compiled(plan.prelinked or plan.compiled):
        if compiled.entries is not None:
            entries.setdefault(compiled.source, compiled.entries)
    return tuple(
        (source, entries[source.display_source], 0 if plan.prelinked else container)
        for container, source in enumerate(plan.mixed)
    )


def _list_files(
    plans: tuple[PackPlan, ...], sources: tuple[SourceImages, ...]
) -> dict[int, tuple[Path, ...]]:
    """List the files that declare each container's kernels."""
    groups = [images for _, images in sources]
    if plans[0].prelinked:  # one container of all sources
        groups = [tuple(image for _, images in _list_prelinked(plans) for image in images)]
    return {
        container: tuple(
            dict.fromkeys(path for image in images for path in _list_declaring(image.path))
        )
        for container, images in enumerate(groups)
    }


def _list_declaring(image: Path) -> tuple[Path, ...]:
    """Return the declarations that the compile edge wrote, or all files that it read."""
    declarations = image.with_suffix(".ii")
    if declarations.is_file():
        return (declarations,)
    return read_dependencies(image.with_suffix(".d"))


def _list_prelinked(plans: tuple[PackPlan, ...]) -> Iterator[SourceImages]:
    """Yield the sources of device links; two plans can have sources of the same name."""
    for plan in plans:
        yield from _group_by_source(plan.prelinked)


def _select_prelinked(
    plans: tuple[PackPlan, ...], linked: tuple[SourceImages, ...]
) -> tuple[SourceImages, ...]:
    """Return the images that the device link did not use."""
    taken = {image.arch for _, images in linked for image in images}
    groups = tuple(
        (source, tuple(image for image in images if image.arch not in taken))
        for source, images in _list_prelinked(plans)
    )
    return tuple(group for group in groups if group[1])


def _list_compilers(groups: tuple[SourceImages, ...]) -> tuple[CompilerRecord, ...]:
    images = (image for _, images in groups for image in images)
    return tuple(dict.fromkeys(image.compiler for image in images if image.compiler))


def _describe_container(
    builder: Builder,
    group: SourceImages,
    content: bytes,
    compilers: tuple[CompilerRecord, ...],
    *,
    is_prelinked: bool,
) -> ContainerRecord:
    """Describe the images as the container holds them; a packer can rewrite PTX."""
    source, images = group
    found, problems = _read_back(builder, content)
    if problems or len(found) != len(images):
        what = problems[0].message if problems else f"{len(found)} of {len(images)} images"
        raise ToolError(f"{source}: the container differs from what was packed: {what}")
    return ContainerRecord(
        source=source,
        images=tuple(
            ImageRecord(
                arch=image.arch,
                kind=image.kind,
                sha256=files.sha256(found[image.arch, image.kind]),
                size=len(found[image.arch, image.kind]),
                kernels=(*(kernel.name for kernel in image.kernels), *image.library_kernels),
                figures=_record_figures(image),
                compiler=compilers.index(image.compiler) if image.compiler else None,
            )
            for image in images
        ),
        is_prelinked=is_prelinked,
    )


def _record_figures(image: DeviceImage) -> tuple[FigureRecord, ...]:
    """Return what the compiler reported about the kernels and the image does not contain."""
    unknown = (None,) * len(image.library_kernels)
    columns = (
        FigureRecord(
            name=name,
            values=(*(getattr(kernel.resources, name) for kernel in image.kernels), *unknown),
        )
        for name in get_args(LoggedFigure)
    )
    return tuple(c for c in columns if any(value is not None for value in c.values))


def _read_back(
    builder: Builder, content: bytes
) -> tuple[dict[tuple[str, ImageKind], bytes], list[Problem]]:
    """Read the images of a container, by architecture and kind."""
    reader = find_backend(builder.TRAITS.name).read  # loads parsers
    if reader is None:
        raise ConfigurationError(f"backend {builder.TRAITS.name!r} cannot read containers")
    listing = reader.list_images(content, builder.TRAITS.fat_binary_section)
    found: dict[tuple[str, ImageKind], bytes] = {}
    problems = list(listing.problems)
    for image, data in reader.load_images(listing.images, content, _LARGEST_IMAGE):
        if isinstance(data, Problem):
            problems.append(data)
        else:
            found[image.arch, image.kind] = bytes(data)
    return found, problems


def _make_container(
    builder: Builder, plan: PackPlan, index: int, images: tuple[DeviceImage, ...]
) -> bytes:
    packed = tuple(
        PackedImage(
            arch=image.arch,
            kind=image.kind,
            sha256=image.sha256,
            path=image.path,
            data=_read_image(image),
        )
        for image in images
    )
    unit = PackUnit(
        images=packed,
        output=plan.container(index),
        linking=_describe_linking(plan, index),
        compression=plan.compression,
    )
    packing = builder.pack(unit, plan.toolchain)
    if not packing.commands:
        return packing.content
    for command in packing.commands:
        process.run_checked(command)
    return files.read_file(unit.output)


def _read_image(image: DeviceImage) -> bytes:
    """Read the image; raise InputError if it changed since its edge wrote it."""
    data = files.read_file(image.path)
    if files.sha256(data) != image.sha256:
        raise InputError(
            f"{image.path}: changed since it was compiled; remove {image.path.parent} and rebuild"
        )
    return data


def _describe_linking(plan: PackPlan, index: int) -> Literal["none", "linked", "prelinked"]:
    # A device link makes one container, which precedes the containers of its inputs.
    if not plan.prelinked:
        return "none"
    return "linked" if index == 0 else "prelinked"


def _concatenate(
    containers: tuple[bytes, ...], alignment: int
) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    """Concatenate the containers, each aligned; return (offset, size) of each."""
    content = bytearray()
    spans = []
    for container in containers:
        content.extend(bytes(-len(content) % alignment))
        spans.append((len(content), len(container)))
        content.extend(container)
    return bytes(content), tuple(spans)
