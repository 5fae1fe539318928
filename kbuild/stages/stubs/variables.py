"""Build the table of the device variables that host code can name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kbuild.model import DeviceImage, InitialContent, Variable, VariableRecord
from kbuild.stages.stubs.kernel_table import SourceImages
from kbuild.values import dataclass

# The number of names that a note lists. It counts the rest.
_MOST_NAMES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableTable:
    """The rows for the kernel table.

    ``initials`` has one entry per row: the initial content that the host must provide, or None.
    ``notes`` tell the user about the variables without a row.
    """

    rows: tuple[VariableRecord, ...] = ()
    initials: tuple[InitialContent | None, ...] = ()
    notes: tuple[str, ...] = ()


def build_variable_table(
    sources: tuple[SourceImages, ...], kernels: frozenset[str]
) -> VariableTable:
    """Build the rows for the variables that exactly one source defines, the same in all images.

    If several sources define a name, it is not an error, because images do not tell which variables
    are static. The kernels of each source use its own variable, and host code cannot name them.

    Args:
        sources: The images of each source.
        kernels: The handles of the kernels, whose names variables cannot have.
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
    """Yield the variables that all images define alike, because a runtime stores only one size."""
    first, *others = images
    known = [frozenset(map(_identify, image.variables)) for image in others]
    for variable in first.variables:
        if all(_identify(variable) in image for image in known):
            yield variable


def _identify(variable: Variable) -> tuple[str, str, str, int]:
    """Return what must be the same in all images."""
    return variable.name, variable.display, variable.kind, variable.size


def _describe_clashes(clashes: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    if not clashes:
        return ()
    listed = [
        f"{name} ({', '.join(sources)})" for name, sources in tuple(clashes.items())[:_MOST_NAMES]
    ]
    if len(clashes) > _MOST_NAMES:
        listed.append(f"and {len(clashes) - _MOST_NAMES} more")
    note = (
        "host code cannot name device variables that several sources define, because each source "
        f"uses its own: {', '.join(listed)}. To use one from the host, rename the others, or "
        "define it once and build the target with RDC ON"
    )
    return (note,)
