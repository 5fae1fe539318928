"""Tests for the scopes around positions."""

from __future__ import annotations

import pytest

from kbuild.cxx.scopes import Scopes
from kbuild.cxx.unit import Unit


def describe(text: str) -> list[str]:
    """Return the scopes around the word HERE."""
    position = text.index("HERE")
    return [f"{scope.kind} {scope.name}".rstrip() for scope in Scopes(Unit(text)).around(position)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HERE", []),
        ("namespace a::b { HERE }", ["namespace a::b"]),
        ("inline namespace v1 { HERE }", ["namespace v1"]),
        ("namespace a::inline b { HERE }", ["namespace a::b"]),
        ("namespace { HERE }", ["namespace"]),
        ('namespace a __attribute__((visibility("hidden"))) { HERE }', ["namespace a"]),
        ('extern "C" { HERE }', ["language"]),
        ("struct S : B<f()> { HERE }", ["class S"]),
        ("template <class T> class S { public: HERE }", ["class S"]),
        ("template <class T, bool is_x = n::is_x<T>::value> struct S { HERE }", ["class S"]),
        ("struct __attribute__((x(1))) S { HERE }", ["class S"]),
        ("typedef struct { HERE } S;", ["class"]),
        ("__kbuild_device__ const struct S { HERE } s;", ["class S"]),
        ("template <> class S<(1 > 2), f(3)> final : B { HERE };", ["class S"]),
        ("struct S s = { HERE };", ["block"]),
        ("struct S f() { HERE }", ["block"]),
        ("int f(int n = {3}) { if (n) { HERE } }", ["block", "block"]),
        ("struct S { void f() const { HERE } };", ["class S", "block"]),
        ("auto l = [] { HERE };", ["block"]),
        ("namespace a { } HERE", []),
        ("namespace a { int x; } namespace b { HERE }", ["namespace b"]),
        ('char c = \'{\'; char* s = "{{{"; char* r = R"({)"; HERE', []),
        ("int n = 1'000'000; namespace a { HERE }", ["namespace a"]),
        ("#pragma x {\nnamespace a {\nHERE }", ["namespace a"]),
        ("#if 0\n{\n#endif\nHERE", []),
    ],
)
def test_open_braces_are_scopes(text: str, expected: list[str]) -> None:
    assert describe(text) == expected


def test_namespaces_of_many_positions_are_found_in_one_scan() -> None:
    text = "A; namespace n { B; namespace { C } D } namespace m { void f() { E } }"
    positions = {word: text.index(word) for word in "ABCDE"}
    scopes = Scopes(Unit(text))
    found = {word: scopes.name_namespace(position) for word, position in positions.items()}
    assert found == {"A": (), "B": ("n",), "C": ("n", ""), "D": ("n",), "E": ("m",)}
