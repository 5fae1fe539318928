from __future__ import annotations

import pytest

from kbuild.backends.hip import read as hip_reader


@pytest.mark.parametrize(("address", "is_aligned"), [(0x3000, True), (0x2030, True), (4, False)])
def test_bundles_lie_where_compilers_and_linker_wrappers_put_them(
    address: int, is_aligned: bool
) -> None:
    # clang asks for pages; its linker wrapper for what an array of bytes gets: 16.
    assert (address % hip_reader.find_alignment(".hip_fatbin") == 0) is is_aligned


def test_what_only_a_linker_reads_lies_anywhere() -> None:
    name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a"
    assert hip_reader.find_alignment(name) == 1
