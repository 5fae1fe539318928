"""Parameter layouts of one kernel on several devices."""

from __future__ import annotations

import pytest

from kbuild.facts.parameter_layout import find_difference
from kbuild.model import Param

Layout = list[tuple[int, int]]


def make(layout: Layout) -> tuple[Param, ...]:
    return tuple(
        Param(index=index, offset=offset, size=size) for index, (offset, size) in enumerate(layout)
    )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([], []),
        ([(0, 4), (8, 8)], [(0, 4), (8, 8)]),
        # The layouts of (int, alignas(64) struct, char, float *) by nvcc 13.4: sm_80 and sm_90a.
        ([(0, 4), (32, 64), (96, 1), (104, 8)], [(0, 4), (48, 64), (112, 1), (120, 8)]),
    ],
)
def test_layouts_of_one_kernel_agree(left: Layout, right: Layout) -> None:
    assert find_difference(make(left), make(right)) is None
    assert find_difference(make(right), make(left)) is None


@pytest.mark.parametrize(
    ("left", "right", "index"),
    [
        ([(0, 4)], [], 0),
        ([(0, 4), (8, 8)], [(0, 4)], 1),
        ([(0, 4), (8, 8)], [(0, 4), (16, 8)], 1),
        ([(0, 4), (8, 16)], [(0, 4), (16, 16)], 1),
        ([(0, 4), (8, 8)], [(0, 4), (8, 4)], 1),
        ([(32, 64), (96, 8)], [(48, 64), (112, 4)], 1),
    ],
)
def test_first_different_parameter_is_found(left: Layout, right: Layout, index: int) -> None:
    assert find_difference(make(left), make(right)) == index
    assert find_difference(make(right), make(left)) == index
