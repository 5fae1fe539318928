"""Compare real kernels with NumPy, and launch them by name from C++ in all kinds of libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import PROJECTS, build, configure, ctest, succeed
from support.tools.toolchains import needs_programs

KERNELS = PROJECTS / "kernels"


# A machine runs its best image. The first build has only the image for all machines.
# One kind is enough, because test_linking.py links every kind with every compiler.
@pytest.mark.parametrize(
    ("build_type", "architectures", "kinds"),
    [
        ("Debug", "x86-64", ("SHARED",)),
        pytest.param("Release", "", ("SHARED", "STATIC", "OBJECT"), marks=pytest.mark.slow),
    ],
)
def test_kernels_agree_with_numpy(
    tmp_path: Path, build_type: str, architectures: str, kinds: tuple[str, ...]
) -> None:
    definitions = (f"CMAKE_BUILD_TYPE={build_type}", f"ARCHITECTURES={architectures}")
    succeed(configure(KERNELS, tmp_path, *definitions, f"KINDS={';'.join(kinds)}"))
    succeed(build(tmp_path))

    output = succeed(ctest(tmp_path))

    assert "100% tests passed" in output
    for kind in map(str.lower, kinds):
        for test in ("kernels.verify", "kernels.smoke", "host"):
            assert f"{kind}_{test}" in output


@pytest.mark.slow
@needs_programs("clang++")
def test_kernels_build_with_clang(tmp_path: Path) -> None:
    definitions = ("CMAKE_CXX_COMPILER=clang++", "CMAKE_BUILD_TYPE=Release", "KINDS=SHARED")
    succeed(configure(KERNELS, tmp_path, *definitions))
    succeed(build(tmp_path))

    assert "100% tests passed" in succeed(ctest(tmp_path))
