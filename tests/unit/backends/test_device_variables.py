"""Tests for the names that a declaration of device variables declares."""

from __future__ import annotations

import pytest

from kbuild.backends.qualifiers import QUALIFIERS, list_declarators
from kbuild.cxx.declarations import find_qualified
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a, *b = nullptr, c[2][3] = {{1, 2}}, (*d)(int, int);", ["a", "b", "c", "d"]),
        ("P<int, P<int, int>> a{1, {2, 3}}, b;", ["a", "b"]),
        ("int S::*a = &S::x, (S::*b)(int) const;", ["a", "b"]),
        ("const struct S : B<1, 2> { int x, y; } a = {1, 2}, *b;", ["a", "b"]),
        ("struct { int x; } a;", ["a"]),
        ("enum E : int { X, Y = 2 } a = X;", ["a"]),
        ("struct S a{1};", ["a"]),
        ("", []),
        ("int", []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    (found,) = find_qualified(Unit(f"__kbuild_device__ {text}"), QUALIFIERS)

    assert found.kind == "variable"
    assert [declarator.name.text for declarator in list_declarators(found)] == expected
