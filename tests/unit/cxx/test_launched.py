"""Which braces are around the body of a lambda."""

from __future__ import annotations

import pytest

from kbuild.cxx.launched import find_captures
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("text", "is_lambda"),
    [
        ("f([=] {})", True),
        ("auto f = [](int i) mutable -> int {}", True),
        ("return [&] {}", True),
        ("int operator[](int i) {}", False),
        ("int a[2] {}", False),
        ("if (x) [[likely]] {}", False),
    ],
)
def test_lambdas_start_with_captures(text: str, is_lambda: bool) -> None:
    unit = Unit(text)

    assert (find_captures(unit, unit.words.index("{")) is not None) == is_lambda
