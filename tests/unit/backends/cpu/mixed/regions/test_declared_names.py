"""Which names a statement can declare."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.declared_names import (
    find_possibly_declared,
    list_declared_names,
)
from kbuild.cxx.statements import Statement, divide_body
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("f(x)", "x"),
        ("T<sizeof(y)>(x)", "x"),
        ("n::T(*x)", "x"),
        ("T((&x)[3])", "x"),
        ("T(x) = 5", "x"),
        ("decltype(y)(x)", "x"),
        ("f(x, y)", None),
        ("f(x + y)", None),
        ("f(1)", None),
        ("f(this)", None),
        ("a.f(x)", None),
        ("y = T(x)", None),
        ("++x", None),
    ],
)
def test_statements_that_declare_a_name_if_they_start_with_a_type(
    statement: str, name: str | None
) -> None:
    unit = Unit(f"{{ {statement}; }}")
    (found,) = divide_body(unit, 0).children
    assert isinstance(found, Statement)

    index = find_possibly_declared(unit, found)

    assert (None if index is None else unit.words[index]) == name


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("int a = 1, b(2), *c, d{3}", "a b c d"),
        ("int a = 4, (b) = 5, (*c)[2]", "a b c"),
        ("int a = b < c, d = e > (f)", "a d"),
        ("[[maybe_unused]] T(a)", "a"),
        ("enum { A, B = 2 } e", "A B"),
        ("f(a, b, c)", ""),
        ("a[b, c] = d", ""),
    ],
)
def test_names_that_can_be_declared(statement: str, names: str) -> None:
    unit = Unit(f"{{ {statement}; }}")
    (found,) = divide_body(unit, 0).children
    assert isinstance(found, Statement)

    assert " ".join(unit.words[index] for index in list_declared_names(unit, found)) == names
