"""What a pack edge reads: its plan, and the records of the edges before it, each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kbuild.model import DeviceImage
from kbuild.stages.compile import CompiledSource
from kbuild.stages.depfiles import read_dependencies
from kbuild.stages.device_libraries import load_compiled
from kbuild.stages.edges import PackPlan, name_declarations, name_depfile
from kbuild.stages.stubs.kernel_table import SourceImages
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class PackInputs:
    """A pack edge with the records of the edges before it.

    ``compiled`` are the records of the compile edges, in the order of their ``stamps``. ``linked``
    are those of the device links, if there are any.
    """

    plan: PackPlan
    stamps: tuple[Path, ...]
    compiled: tuple[CompiledSource, ...]
    linked: tuple[CompiledSource, ...] = ()


def read_inputs(plan: PackPlan) -> PackInputs:
    """Read the records of a target's edges."""
    stamps = plan.prelinked or plan.compiled
    return PackInputs(
        plan=plan,
        stamps=stamps,
        compiled=tuple(load_compiled(stamps)),
        linked=tuple(load_compiled(plan.compiled if plan.prelinked else ())),
    )


def split_sources(inputs: PackInputs) -> tuple[PackInputs, ...]:
    """Return the inputs of each stub unit, if another device link finds each source."""
    return tuple(
        replace(
            inputs,
            plan=unit,
            compiled=tuple(r for r in inputs.compiled if r.source == unit.mixed[0].display_source),
            linked=(),
        )
        for unit in inputs.plan.stub_units
    )


def group_registered(inputs: PackInputs) -> tuple[SourceImages, ...]:
    """Return the images that are registered, one group per container."""
    return _group_by_source(inputs.linked or inputs.compiled)


def group_prelinked(inputs: PackInputs) -> tuple[SourceImages, ...]:
    """Return the images that the device links did not use, one group per container."""
    if not inputs.linked:
        return ()
    taken = {image.arch for record in inputs.linked for image in record.images}
    groups = (
        (source, tuple(image for image in images if image.arch not in taken))
        for source, images in _group_by_source(inputs.compiled)
    )
    return tuple(group for group in groups if group[1])


def _group_by_source(records: Iterable[CompiledSource]) -> tuple[SourceImages, ...]:
    grouped: dict[str, list[DeviceImage]] = {}
    for record in records:
        grouped.setdefault(record.source, []).extend(record.images)
    return tuple((source, tuple(images)) for source, images in grouped.items())


def list_declaring(inputs: PackInputs) -> dict[int, tuple[Path, ...]]:
    """Return the files that declare each container's kernels."""
    if inputs.linked and not inputs.plan.link_ids:  # one container of all sources
        return {0: _list_unique(inputs.stamps)}
    grouped: dict[str, list[Path]] = {}
    for stamp, record in zip(inputs.stamps, inputs.compiled, strict=True):
        grouped.setdefault(record.source, []).append(stamp)
    return {container: _list_unique(stamps) for container, stamps in enumerate(grouped.values())}


def _list_unique(stamps: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path for stamp in stamps for path in _list_files(stamp)))


def _list_files(stamp: Path) -> Iterator[Path]:
    """Yield the declarations that a compile edge wrote, or all files that it read."""
    declarations = name_declarations(stamp)
    if declarations.is_file():
        yield declarations
    else:
        yield from read_dependencies(name_depfile(stamp))
