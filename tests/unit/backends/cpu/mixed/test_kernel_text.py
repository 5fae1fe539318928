"""Tests for the loops around the bodies of kernels."""

from __future__ import annotations

import re

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import edit_kernels
from kbuild.cxx.unit import Unit

# What every kernel says of its execution model; see tests/tools/backends/cpu/test_regions.py.
_EXECUTED = re.compile(r'__kbuild_executed__\("[^"]*"\) (?:__kbuild_reviewed__\(\d+\) )?')
LOOP = "__kbuild_plain_loop__ {"
INDEX = "__kbuild_threadIdx__"
START = "__kbuild_block__.x * __kbuild_width__"
BLOCK = "__kbuild_blockIdx__(__kbuild_block__)"
SIZE = "__kbuild_blockDim__(__kbuild_size__)"
GRID = "__kbuild_gridDim__(__kbuild_grid__)"
PLAIN_END = "} __kbuild_plain_loop_end__(unsigned, 0) }"
END = "} __kbuild_suspendable_end__ }"


def rewrite(source: str, findings: tuple[tuple[str, int], ...] = ()) -> str:
    text = f'void __kbuild_block_barrier__ __syncthreads();\n# 1 "a.cu"\n{source}'
    code = Unit(text)
    found = edit_kernels(code, q.find_declarations(code), split=None, findings=findings)
    for edit in sorted(found.edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return _EXECUTED.sub("", text.split("\n", 2)[2])


@pytest.mark.parametrize(
    ("body", "start", "end"),
    [
        ("p[threadIdx.x] = 1;", f"{LOOP} {INDEX}", PLAIN_END),
        ("p[0] = 1;", f"{LOOP} {INDEX}", PLAIN_END),
        (
            "const int i = blockIdx.x * blockDim.x + threadIdx.x; p[i] = 1;",
            f"{LOOP} {BLOCK} {SIZE} {INDEX}",
            f"}} __kbuild_plain_loop_end__(int, {START}) }}",
        ),
        (
            "unsigned int i = threadIdx.x + blockDim.x * blockIdx.x; p[i] = gridDim.x;",
            f"{LOOP} {BLOCK} {SIZE} {GRID} {INDEX}",
            f"}} __kbuild_plain_loop_end__(unsigned, {START}) }}",
        ),
        ("__syncthreads(); p[threadIdx.x] = 1;", "__kbuild_suspendable__ {", END),
        (
            "__syncthreads(); p[blockIdx.x] = 1;",
            "__kbuild_blockIdx__(::blockIdx) __kbuild_suspendable__ {",
            END,
        ),
        # A class needs the variable itself.
        ("struct L { int x = threadIdx.x; };", f"{LOOP} __kbuild_store__", PLAIN_END),
        ("p[0] = *static_cast<int*>(alloca(4));", "__kbuild_suspendable_with_frame__ {", END),
        # Lambdas without captures cannot use constants of the kernel.
        (
            "auto f = [] { return blockIdx.x; }; p[gridDim.x] = f();",
            f"{LOOP} {GRID} {INDEX}",
            PLAIN_END,
        ),
    ],
)
def test_body_is_in_a_loop(body: str, start: str, end: str) -> None:
    rewritten = rewrite(f"__kbuild_global__ void k(int* p) {{ {body} }}")

    assert rewritten == f"__kbuild_global__ void k(int* p) {{ {start} {body} {end}"


@pytest.mark.parametrize(
    ("declarations", "bounds"),
    [
        ("__kbuild_global__ void __kbuild_launch_bounds__(64) k(int) {}", "64"),
        ("__kbuild_launch_bounds__(2 * N, 4) __kbuild_global__ void k(int) {}", "2 * N, 4"),
        (
            "template <class T> __kbuild_global__ __kbuild_launch_bounds__(sizeof(T)) void k(T) {}",
            "sizeof(T)",
        ),
        (
            (
                "__kbuild_global__ void __kbuild_launch_bounds__(64) k(int, float* x = 0);\n"
                "__kbuild_global__ void k(int a, float* b) {}"
            ),
            "64",
        ),
        (
            (
                "__kbuild_global__ void __kbuild_launch_bounds__(64) k(int);\n"
                "__kbuild_global__ void k(float) {}"
            ),
            None,
        ),
        (
            (
                "namespace n { __kbuild_global__ void __kbuild_launch_bounds__(64) k(int); }\n"
                "__kbuild_global__ void k(int) {}"
            ),
            None,
        ),
        ("__kbuild_global__ void k(int) {}", None),
    ],
)
def test_launch_bounds_are_in_the_body(declarations: str, bounds: str | None) -> None:
    start = "{" if bounds is None else f"{{ __kbuild_bounded__({bounds})"

    assert rewrite(declarations).endswith(f"{start} {LOOP} {INDEX}{PLAIN_END}")


def test_only_bodies_of_kernels_change() -> None:
    source = (
        "__kbuild_global__ void k(int* p);\n"
        "template <class T> __kbuild_global__ void t(T* p)\n{\n    *p = 1;\n}\n"
        "template __kbuild_global__ void t<int>(int*);\n"
        "struct S { static __kbuild_global__ void m(int* p) { *p = 2; } };\n"
        "__kbuild_device__ void f(int* p) { *p = 3; }\n"
    )
    loop = f"{{ {LOOP} {INDEX}"

    assert rewrite(source) == source.replace(
        "\n{\n    *p = 1;\n}", f"\n{loop}\n    *p = 1;\n{PLAIN_END}"
    ).replace("{ *p = 2; }", f"{loop} *p = 2; {PLAIN_END}")


def test_parameters_hide_variables() -> None:
    source = "__kbuild_global__ void k(int blockDim, int* p) { p[blockDim] = threadIdx.x; }"

    assert "__kbuild_blockDim__" not in rewrite(source)


def test_name_of_the_function_is_that_of_the_kernel() -> None:
    rewritten = rewrite("__kbuild_global__ void k() { f(__func__); g(__PRETTY_FUNCTION__); }")

    assert "{ __kbuild_name__ __kbuild" in rewritten
    assert f"{INDEX} f(__kbuild_func__); g(__kbuild_pretty_function__); }}" in rewritten


@pytest.mark.parametrize(
    ("findings", "start"),
    [
        ((), f"{LOOP} {INDEX}"),
        ((("index", 0),), f"{LOOP} __kbuild_store__ {INDEX}"),
        ((("waits", 0),), "__kbuild_suspendable__ {"),
        ((("waits", 1),), f"{LOOP} {INDEX}"),
    ],
)
def test_the_object_says_what_functions_do(
    findings: tuple[tuple[str, int], ...], start: str
) -> None:
    other = "__kbuild_global__ void other() {}"
    source = f"__kbuild_global__ void k(int* p) {{ p[0] = f(1); }} {other}"

    assert f"void k(int* p) {{ {start} p[0] = f(1); }}" in rewrite(source, findings)


def test_a_function_can_compute_the_index_in_the_grid() -> None:
    source = "__kbuild_global__ void k(int* p) { p[index()] = 1; }"

    assert PLAIN_END in rewrite(source)
    assert rewrite(source, (("index", 0),)).endswith(f"__kbuild_plain_loop_end__(int, {START}) }}")


def test_kernel_with_a_result_is_left_to_the_check_of_the_object() -> None:
    source = "__kbuild_global__ int k() { return 1; }"

    assert rewrite(source) == source


def test_the_first_word_of_a_body_can_follow_its_brace() -> None:
    source = "__kbuild_global__ void k(int* p) {int x = 1; p[0] = x; }"

    assert f"{INDEX} int x = 1;" in rewrite(source)
