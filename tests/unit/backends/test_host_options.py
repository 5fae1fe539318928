"""What of a build type's flags device code gets."""

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
def test_selected_options(options: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert select_build_options(options) == expected
