"""The figures of device code: resources per kernel and architecture, sizes per architecture.

Policies limit figures, and a baseline keeps them from getting worse. If a file contains a
kernel several times, such as a template in several sources, its worst figures count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import Resources
from kbuild.values import dataclass
from kbuild.verify.glob import stable_name

FigureName: TypeAlias = Literal[
    "registers", "spill_bytes", "local_bytes", "shared_bytes", "code_bytes"
]
FIGURES: Final[tuple[FigureName, ...]] = (
    "registers",
    "spill_bytes",
    "local_bytes",
    "shared_bytes",
    "code_bytes",
)

_REGISTER_BYTES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFigures:
    """The resources of one kernel on one architecture. None means that no image states it."""

    kernel: str
    arch: str
    registers: int | None = None
    spill_bytes: int | None = None
    local_bytes: int | None = None
    shared_bytes: int | None = None
    code_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureSize:
    """The stored size of all images of a file for one architecture."""

    arch: str
    stored_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFigures:
    """The figures of one file under its stable name. All parts are sorted."""

    file: str
    stored_bytes: int
    sizes: tuple[ArchitectureSize, ...] = ()
    kernels: tuple[KernelFigures, ...] = ()


def final_images(facts: ArtifactFacts) -> tuple[ImageFacts, ...]:
    """Return the images that run: inputs of a device link count only if there was no link."""
    if not any(container.is_relocatable for container in facts.containers):
        return facts.images
    linked = {n for n, c in enumerate(facts.containers) if not c.is_relocatable}
    return tuple(i for i in facts.images if i.container in linked) or facts.images


def spill_bytes_of(resources: Resources) -> int | None:
    """Return the bytes of spilled registers per thread, or None if unknown.

    If only their number is known, each register has 32 bits (LLVM's ``.vgpr_spill_count``). A
    kernel without local memory cannot spill.
    """
    if resources.spill_bytes is not None:
        return resources.spill_bytes
    if resources.spilled_registers is not None:
        return resources.spilled_registers * _REGISTER_BYTES
    return 0 if resources.local_bytes == 0 else None


def iterate_values(
    facts: ArtifactFacts, figure: FigureName
) -> Iterator[tuple[str, str, int | None]]:
    """Yield the kernel, the architecture, and the figure of each kernel in each final image.

    A kernel that the file contains several times is yielded several times. Nothing is kept,
    because a large library has a million kernels. Images that state no figure at all, such as
    PTX, are left out.
    """
    read = spill_bytes_of if figure == "spill_bytes" else attrgetter(figure)
    for image in final_images(facts):
        for kernel in image.kernels:
            value = read(kernel.resources)
            if value is not None or _states_figures(kernel.resources):
                yield kernel.name, image.arch, value


def _states_figures(resources: Resources) -> bool:
    return any(getattr(resources, name) is not None for name in FIGURES)


# Several rules in a row measure the same file, and a large one has tens of thousands of
# kernels. Therefore, the last result is kept.
_last: list[tuple[ArtifactFacts, FileFigures]] = []


def measure(facts: ArtifactFacts) -> FileFigures:
    """Return the figures of a file. An image that cannot be read only has a size."""
    for known, figures in _last:
        if known is facts:
            return figures
    figures = _measure(facts)
    _last[:] = [(facts, figures)]
    return figures


def _measure(facts: ArtifactFacts) -> FileFigures:
    sizes: dict[str, int] = {}
    for image in facts.images:
        sizes[image.arch] = sizes.get(image.arch, 0) + image.stored_size
    kernels: dict[tuple[str, str], KernelFigures] = {}
    for image in final_images(facts):
        for kernel in image.kernels:
            if _states_figures(kernel.resources):
                figures = _read(kernel.name, image.arch, kernel.resources)
                key = (kernel.name, image.arch)
                other = kernels.get(key)
                kernels[key] = worst((other, figures)) if other else figures
    return FileFigures(
        file=stable_name(facts.path),
        stored_bytes=sum(sizes.values()),
        sizes=tuple(ArchitectureSize(arch=a, stored_bytes=sizes[a]) for a in sorted(sizes)),
        kernels=tuple(kernels[key] for key in sorted(kernels)),
    )


def _read(kernel: str, arch: str, resources: Resources) -> KernelFigures:
    return KernelFigures(
        kernel=kernel,
        arch=arch,
        registers=resources.registers,
        spill_bytes=spill_bytes_of(resources),
        local_bytes=resources.local_bytes,
        shared_bytes=resources.shared_bytes,
        code_bytes=resources.code_bytes,
    )


def worst(figures: Iterable[KernelFigures]) -> KernelFigures:
    """Return the largest of each figure of kernels with one name and architecture."""
    several = tuple(figures)
    known = {
        name: [v for figure in several if (v := getattr(figure, name)) is not None]
        for name in FIGURES
    }
    return KernelFigures(
        kernel=several[0].kernel,
        arch=several[0].arch,
        **{name: max(values) if values else None for name, values in known.items()},
    )
