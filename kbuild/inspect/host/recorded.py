"""Add compilers' reports about kernels, which notes contain, to the facts of images."""

from __future__ import annotations

from collections.abc import Iterable

from kbuild.facts import ImageFacts
from kbuild.model import ImageRecord, Kernel, Resources, TargetRecord
from kbuild.values import replace


def add_recorded_figures(
    images: tuple[ImageFacts, ...], records: Iterable[TargetRecord]
) -> tuple[ImageFacts, ...]:
    """Return the images with the figures that the records of their file have about them.

    A record applies to images whose content has its digest. Figures that an image states itself
    take precedence.
    """
    recorded = {
        image.sha256: image
        for record in records
        for container in record.containers
        for image in container.images
        if image.figures
    }
    if not recorded:
        return images
    return tuple(
        replace(image, kernels=_add_figures(image.kernels, recorded[image.sha256]))
        if image.sha256 in recorded
        else image
        for image in images
    )


def _add_figures(kernels: tuple[Kernel, ...], record: ImageRecord) -> tuple[Kernel, ...]:
    figures: dict[str, dict[str, int]] = {}
    for figure in record.figures:
        # A damaged record can have more names than values.
        for kernel, value in zip(record.kernels, figure.values, strict=False):
            if value is not None:
                figures.setdefault(kernel, {})[figure.name] = value
    return tuple(
        replace(kernel, resources=_fill(kernel.resources, figures[kernel.name]))
        if kernel.name in figures
        else kernel
        for kernel in kernels
    )


def _fill(resources: Resources, figures: dict[str, int]) -> Resources:
    stores = resources.spill_store_bytes
    loads = resources.spill_load_bytes
    stores = figures.get("spill_store_bytes") if stores is None else stores
    loads = figures.get("spill_load_bytes") if loads is None else loads
    total = resources.spill_bytes
    if total is None and stores is not None and loads is not None:
        total = stores + loads
    return replace(resources, spill_bytes=total, spill_store_bytes=stores, spill_load_bytes=loads)
