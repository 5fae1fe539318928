"""Which names a body declares at places that are not known."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.uses import find_redeclared
from kbuild.cxx.statements import divide_body
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("g([](int v) {});", {"v"}),
        ("g([](const T& v, U* w, V<3> x) {});", {"v", "w", "x"}),
        ("auto [v, w] = pair;", {"v", "w"}),
        ("for (const auto& [v, w] : pairs) ;", {"v", "w"}),
        ("struct S { int v; };", {"v"}),
        ("catch (E& v) {}", {"v"}),
        ("return v;", set()),
        ("if (a) v = 1; else w = 2;", set()),
        ("v = a + b - (c < d);", set()),
        ("f(v, w);", set()),
    ],
)
def test_redeclared_names(body: str, names: set[str]) -> None:
    unit = Unit(f"{{ {body} }}")
    found = find_redeclared(unit, divide_body(unit, 0), set())

    assert names <= found
    assert found.isdisjoint({"a", "b", "c", "d"})
    assert names or not found & {"v", "w"}


def test_known_declarations_are_no_other_ones() -> None:
    unit = Unit("{ int v = 1; { int v = 2; } }")
    body = divide_body(unit, 0)
    first, second = unit.find(("v",))

    assert find_redeclared(unit, body, {first, second}) == frozenset()
    assert find_redeclared(unit, body, {first}) == {"v"}
