"""Tests for instructions that access memory; see also test_instructions.py."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.inline_ptx.accesses import is_ordered


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ld.relaxed.gpu.b32 %0, [%1];", True),
        ("ld.global.cv.b32 %0, [%1];", True),
        ("st.release.sys.b32 [%0], %1;", True),
        ("membar.gl;", True),
        ("ld.global.nc.b32 %0, [%1];", False),
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", False),
    ],
)
def test_other_threads_can_wait_for_ordered_accesses(code: str, expected: bool) -> None:
    assert is_ordered(code) is expected
