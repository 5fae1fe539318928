"""Which operations can run before the rest of their statement: as if C++ evaluated them first."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.grammar.order import check_order
from kbuild.backends.cpu.mixed.regions.model import CannotDivide, Operation
from kbuild.cxx.statements import divide_body, find_statement
from kbuild.cxx.unit import Unit

OWN = ("x", "y", "array")  # numbers, pointers, and arrays of the thread


def can_run_first(text: str) -> bool:
    """Return whether the call of ``op`` in a statement can run before the rest of it."""
    unit = Unit(f"{{ {text}; }}")
    index = unit.words.index("op")
    operation = Operation(
        name="op",
        is_warp_wide=True,
        has_value=True,
        index=index,
        arguments=(),
        close=unit.partners[index + 1],
    )
    statement = find_statement(divide_body(unit, 0), index)
    assert statement is not None
    try:
        check_order(unit, statement, operation, lambda index: unit.words[index] in OWN)
    except CannotDivide:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        "op(x)",
        "x = op(x)",
        "int v = op(x)",
        "v += op(x)",
        "return op(x)",
        "s.m = op(x)",
        "p[f()] = op(x)",  # C++17 evaluates the right side first
        "f() += op(x)",
        "return f() + op(x)",  # in any order
        "x = *p * op(x) - f()",
        "f(g(), op(x), h())",
        "x = (1 + (op(x)))",
        "x = int(op(x))",
        "x = (float)op(x)",
        "x = -op(x)",
        "x = op(x) << f()",
        "x = op(x), f()",
        "x = T()(y, op(x))",
        "x = T{}(v, op(x))",
        "return n::T<int, 2>{}(y, op(x))",
        "op(x).f(g())",
        "x = y << op(x)",
        "x = (y, op(x))",
        "x = array[op(x)]",
        "array[op(x)] = y + 1",
        "array[op(x)] += y",
        "int a[2] = {op(x), f()}",
        "int a[2] = {y, op(x)}",
    ],
)
def test_operations_that_can_run_first(text: str) -> None:
    assert can_run_first(text)


# One for each form whose order C++17 fixes.
@pytest.mark.parametrize(
    "text",
    [
        "x = (f(), op(x))",
        "x = (y += 1, op(x))",
        "x = (y++, op(x))",
        "x = f() << op(x)",
        "x = (y += 1) << op(x)",
        "x = *p >> op(x)",
        "s << op(x)",
        "p[op(x)] = f()",
        "array[op(x)] = *p",
        "array[op(x)] += y++",
        "*op(x) = f()",
        "f().g(op(x))",
        "s.f(y)->g(op(x))",
        "p->f(op(x))",
        "f(y)(op(x))",
        "table[y](op(x))",
        "x = f()[op(x)]",
        "x = p[0][op(x)]",
        "x = s.m[op(x)]",
        "S s{f(), op(x)}",
        "int a[2] = {y++, op(x)}",
        "f({*p, op(x)})",
        "S{f()}.g(op(x))",
        "x = f() && op(x)",
        "x = f() || op(x)",
        "x = f() ? op(x) : 1",
    ],
)
def test_what_precedes_an_operation(text: str) -> None:
    assert not can_run_first(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = sizeof(op(x))",
        "x = sizeof op(x)",
        "x = alignof(op(x))",
        "x = noexcept(op(x))",
        "decltype(op(x)) v = 1",
        "x = typeid(op(x)).f()",
    ],
)
def test_operands_that_are_not_evaluated(text: str) -> None:
    assert not can_run_first(text)
