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
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PackInputs:
    """A pack edge with the records of the edges before it.

    ``compiled`` are the records of the compile edges, in the order of their ``stamps``. ``linked``
    are those of the device links, if there are any. ``libraries`` are the static libraries whose
    device code the device links contain; their own links do not count.
    """

    plan: PackPlan
    stamps: tuple[Path, ...]
    compiled: tuple[CompiledSource, ...]
    linked: tuple[CompiledSource, ...] = ()
    libraries: tuple[PackInputs, ...] = ()

    @property
    def parts(self) -> tuple[PackInputs, ...]:
        """The target and its libraries."""
        return (self, *self.libraries)


def read_inputs(plan: PackPlan, libraries: tuple[PackPlan, ...] = ()) -> PackInputs:
    """Read the records of a target's edges, and those of the libraries that it links."""
    stamps = plan.prelinked or plan.compiled
    return PackInputs(
        plan=plan,
        stamps=stamps,
        compiled=tuple(load_compiled(stamps)),
        linked=tuple(load_compiled(plan.compiled if plan.prelinked else ())),
        libraries=tuple(map(_read_library, libraries)),
    )


def _read_library(plan: PackPlan) -> PackInputs:
    stamps = plan.prelinked or plan.compiled
    return PackInputs(plan=plan, stamps=stamps, compiled=tuple(load_compiled(stamps)))


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
        for part in inputs.parts  # two of them can have sources of the same name
        for source, images in _group_by_source(part.compiled)
    )
    return tuple(group for group in groups if group[1])


def _group_by_source(records: Iterable[CompiledSource]) -> tuple[SourceImages, ...]:
    grouped: dict[str, list[DeviceImage]] = {}
    for record in records:
        grouped.setdefault(record.source, []).extend(record.images)
    return tuple((source, tuple(images)) for source, images in grouped.items())


def list_declaring(inputs: PackInputs) -> dict[int, tuple[Path, ...]]:
    """Return the files that declare each container's kernels."""
    if inputs.linked:  # one container of all sources
        stamps = (stamp for part in inputs.parts for stamp in part.stamps)
        return {0: _list_unique(stamps)}
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
