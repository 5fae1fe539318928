"""What expressions do with the variable ``x`` where its name is."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.grammar.contexts import Known, Use, read_use
from kbuild.cxx.statements import divide_body, find_statement
from kbuild.cxx.unit import Unit

NUMBERS = ("x", "n", "p")  # names that are those of numbers or pointers without a doubt


def read(text: str, *, is_brought: bool = False) -> tuple[Unit, Use]:
    unit = Unit(f"{{ {text}; }}")
    index = unit.words.index("x")
    statement = find_statement(divide_body(unit, 0), index)
    assert statement is not None
    use = read_use(
        unit,
        statement,
        (index, index + 1),
        is_brought=is_brought,
        known=Known(lambda index: unit.words[index] in NUMBERS, {"take": (True, False)}),
    )
    return unit, use


@pytest.mark.parametrize(
    "text",
    [
        "n = x + 1",
        "n = n * -x",
        "n = n << x",
        "n = x ? n : 1",
        "n = x",
        "n = (x)",
        "n = ((x) + 2)",
        "n += x",
        "int i = x",
        "const float i = x",
        "auto i = x",
        "int a[2] = {1, x}",
        "int a[2] = {n * x, 1}",
        "x[n] = 1",
        "x->m = 1",
        "*x = 1",
        "n = int(x)",
        "n = (float)x",
        "n = static_cast<int>(x)",
        "n = sizeof(x)",
        "return x + 1",
        "if (x) n = 1",
        "while (x < n) n = 1",
        "for (; x < n;) n = 1",
        "switch (x) { case 1: n = 1; }",
        "f(x + 1)",
        "f(-x)",
        "p[n + x] = 1",
        "x < threadIdx.x",
    ],
)
def test_uses_that_read(text: str) -> None:
    assert read(text)[1] == Use("read")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x = n",
        "x += 1",
        "x <<= n",
        "++x",
        "x--",
        "for (;; ++x) n = 1",
        "x++",
        "n = x++",
        "x = {1}",
        "int a[2] = {1, x++}",
    ],
)
def test_uses_that_change(text: str) -> None:
    assert read(text)[1] == Use("changed")


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        "f(n, x)",
        "T{x}",
        "T(x)",
        "v<T>(x)",
        "g(h)(x)",
        "&x",
        "n = *&x",
        "int& r = x",
        "T (n) = 1, &r = x",
        "T n = 1, s[2] = x",
        "f(n = 1, s[2] = x)",
        "const int& r = x",
        "auto& r = x",
        "S s = x",
        "S s{x}",
        "int i{x}",
        "S a[] = {x}",
        "int a[2][2] = {{x}}",
        "x.m = 1",
        "x.f()",
        "x(1)",
        "n = n ? x : 1",
        "(n ? x : n) = 1",
        "n = (x, 1)",
        "n = (x = 1)",
        "f(x = 1)",
        "f(++x)",
        "(++x)++",
        "f([&] { return x; })",
        "auto f = [x] { return 1; }",
        "throw x",
        "new T(x)",
        "int a[] = {x}",
        "int a[2] = {1, x += 1}",
        "int a[2] = {1, y = x}",
        "int a = b[0, y = x]",
        "*p[0] = {x}",
        "decltype(x) i",
        "n = (T)x",
        "s <=> x",
        "return x + T{1}",
        "static_cast<T>(x)",
        "static_cast<int&>(x)",
        "f<x>()",
        "n = x + f<T>(y)",
    ],
)
def test_other_uses(text: str) -> None:
    assert read(text)[1].kind == "unknown"


@pytest.mark.parametrize(
    ("text", "operands", "bases"),
    [
        ("n = x + y", ["y"], []),
        ("n = f(1) * x - s.m", ["f ( 1 )", "s . m"], []),
        ("y = x", ["y"], []),
        ("s[1] = n, s[2] = x", ["s [ 2 ]"], []),
        ("n = 1, *s = x", ["* s"], []),
        ("s.m += x", ["s . m"], []),
        ("y[x] = 1", [], ["y"]),
        ("s.m[1][x] = 1", [], ["s . m [ 1 ]"]),
        ("f(1)[x] = 1", [], ["f ( 1 )"]),
        ("p[n] = n + x", [], []),
        ("return y < x", ["y"], []),
        ("x += y", ["y"], []),
        ("x = y", [], []),
        ("n = static_cast<int>(y) + x", ["static_cast < int > ( y )"], []),
        (
            "n = reinterpret_cast<A<int>*>(y)[1] * x",
            ["reinterpret_cast < A < int > * > ( y ) [ 1 ]"],
            [],
        ),
        ("n = sqrtf(x * 2 + y)", ["y"], []),
    ],
)
def test_what_must_be_numbers_or_pointers(text: str, operands: list[str], bases: list[str]) -> None:
    unit, use = read(text)
    spans = [
        [" ".join(unit.words[slice(*span)]) for span in each] for each in (use.operands, use.bases)
    ]

    assert use.kind != "unknown"
    assert spans == [operands, bases]


def test_arguments_of_operations_are_values() -> None:
    assert read("n = __shfl_sync(~0u, x, 0)")[1].kind == "unknown"
    assert read("n = __shfl_sync(~0u, x, 0)", is_brought=True)[1].kind == "read"


def test_an_argument_that_a_function_takes_by_value() -> None:
    unit, use = read("take(x, n + 1)")

    assert use.kind == "read"
    assert use.call is not None
    assert use.call.place == 0
    assert [unit.words[slice(*span)] for span in use.call.arguments] == [["x"], ["n", "+", "1"]]


@pytest.mark.parametrize("text", ["take(n, x)", "take(x)", "s.take(x, n)", "[&] { take(x, n); }()"])
def test_other_arguments(text: str) -> None:
    assert read(text)[1].kind == "unknown"


def test_a_number_of_a_named_type_has_a_guard() -> None:
    unit, use = read("using Real = float; const Real a = 0, i = x")

    assert use.kind == "read"
    assert [unit.words[slice(*span)] for span in use.types] == [["Real"]]


@pytest.mark.parametrize("text", ["S a = {p[n + x]}", "f({p[x], n})", "S a = {{n, p[x]}}"])
def test_subscripts_in_lists_of_values(text: str) -> None:
    assert read(text)[1].kind in ("read", "unknown")
    assert (read(text)[1].kind == "read") == (" = {" in text)
