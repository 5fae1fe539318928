"""Tests for where a text reads and writes variables of devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu.mixed.diagnosis.uses import Use
from kbuild.backends.cpu.mixed.diagnosis.variables import Part, VariableReviewer
from kbuild.cxx.unit import Unit
from support.source_edits import preprocess_plainly

DECLARED = (
    "struct S { int x; }; int print(const char *, ...); void take(int &);\n"
    "__constant__ int c; __constant__ float *q; __constant__ S object; __constant__ int list[4];\n"
    "__device__ int d; __device__ int a[4]; __device__ S s; __device__ float *p;\n"
    "__managed__ int m; __constant__ const int known = 7;\n"
)


def judge(code: str, part: Part) -> list[str]:
    """Return what is said of a function, if each name is that of the variable."""
    unit = Unit(preprocess_plainly(f"{DECLARED}{code}", Path("a.cu")))
    reviewer = VariableReviewer(unit, part)
    variables = reviewer.find_variables()
    uses = [
        Use(number, unit.starts[index], is_instance=False)
        for number, variable in enumerate(variables)
        for index in unit.find((variable.name,))
    ]
    return [each.message.partition(";")[0] for each in reviewer.judge_variables(variables, uses)]


@pytest.mark.parametrize(
    "statement",
    [
        *("c = 1;", "c <<= 1;", "c++;", "--c;", "(c) = 2;", "int v = 2 * ++c;", "*q++ = 1;"),
        *("q = nullptr;", "if (v) c = 3;", "for (;;) c += 1;", "auto f = [] { c = 1; };"),
    ],
)
def test_assignments_to_constants_are_mistakes(statement: str) -> None:
    name = "q" if "q" in statement else "c"
    message = f"the __constant__ variable '{name}' cannot be assigned"
    assert judge(f"__global__ void k(int v) {{ {statement} }}", "device") == [message]
    assert judge(f"void f(int v) {{ {statement} }}", "host")[0] == message
    assert judge(f"void f(int v) {{ {statement} }}", "all") == [message]
    assert judge(f"void f(int v) {{ {statement} }}", "device") == []


@pytest.mark.parametrize(
    "statement",
    [
        *("v = c == 1;", "v = c <= 1;", "*q = 1;", "q[1] = 2;", "list[1] = 3;", "object.x = 1;"),
        *("object = S{1};", "take(c);", "(int &)c = 2;", "v = c; v++;", "if (c) ++v;", "v = *&c;"),
        "list[0]++;",
    ],
)
def test_what_nvcc_accepts_of_constants_is_accepted(statement: str) -> None:
    assert judge(f"__global__ void k(int v) {{ {statement} }}", "device") == []


@pytest.mark.parametrize(
    ("statement", "variable", "use"),
    [
        ("v = d;", "d", "read"),
        ("v = a[1] + 1;", "a", "read"),
        ("print(0, v, d);", "d", "read"),
        ("v = (int)d;", "d", "read"),
        ("if (d) v = 1;", "d", "read"),
        ("return d;", "d", "read"),
        ("*p = 1;", "p", "read"),
        ("p[v] = 1;", "p", "read"),
        ("d += 1;", "d", "written"),
        ("a[v] = 1;", "a", "written"),
        ("s.x = 1;", "s", "written"),
    ],
)
def test_uses_in_host_code_have_warnings(statement: str, variable: str, use: str) -> None:
    message = f"the __device__ variable '{variable}' cannot be {use} directly in host code"
    assert judge(f"int f(int v) {{ {statement} }}", "host") == [message]
    assert judge(f"__host__ __device__ int f(int v) {{ {statement} }}", "host") == []
    assert judge(f"template <class T> int f(T v) {{ {statement} }}", "host") == []
    assert judge(f"int f(int v) {{ {statement} }}", "all") == []


@pytest.mark.parametrize(
    "statement",
    [
        *("int &r = d;", "take(d);", "print(0, &d);", "v = sizeof(d);", "copy(d, &v, sizeof d);"),
        *("int *r = a;", "m = m + 1;", "void *r = &d;", "(void)d;"),
        "v = known;",
    ],
)
def test_addresses_in_host_code_have_no_warnings(statement: str) -> None:
    assert judge(f"void f(int v) {{ {statement} }}", "host") == []


def test_results_that_are_references_have_no_warnings() -> None:
    assert judge("int &f() { return d; }", "host") == []


def test_initializers_are_no_assignments() -> None:
    unit = Unit(preprocess_plainly("__constant__ int c = 1;\n", Path("a.cu")))

    assert VariableReviewer(unit, "device").find_variables() == ()
