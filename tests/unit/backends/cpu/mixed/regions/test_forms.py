"""Which declarations say the same for all threads, and what they declare."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.forms import (
    find_shared,
    is_common_declaration,
    split_declarations,
)
from kbuild.backends.cpu.mixed.regions.variables import list_variables
from kbuild.cxx.statements import divide_body, list_statements
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    "declaration",
    [
        "struct P { int a; }",
        "struct P",
        "struct __attribute__((packed)) P { int a; }",
        "struct alignas(8) P { int a; }",
        "struct P final : Q { int a; }",
        "class P { int a; }",
        "union P { int a; float b; }",
        "enum { A, B }",
        "enum E : int { A, B }",
        "enum class E { A, B }",
        "using T = int",
        "typedef struct { int a; } P",
        "static_assert(1)",
        "constexpr int a = 1",
        "const constexpr int a = 1",
        "static const int a = 1",
        "__kbuild_shared__ int a",
        "extern __kbuild_shared__ int a[]",
    ],
)
def test_common_declarations(declaration: str) -> None:
    assert is_common(declaration)


@pytest.mark.parametrize(
    "declaration",
    [
        "struct P { int a; } v",
        "struct { int a; } v",
        "struct P { int a; } v = {1}",
        "struct P { int a; } *v, w[2]",
        "struct P v",
        "struct P v = {1}",
        "struct P v{1}",
        "struct P *v = p",
        "union P v",
        "enum E { A, B } v",
        "enum E v = A",
        "enum class E v = E::A",
        "const int a = 1",
        "a = 1",
        "P v{1}",
    ],
)
def test_declarations_of_variables(declaration: str) -> None:
    assert not is_common(declaration)


def is_common(declaration: str) -> bool:
    unit = Unit(f"{{ {declaration}; }}")
    (statement,) = list_statements(divide_body(unit, 0))
    return is_common_declaration(unit, statement)


@pytest.mark.parametrize(
    ("declaration", "names", "numbers"),
    [
        ("__kbuild_shared__ float part[SIZE + 2][SIZE]", {"part"}, {"part"}),
        ("__kbuild_shared__ int a, b[N], *c", {"a", "b", "c"}, {"a", "b", "c"}),
        ("extern __kbuild_shared__ T a[]", {"T", "a"}, set()),
        ("__kbuild_shared__ float (*p)[N]", {"p"}, {"p"}),
        ("__kbuild_shared__ int& r", {"r"}, set()),
        ("static int values[] = {first, second}", {"values"}, {"values"}),
        ("static const int N = 4", set(), set()),
        ("int a[N]", set(), set()),
    ],
)
def test_shared_and_static_memory(declaration: str, names: set[str], numbers: set[str]) -> None:
    """The names in sizes are constants, so that regions can compute again what depends on them."""
    unit = Unit(f"{{ {declaration}; }}")

    found = find_shared(unit, divide_body(unit, 0))

    assert (found.names, found.numbers) == (frozenset(names), frozenset(numbers))
    assert {unit.words[index] for index in found.declared} >= names


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        ("int a = f(), b = a;", ["int a = f ( )", "b = a"]),
        ("int a, *b, c[2];", ["int a", "* b", "c [ 2 ]"]),
        ("int (*f)(int) = g, b = 2;", ["int ( * f ) ( int ) = g", "b = 2"]),
        ("T a(1), b{2};", ["T a ( 1 )", "b { 2 }"]),
        ("{ const int a = 1, b = 2; }", ["const int a = 1", "b = 2"]),
        ("int a = 1;", ["int a = 1"]),
        ("a = 1, b = 2;", ["a = 1 , b = 2"]),
        ("static int a = 1, b = 2;", ["static int a = 1 , b = 2"]),
        ("struct { int x; } a, b;", ["struct { int x ; } a , b"]),
        ("for (int i = 0, n = 1; i < n; ++i) ;", ["int i = 0", "n = 1", "i < n", "+ + i", ""]),
    ],
)
def test_each_declarator_is_a_statement(body: str, statements: list[str]) -> None:
    unit = Unit(f"{{ {body} }}")
    found = list_statements(split_declarations(unit, divide_body(unit, 0)))

    assert [" ".join(unit.words[each.start : each.stop]) for each in found] == statements


def test_declarators_know_their_type() -> None:
    unit = Unit("{ const int a = 1, b = 2; }")
    block = split_declarations(unit, divide_body(unit, 0))
    first, second = list_statements(block)

    assert (first.base, second.base) == (None, (1, 3))
    (variable,) = list_variables(unit, block, second)
    assert (variable.name, variable.is_built_in, variable.is_constant) == ("b", True, True)
