"""Which names are probably constants, or types of numbers and pointers."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.grammar.constants import is_probably_constant, names_scalar
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("text", "is_constant"),
    [
        ("constexpr int N = 1;", True),
        ("static const unsigned N = 1;", True),
        ("constexpr int A = 1, N = 2;", True),
        ("const int N{1};", True),
        ("template <int N> void f();", True),
        ("template <class T, unsigned long N = 3> void f();", True),
        ("template <class N> void f();", False),
        ("template <typename T, typename N> void f();", False),
        ("int N = 1;", False),
        ("int f(int N);", False),
        ("int x = N;", False),
        ("N = 1;", False),
    ],
)
def test_constants(text: str, is_constant: bool) -> None:
    assert is_probably_constant(Unit(text), "N") == is_constant


@pytest.mark.parametrize(
    ("text", "is_scalar"),
    [
        ("using T = float;", True),
        ("using T = unsigned long;", True),
        ("typedef long long T;", True),
        ("using T = S;", False),
        ("using T = int*;", True),
        ("using T = const float*;", True),
        ("typedef int* const T;", True),
        ("using T = volatile int;", False),
        ("using T = int* volatile;", False),
        ("using T = int*&;", False),
        ("using T = int (*)(int);", False),
        ("using T = A<int*>;", False),
        ("typedef int& T;", False),
        ("typedef int T[4];", False),
        ("struct T {};", False),
        ("using T = const float;", False),
    ],
)
def test_names_of_scalar_types(text: str, is_scalar: bool) -> None:
    assert names_scalar(Unit(text), "T") == is_scalar
