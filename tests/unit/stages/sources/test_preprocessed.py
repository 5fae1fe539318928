"""Tests for extracting kernel declarations from preprocessed text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.stages.sources.kernels import find_declared_kernels
from kbuild.stages.sources.preprocessed import name_relatively, select_kernels

MARK = '# 1 "/usr/include/other.h" 1 3\n'
BACK = '# 9 "k.cu" 2\n'


def find_one(text: str) -> tuple[str, list[tuple[str, str | None]]]:
    (kernel,) = find_declared_kernels(select_kernels(text.encode(), ["k"]))
    return kernel.qualified, [(param.type, param.name) for param in kernel.params]


@pytest.mark.parametrize(
    "text",
    [
        "GLOBAL void k(int n) {}",
        "__attribute__((__global__)) void __attribute__((launch_bounds(9, (1 + 1)))) k(int n) {}",
        'void f() { "}"; R"x()"}{{)x"; 1\'0; \'{\'; }\nGLOBAL void k(int n) {}',
        "struct __attribute__((aligned(16))) S { S() {} };\nGLOBAL void k(int n);",
        "[[noreturn]] GLOBAL void k(const __attribute__((grid_constant)) int n) {}",
        'GLOBAL void k(int n) { asm volatile("{ .reg .u32 x; " : : "r"(n)); }',
        "auto f() noexcept { return [](int x) { return x; }; }\nGLOBAL void k(int n);",
        f"{MARK}int x = 1 @ 2;\n{BACK}GLOBAL void k(int n) {{}}",
        f"GLOBAL void k(\n{MARK}int n) {{}}\n{BACK}int after;",
        f"template <class T>\n{MARK}struct No {{}};\n{BACK}GLOBAL void k(int n) {{}}",
        f"GLOBAL void other(int m) {{}}\n{MARK}{BACK}GLOBAL void k(int n) {{}}",
    ],
)
def test_kernel_declarations_are_kept(text: str) -> None:
    name, params = find_one(text.replace("GLOBAL", "__attribute__((global))"))

    assert name == "k"
    assert [(spelled.removeprefix("const "), named) for spelled, named in params] == [("int", "n")]


def test_scope_can_extend_over_several_files() -> None:
    text = (
        f"namespace a {{\n{MARK}int whole;\nnamespace no {{ int x; }}\n{BACK}"
        f'# 5 "part.h" 1\n__attribute__((global)) void k(float* x) {{}}\n{BACK}}}\n'
    )

    assert find_one(text) == ("a::k", [("float*", "x")])
    assert b"whole" not in select_kernels(text.encode(), ["k"])


def test_other_declarations_and_pragmas_are_removed() -> None:
    text = (
        f"{MARK}enum error\n{{\n{MARK}    first = 1,\n{MARK}    last = 2\n}};\n"
        f"#pragma GCC diagnostic push\n#pragma nv_diag_suppress 1\n{MARK}int x;\n"
        f"{BACK}__attribute__((global)) void k(float* x) {{}}\n"
    )

    assert find_one(text) == ("k", [("float*", "x")])
    assert select_kernels(text.encode(), ["k"]).strip() == b"__global__ void k(float* x) {}"


def test_a_scope_that_another_file_closes_is_kept() -> None:
    text = (
        f"namespace a {{\n{MARK}int x;\n}} namespace b {{ int y;\n{BACK}"
        "__attribute__((global)) void k(float* x) {}\n}\n"
    )

    assert find_one(text) == ("b::k", [("float*", "x")])


def test_kernels_that_are_not_in_the_image_are_removed() -> None:
    text = (
        f"{MARK}__attribute__((global)) void unused(int a) {{}}\n"
        f"{BACK}__attribute__((global)) void k(int n) {{}}\n"
    ).encode()

    assert b"unused" not in select_kernels(text, ["k"])
    assert b"unused" in select_kernels(text, [])  # without names, all kernels are kept


@given(st.binary(max_size=200))
def test_any_text_is_read(noise: bytes) -> None:
    kernel = b"__attribute__((global)) void k(int n) {}\n"
    select_kernels(noise + b"\n" + kernel, ["k"])
    assert b"__global__ void k(int n)" in select_kernels(kernel + noise, ["k"])


def test_paths_below_the_root_become_relative() -> None:
    text = b"""# 1 "/tree/src/a.cu"
#line 2 "/tree/b.hpp"
# 3 "/tree2/c.hpp" 1
const char* s = "/tree/src/a.cu"; // # 1 "/tree/d
"""
    for root in (b"/tree", b"/tree/"):
        assert name_relatively(text, root) == text.replace(b'1 "/tree/src', b'1 "src', 1).replace(
            b'2 "/tree/b', b'2 "b'
        )


COMMON = '# 1 "/usr/include/a.h" 1 3\nnamespace a {{ int f(); }}\n{}\n# 0 "<command-line>" 2\n'


@pytest.mark.parametrize(
    "common",
    [
        "int g() { return 0; }",
        "namespace open {",
        "namespace a { } }",
        "int g()",  # the source has the rest
        'const char* text = R"(',
        "__attribute__((global)) void k();",
    ],
)
def test_what_all_sources_include_does_not_change_the_result(common: str) -> None:
    kernel = "; namespace n { __attribute__((global)) void k(int n) {} }\n"
    for source in ("a.cu", "b.cu"):
        start = f'# 0 "{source}"\n# 0 "<command-line>"\n'
        text = start + COMMON.format(common) + f'# 1 "{source}"\n' + kernel
        unknown = text.replace("<command-line>", "other.h")

        assert select_kernels(text.encode(), ["k"]) == select_kernels(unknown.encode(), ["k"])
