"""Builders for the sides of a comparison."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kbuild.diff.compare import compare_sides
from kbuild.diff.inputs import DiffOptions, Side
from kbuild.diff.model import ASPECTS, Aspect, DiffReport
from kbuild.diff.pairing import Artifact
from kbuild.facts import ArtifactFacts, CodeFacts, ImageFacts
from kbuild.model import Kernel, Param, Resources

# Without `code`, no file has to be read.
FACTS_ONLY: tuple[Aspect, ...] = ("abi", "resources", "size")


def kernel(name: str, *sizes: int, display: str | None = None, **fields: Any) -> Kernel:
    params = tuple(
        Param(index=index, offset=8 * index, size=size) for index, size in enumerate(sizes)
    )
    linkage = fields.pop("linkage", "external")
    return Kernel(
        name=name,
        display=display or name,
        linkage=linkage,
        params=params,
        resources=Resources(**fields),
    )


def image(
    kernels: dict[Kernel, str], *, arch: str = "sm_90", backend: str = "cuda", **fields: Any
) -> ImageFacts:
    """Make an image of kernels, each with the digest of its code."""
    return ImageFacts(
        backend=backend,
        arch=arch,
        kind="elf",
        compression="none",
        size=fields.pop("size", 1000),
        stored_size=1000,
        sha256=None,
        container=0,
        kernels=tuple(kernels),
        code=CodeFacts(functions=tuple((k.name, code) for k, code in kernels.items())),
        **fields,
    )


def artifact(*images: ImageFacts, name: str = "libk.so", **fields: Any) -> Artifact:
    facts = ArtifactFacts(
        path=name, kind="shared-object", machine="x86_64", sha256=None, images=images, **fields
    )
    return Artifact(file=Path(name), name=name, facts=facts, occurrence=0)


def side(*artifacts: Artifact, label: str = "side") -> Side:
    return Side(label=label, artifacts=artifacts, unreadable=())


def compare(
    old: dict[Kernel, str], new: dict[Kernel, str], aspects: tuple[Aspect, ...] = FACTS_ONLY
) -> DiffReport:
    assert set(aspects) <= set(ASPECTS)
    return compare_sides(
        side(artifact(image(old))), side(artifact(image(new))), DiffOptions(aspects=aspects)
    )
