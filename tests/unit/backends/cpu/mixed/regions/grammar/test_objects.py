"""Which classes probably consist of numbers, and which functions are CUDA's that make them."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.grammar.objects import find_class, is_maker, list_members
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("struct C { int a, b; const float* c; };", ["a", "b", "c"]),
        ("struct alignas(8) C { float x, y; };", ["x", "y"]),
        ("class C { public: int a; };", ["a"]),
        ("struct C { int f() const { return a; } int a; static int s; void g(); };", ["a"]),
        ("struct C { int operator()(int x) const { return x; } unsigned long a; };", ["a"]),
        ("typedef struct C { double a; } C;", ["a"]),
        ("class C { int a; };", ["a"]),  # the compiler knows that it is private
        ("struct C { int a; C(int); };", []),
        ("struct C { int a; C(const C&) = default; };", []),
        ("class C { public: int a; private: int b; };", []),
        ("struct C : B { int a; };", []),
        ("struct C { int a = 1; };", []),
        ("struct C { mutable int a; };", []),
        ("struct C { int& a; };", []),
        ("struct C { int a[2]; };", []),
        ("struct C { int a : 3; };", []),
        ("struct C { B a; };", []),
        ("struct C { virtual int f() { return 1; } union { int a; float b; }; };", []),
        ("union C { int a; };", []),
        ("enum C { a };", []),
        ("namespace A { struct C { int a; }; } namespace B { struct C { int b; }; }", []),
    ],
)
def test_members(text: str, members: list[str]) -> None:
    assert [*list_members(Unit(text), "C")] == members


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("const C", "C"),
        ("N :: C const", "C"),
        ("C < int , D >", "C"),
        ("const", ""),
    ],
)
def test_classes(words: str, name: str) -> None:
    assert find_class(words.split()) == name


@pytest.mark.parametrize(
    ("text", "is_known"),
    [
        (
            "constexpr int2 make_int2(int x, int y) { return {x, y}; } int2 a = make_int2(1, 2);",
            True,
        ),
        ("int2 make_int2(int x, int y); inline int2 make_int2(int x);", False),
        ("int2 a = make_int2(1, 2);", False),
    ],
)
def test_makers(text: str, is_known: bool) -> None:
    assert is_maker(Unit(text), "make_int2", "int2") == is_known
    assert not is_maker(Unit(text), "make_int2", "int3")
