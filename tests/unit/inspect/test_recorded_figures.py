from __future__ import annotations

from dataclasses import replace

from kbuild.facts import ImageFacts
from kbuild.inspect.host.recorded import add_recorded_figures
from kbuild.model import (
    ContainerRecord,
    FigureRecord,
    ImageRecord,
    Kernel,
    LoggedFigure,
    Resources,
    TargetRecord,
)


def kernel(name: str, **resources: int) -> Kernel:
    return Kernel(name=name, display=name, resources=Resources(registers=8, **resources))  # type: ignore[arg-type]


IMAGE = ImageFacts(
    backend="cuda",
    arch="sm_80",
    kind="elf",
    compression="none",
    size=1,
    stored_size=1,
    sha256="aa",
    container=0,
    kernels=(kernel("first"), kernel("second"), kernel("library")),
)


def record(**figures: tuple[int | None, ...]) -> TargetRecord:
    names: dict[str, LoggedFigure] = {"stores": "spill_store_bytes", "loads": "spill_load_bytes"}
    image = ImageRecord(
        arch="sm_80",
        kind="elf",
        sha256="aa",
        size=1,
        kernels=("second", "first", "library"),
        figures=tuple(FigureRecord(name=names[n], values=v) for n, v in figures.items()),
    )
    return TargetRecord(
        version="1",
        target="t",
        backend="cuda",
        visibility="hidden",
        kernels=(),
        containers=(ContainerRecord(source="a.cu", images=(image,)),),
    )


def spills(image: ImageFacts) -> list[tuple[int | None, int | None, int | None]]:
    resources = (kernel.resources for kernel in image.kernels)
    return [(r.spill_bytes, r.spill_store_bytes, r.spill_load_bytes) for r in resources]


def test_figures_are_added_by_the_name_of_the_kernel() -> None:
    (image,) = add_recorded_figures((IMAGE,), (record(stores=(4, 0, None), loads=(8, 0, None)),))

    assert spills(image) == [(0, 0, 0), (12, 4, 8), (None, None, None)]
    assert [kernel.resources.registers for kernel in image.kernels] == [8, 8, 8]


def test_record_of_another_image_does_not_apply() -> None:
    changed = replace(IMAGE, sha256="bb")
    unclaimed = replace(IMAGE, sha256=None)

    images = add_recorded_figures((changed, unclaimed), (record(stores=(4, 0, 0)),))

    assert images == (changed, unclaimed)


def test_what_the_image_states_itself_counts() -> None:
    stated = replace(IMAGE, kernels=(kernel("second", spill_bytes=1, spill_store_bytes=1),))

    (image,) = add_recorded_figures((stated,), (record(stores=(4, 0, 0), loads=(8, 0, 0)),))

    assert spills(image) == [(1, 1, 8)]


def test_incomplete_records_are_read() -> None:
    (image,) = add_recorded_figures((IMAGE,), (record(stores=(4,), loads=()),))

    assert spills(image) == [(None, None, None), (None, 4, None), (None, None, None)]
