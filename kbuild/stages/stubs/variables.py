"""Which device variables of a target host code can name, and why not the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.model import DeviceImage, Variable, VariableRecord
from kbuild.stages.stubs.kernel_table import SourceImages

# How many names a note lists before it only counts.
_MOST_NAMES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialContent:
    """Where the first content of a managed variable lies: in an image, from a byte on."""

    path: Path
    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableTable:
    """The rows of the kernel table, and what people should know of the rest.

    ``initials`` has an entry a row, None where the host need not know it.
    """

    rows: tuple[VariableRecord, ...] = ()
    initials: tuple[InitialContent | None, ...] = ()
    notes: tuple[str, ...] = ()


def build_variable_table(
    sources: tuple[SourceImages, ...], kernels: frozenset[str]
) -> VariableTable:
    """A row for each variable that one source alone defines, and alike in all its images.

    Images do not tell static variables from others, so that a name which several sources
    define is no mistake: their kernels use their own, and host code can name none of them.
    """
    found: dict[str, list[tuple[int, str, Variable]]] = {}
    for container, (source, images) in enumerate(sources):
        for variable in _agree(images):
            found.setdefault(variable.name, []).append((container, source, variable))
    chosen = tuple(
        (variable, container)
        for name, ((container, _, variable), *others) in found.items()
        if not others and name not in kernels
    )
    clashes = {
        definitions[0][2].display: tuple(source for _, source, _ in definitions)
        for definitions in found.values()
        if len(definitions) > 1
    }
    return VariableTable(
        rows=tuple(_make_row(variable, container) for variable, container in chosen),
        initials=tuple(
            _find_initial(variable, sources[container][1][0]) for variable, container in chosen
        ),
        notes=_describe_clashes(clashes),
    )


def _make_row(variable: Variable, container: int) -> VariableRecord:
    return VariableRecord(
        shadow=variable.name,
        device_name=variable.name,
        display=variable.display,
        kind=variable.kind,
        size=variable.size,
        container=container,
    )


def _find_initial(variable: Variable, image: DeviceImage) -> InitialContent | None:
    if variable.initial_offset is None:
        return None
    return InitialContent(path=image.path, offset=variable.initial_offset, size=variable.size)


def _agree(images: tuple[DeviceImage, ...]) -> Iterable[Variable]:
    """What every image of a source defines, and alike: a runtime knows one size of each."""
    first, *others = images
    for variable in first.variables:
        if all(variable in image.variables for image in others):
            yield variable


def _describe_clashes(clashes: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    if not clashes:
        return ()
    listed = [
        f"{name} ({', '.join(sources)})" for name, sources in tuple(clashes.items())[:_MOST_NAMES]
    ]
    if len(clashes) > _MOST_NAMES:
        listed.append(f"and {len(clashes) - _MOST_NAMES} more")
    note = (
        "host code cannot name device variables that several sources define, of which each "
        f"uses its own: {', '.join(listed)}. For one that the host shares, rename the others, "
        "or define it once and build the target with RDC ON"
    )
    return (note,)
