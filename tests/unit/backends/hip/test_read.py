"""Tests for the alignment of HIP fat binaries."""

from __future__ import annotations

import pytest

from kbuild.backends.hip import read as hip_reader


@pytest.mark.parametrize(("address", "is_aligned"), [(0x3000, True), (0x2030, True), (4, False)])
def test_bundles_can_be_aligned_to_16_bytes(address: int, is_aligned: bool) -> None:
    # Clang aligns bundles to pages, and its linker wrapper to 16 bytes.
    assert (address % hip_reader.find_alignment(".hip_fatbin") == 0) is is_aligned


def test_linker_input_does_not_need_alignment() -> None:
    name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx90a"
    assert hip_reader.find_alignment(name) == 1
