"""Which of the images of a kernel a device runs."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kbuild.backends.cuda.architectures import rank_images
from kbuild.model import ImageKind


@dataclass(frozen=True)
class Image:
    arch: str
    kind: ImageKind


@pytest.mark.parametrize(
    ("capability", "expected"),
    [
        ((9, 0), ["sm_90a", "sm_90", "compute_90a", "compute_90", "compute_80"]),
        ((8, 6), ["sm_86", "sm_80", "compute_80"]),
        ((8, 9), ["sm_86", "sm_80", "compute_80"]),
        ((10, 3), ["sm_103", "sm_100f", "sm_100", "compute_90", "compute_80"]),
        ((12, 0), ["compute_90", "compute_80"]),
        ((7, 5), []),
    ],
)
def test_best_image_for_a_device_comes_first(
    capability: tuple[int, int], expected: list[str]
) -> None:
    names = "sm_80 sm_86 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 compute_80 compute_90a"
    images = [
        Image(name, "elf" if name.startswith("sm_") else "ptx")
        for name in (*names.split(), "compute_90")
    ]
    others = [Image("sm_90", "bitcode"), Image("unknown", "elf")]
    assert [image.arch for image in rank_images([*images, *others], capability)] == expected
