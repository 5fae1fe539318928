"""Tests for selecting the flags of a build type that apply to device code."""

from __future__ import annotations

import pytest

from kbuild.backends.host_options import select_build_options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("-O3", "-DNDEBUG", "-g", "-ffast-math"), ("-O3", "-DNDEBUG", "-g", "-ffast-math")),
        (("-O2", "-march=native", "-mtune=generic", "-mavx2", "-m64"), ("-O2",)),
        (("-flto=auto", "-fsanitize=address", "--coverage", "-fprofile-generate"), ()),
        (("-mllvm", "-unroll-count=4"), ("-mllvm", "-unroll-count=4")),
    ],
)
def test_options_for_device_code_are_selected(
    options: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert select_build_options(options) == expected
