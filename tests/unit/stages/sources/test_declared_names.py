"""The names that declarations of headers declare."""

from __future__ import annotations

import pytest

from kbuild.stages.sources.libraries import Libraries


@pytest.mark.parametrize("name", ["count", "operator_count", "operators"])
def test_names_that_begin_with_operator_are_no_operators(name: str) -> None:
    declaration = f"template <int N> __attribute__((global)) void {name}(int* p) {{ *p = N; }}\n"

    assert Libraries([declaration]).names == {name}
