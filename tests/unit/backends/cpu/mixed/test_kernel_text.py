"""Tests for the loops around the bodies of kernels."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.kernel_text import edit_kernels

LOOP = "__kbuild_unseen_threads__"
START = "::blockIdx.x * __kbuild_width__"
UNSEEN_END = "} __kbuild_unseen_threads_end__ }"
END = "} __kbuild_threads_end__ }"


def rewrite(source: str, *, is_complete: bool = True) -> str:
    text = f'# 1 "a.cu"\n{source}'
    edits = list(edit_kernels(text, q.find_declarations(text), is_complete=is_complete))
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text.split("\n", 1)[1]


@pytest.mark.parametrize(
    ("body", "start", "end"),
    [
        ("p[threadIdx.x] = 1;", "__kbuild_unseen_threads__(unsigned, 0)", UNSEEN_END),
        ("p[0] = 1;", "__kbuild_unseen_threads__(unsigned, 0)", UNSEEN_END),
        (
            "const int i = blockIdx.x * blockDim.x + threadIdx.x; p[i] = 1;",
            f"__kbuild_blockIdx__ __kbuild_blockDim__ {LOOP}(int, {START})",
            UNSEEN_END,
        ),
        (
            "unsigned int i = threadIdx.x + blockDim.x * blockIdx.x; p[i] = gridDim.x;",
            f"__kbuild_blockIdx__ __kbuild_blockDim__ __kbuild_gridDim__ {LOOP}(unsigned, {START})",
            UNSEEN_END,
        ),
        ("__syncthreads(); p[threadIdx.x] = 1;", "__kbuild_threads__", END),
        ("struct L { int x = threadIdx.x; };", "__kbuild_threads_of_variable__", END),
        # Lambdas without captures cannot use constants of the kernel.
        (
            "auto f = [] { return blockIdx.x; }; p[gridDim.x] = f();",
            "__kbuild_gridDim__ __kbuild_unseen_threads__(unsigned, 0)",
            UNSEEN_END,
        ),
    ],
)
def test_body_is_in_a_loop(body: str, start: str, end: str) -> None:
    rewritten = rewrite(f"__kbuild_global__ void k(int* p) {{ {body} }}")

    assert rewritten == f"__kbuild_global__ void k(int* p) {{ {start} {{ {body} {end}"


def test_only_bodies_of_kernels_change() -> None:
    source = (
        "__kbuild_global__ void k(int* p);\n"
        "template <class T> __kbuild_global__ void t(T* p)\n{\n    *p = 1;\n}\n"
        "template __kbuild_global__ void t<int>(int*);\n"
        "struct S { static __kbuild_global__ void m(int* p) { *p = 2; } };\n"
        "__kbuild_device__ void f(int* p) { *p = 3; }\n"
    )
    loop = "{ __kbuild_unseen_threads__(unsigned, 0) {"

    assert rewrite(source) == source.replace(
        "\n{\n    *p = 1;\n}", f"\n{loop}\n    *p = 1;\n{UNSEEN_END}"
    ).replace("{ *p = 2; }", f"{loop} *p = 2; {UNSEEN_END}")


def test_parameters_hide_variables() -> None:
    source = "__kbuild_global__ void k(int blockDim, int* p) { p[blockDim] = threadIdx.x; }"

    assert "__kbuild_blockDim__" not in rewrite(source)


def test_name_of_the_function_is_that_of_the_kernel() -> None:
    rewritten = rewrite("__kbuild_global__ void k() { f(__func__); g(__PRETTY_FUNCTION__); }")

    assert "{ __kbuild_name__ __kbuild" in rewritten
    assert "{ f(__kbuild_func__); g(__kbuild_pretty_function__); }" in rewritten


def test_device_link_can_add_functions_that_stop_threads() -> None:
    source = "__kbuild_global__ void k(int* p) { p[threadIdx.x] = 1; }"

    assert END in rewrite(source, is_complete=False)


def test_kernel_with_a_result_is_left_to_the_check_of_the_object() -> None:
    source = "__kbuild_global__ int k() { return 1; }"

    assert rewrite(source) == source
