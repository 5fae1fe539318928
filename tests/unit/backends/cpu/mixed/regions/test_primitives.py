"""How kernels that call functions of CUB's objects are divided, and why others are not."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import KernelEdits, Split, edit_kernels
from kbuild.backends.cpu.mixed.regions.primitives import find_calls
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

# As in the headers of the device language.
HEADER = """\
namespace cub {
template <class T, int N> class __kbuild_block_primitive__ BlockReduce;
template <class T> class __kbuild_warp_primitive__ WarpScan;
}
"""
PRIMITIVE = "::kbuild_cpu::regions::primitive"


def divide(body: str, before: str = "") -> tuple[Unit, KernelEdits]:
    text = f"{before}__kbuild_global__ void k(int* p, int n)\n{{ {body} }}\n"
    code = Unit(f'# 1 "h.h" 3\n{HEADER}# 1 "a.cu"\n{text}')
    return code, edit_kernels(code, q.find_declarations(code), split=Split())


def write(body: str, before: str = "") -> str:
    """Return the text of a kernel that is divided."""
    code, found = divide(body, before)
    assert not found.obstacles
    assert found.divided
    return " ".join(apply_edits(code.text, found.edits, (0, len(code.text))).split())


CALL = "int x = {}(temp).Sum(n); p[0] = x;"


@pytest.mark.parametrize(
    ("name", "before", "inside"),
    [
        ("cub::BlockReduce<int, 128>", "", ""),
        ("R", "typedef cub::BlockReduce<int, 128> R;", ""),
        ("Q", "using R = cub::BlockReduce<int, 128>; using Q = R;", ""),
        ("R", "", "typedef cub::BlockReduce<int, 128> R;"),
        ("S::R", "struct S { using R = cub::BlockReduce<int, 128>; };", ""),
    ],
)
def test_classes_have_names(name: str, before: str, inside: str) -> None:
    text = write(f"{inside} {CALL.format(name)}", before)

    assert f"return {PRIMITIVE}<{name}>(temp).Sum(n);" in text
    assert "int x = __kbuild_c0__.get(__kbuild_t__);" in text


@pytest.mark.parametrize(
    "declaration",
    [
        "R scan(t);",
        "R scan{t};",
        "auto scan = R(temp);",
        "auto scan = cub::WarpScan<int>(t);",
    ],
)
def test_objects_have_names(declaration: str) -> None:
    text = write(f"{declaration} int x; scan.InclusiveSum(n, x);", "using R = cub::WarpScan<int>;")

    assert "return ::kbuild_cpu::regions::primitive_of(scan).InclusiveSum(n, x);" in text


def test_arguments_that_make_objects_are_checked() -> None:
    text = write("int x = cub::BlockReduce<int, 8>(temp).Reduce(n, Max());")

    assert ".Reduce(n, ::kbuild_cpu::regions::pass_value(Max()));" in text


def test_functions_that_call_them_are_divided() -> None:
    before = f"__kbuild_device__ int f(int n, int* p) {{ {CALL.format('R')} return x; }}\n"
    text = write("p[1] = f(n, p);", f"using R = cub::BlockReduce<int, 8>;\n{before}")

    assert f"return {PRIMITIVE}<R>(temp).Sum(n);" in text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if (threadIdx.x < 9) p[0] = R(temp).Sum(n);", "a barrier is under a condition"),
        ("int x = n > 3 ? R(temp).Sum(n) : 0;", "'R' is in a conditional expression"),
        ("int x = (p[0] = 2, R(temp).Sum(n));", "C++ evaluates something before 'Sum'"),
        ("auto f = [&] { return R(temp).Sum(n); };", "'R' is in a lambda or a class"),
        ("p[0] = S<int>::R(temp).Sum(n);", "the class with 'Sum' has a name of unknown form"),
    ],
)
def test_other_calls_keep_fibers(body: str, reason: str) -> None:
    _, found = divide(body, "using R = cub::BlockReduce<int, 8>;")

    assert not found.divided
    (obstacle,) = found.obstacles.values()
    assert obstacle.startswith(reason)


@pytest.mark.parametrize("body", ["p[0] = other(temp).Sum(n);", "p[0] = a.R(temp).Sum(n);"])
def test_functions_of_other_objects_are_no_operations(body: str) -> None:
    _, found = divide(body, "using R = cub::BlockReduce<int, 8>;")

    assert not found.divided
    assert not found.obstacles


def test_aliases_without_an_end_are_no_classes() -> None:
    assert list(find_calls(Unit('# 1 "a.cu"\nvoid f() { using T = int }'), {"R": False})) == []
