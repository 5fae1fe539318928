"""Tests for the edits that make host texts and device texts of preprocessed text."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.device_text import edit_device_text, expose_kernels
from kbuild.backends.cpu.mixed.host_text import edit_host_text
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError

MARKER = '# 1 "a.cu"\n'


def apply(text: str, edits: list[Edit]) -> str:
    """Return the text with the edits, without line markers and on one line."""
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    lines = (line for line in text.split("\n") if not line.startswith("#"))
    return " ".join(" ".join(lines).split())


def make_host_text(text: str) -> str:
    text = MARKER + text
    code = Unit(text)
    return apply(text, list(edit_host_text(code, q.find_declarations(code))))


def make_device_text(text: str) -> str:
    text = MARKER + text
    return apply(text, list(edit_device_text(text, q.find_declarations(Unit(text)), "a.cu")))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "static __kbuild_global__ void k(int* p) { *p = 1; }",
            "__kbuild_kernel__ void k(int* p) __kbuild_kernel_body__",
        ),
        (
            "template <> __kbuild_global__ void k<int>(int* p) { *p = 1; }",
            (
                "template <> __kbuild_specialization__ void k<int>(int* p) "
                "__kbuild_specialization_body__"
            ),
        ),
        ("static __kbuild_global__ void k();", "__kbuild_global__ void k();"),
        ("template __kbuild_global__ void k<int, 2>(int*);", ""),
        (
            "inline __kbuild_device__ int f(int x) { return x; }",
            '__kbuild_function__ int f(int x) { ::kbuild_cpu::stop_host("f"); }',
        ),
        (
            "static inline __kbuild_device__ int f(int x) { return x; }",
            'static inline __kbuild_unused__ int f(int x) { ::kbuild_cpu::stop_host("f"); }',
        ),
        (
            "struct S { __kbuild_device__ int f() const { return 1; } };",
            'struct S { __kbuild_device__ int f() const { ::kbuild_cpu::stop_host("f"); } };',
        ),
        (
            "constexpr __kbuild_device__ int f() { return 1; }",
            "constexpr __kbuild_unused__ int f() { return 1; }",
        ),
        (
            "__kbuild_host__ __kbuild_device__ int f() { return 1; }",
            "__kbuild_unused__ __kbuild_device__ int f() { return 1; }",
        ),
        (
            "struct S { int& a; __kbuild_device__ S(int& b) : a(b) { g(); } };",
            "struct S { int& a; __kbuild_unused__ S(int& b) : a(b) { g(); } };",
        ),
        (
            "__kbuild_device__ S::S(int& b) : a(b) { g(); }",
            "__kbuild_unused__ inline S::S(int& b) : a(b) { g(); }",
        ),
        (
            "__kbuild_device__ auto f(int x) -> decltype(x + 1u) { return g(x); }",
            (
                "__kbuild_function__ auto f(int x) -> decltype(x + 1u) "
                '{ ::kbuild_cpu::stop_host("f"); }'
            ),
        ),
        (
            "__kbuild_device__ decltype(g()) f() { return g(); }",
            '__kbuild_function__ decltype(g()) f() { ::kbuild_cpu::stop_host("f"); }',
        ),
        (
            "struct S { __kbuild_device__ auto f() const noexcept -> int { return g(); } };",
            (
                "struct S { __kbuild_device__ auto f() const noexcept -> int "
                '{ ::kbuild_cpu::stop_host("f"); } };'
            ),
        ),
        (
            "template <class T> __kbuild_device__ auto f(T x) -> decltype(x) { return g(x); }",
            (
                "template <class T> __kbuild_unused__ auto f(T x) -> decltype(x) "
                '{ ::kbuild_cpu::stop_host("f"); }'
            ),
        ),
        (
            "__kbuild_device__ auto f(S* p) noexcept(noexcept(p->g())) { return p->g(); }",
            "__kbuild_unused__ inline auto f(S* p) noexcept(noexcept(p->g())) { return p->g(); }",
        ),
        (
            "static __kbuild_device__ auto f() -> auto& { return g(); }",
            "static __kbuild_unused__ auto f() -> auto& { return g(); }",
        ),
        (
            "__kbuild_device__ decltype(auto) f() { return g(); }",
            "__kbuild_unused__ inline decltype(auto) f() { return g(); }",
        ),
    ],
)
def test_functions_in_host_texts(source: str, expected: str) -> None:
    assert make_host_text(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "__kbuild_device__ int f(int x) { return x; }",
            "__kbuild_unused__ inline int f(int x) { return x; }",
        ),
        (
            "static __kbuild_device__ int f(int x) { return x; }",
            "static __kbuild_unused__ int f(int x) { return x; }",
        ),
        (
            "struct S { __kbuild_device__ int f(int x) const { return atomicAdd(p, x); } };",
            "struct S { __kbuild_unused__ int f(int x) const { return atomicAdd(p, x); } };",
        ),
        (
            "__kbuild_device__ int f() { return threadIdx.x; }",
            '__kbuild_function__ int f() { ::kbuild_cpu::stop_host("f"); }',
        ),
        (
            "__kbuild_device__ void f() { __syncthreads(); }",
            '__kbuild_function__ void f() { ::kbuild_cpu::stop_host("f"); }',
        ),
        ("__kbuild_constant__ int c[4];", "__kbuild_shadow__ int c[4];"),
        ("__kbuild_device__ int a[] = {1};", "static __kbuild_shadow__ int a[] = {1};"),
        (
            "static __kbuild_global__ void k(int* p) { *p = 1; }",
            "__kbuild_kernel__ void k(int* p) __kbuild_kernel_body__",
        ),
    ],
)
def test_host_texts_with_thrust_keep_device_functions(source: str, expected: str) -> None:
    headers = (
        "void __kbuild_needs_block__ __syncthreads(); int __kbuild_needs_thread__ atomicAdd();"
    )
    text = make_host_text(f'# 1 "/x/thrust/detail/config.h" 1 3\n{headers} {source}')

    assert text == f"{headers} {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__kbuild_device__ float w[2];", "static __kbuild_shadow__ float w[2];"),
        (
            "alignas(8) __kbuild_device__ char c[8];",
            "alignas(8) static __kbuild_shadow__ char c[8];",
        ),
        ("__kbuild_managed__ int m;", "__kbuild_shadow__ int m;"),
        (
            "static __kbuild_constant__ int a[] = {1, 2};",
            "static __kbuild_shadow__ int a[] = {1, 2};",
        ),
        ("extern __kbuild_device__ int x;", "extern __kbuild_device__ int x;"),
        (
            "namespace n { namespace { __kbuild_device__ int x; } }",
            "namespace n { namespace { __kbuild_shadow__ int x; } }",
        ),
        (
            "extern __kbuild_device__ int x, y; __kbuild_device__ int x = 1;",
            "extern __kbuild_device__ int x, y; __kbuild_shadow__ int x = 1;",
        ),
        (
            'extern "C" { __kbuild_device__ int c; } inline __kbuild_device__ int d = 1;',
            'extern "C" { __kbuild_shadow__ int c; } inline __kbuild_shadow__ int d = 1;',
        ),
        (
            "template <class T> __kbuild_constant__ T c[4];",
            "template <class T> static __kbuild_shadow__ T c[4];",
        ),
        (
            "template <> __kbuild_constant__ int c<int>[4] = {1};",
            "template <> __kbuild_shadow__ int c<int>[4] = {1};",
        ),
        (
            "__kbuild_device__ int f() { return 1; } __kbuild_device__ F t[] = {f, &g<int>, &f};",
            (
                '__kbuild_function__ int f() { ::kbuild_cpu::stop_host("f"); } '
                "static __kbuild_shadow__ F t[] = {nullptr, &g<int>, nullptr};"
            ),
        ),
    ],
)
def test_variables_in_host_texts(source: str, expected: str) -> None:
    assert make_host_text(source) == expected


def test_qualifiers_in_expressions_stay_wrong() -> None:
    text = make_host_text("int x = f(1, __kbuild_constant__ y); __kbuild_constant__ int c;")

    # An attribute of nvcc is not a part of an expression, and this one begins a declaration.
    assert "f(1, __attribute__(()) y)" in text
    assert text.count("__attribute__") == 1


def test_shadows_of_a_device_link_keep_their_linkage() -> None:
    text = f"{MARKER}__kbuild_device__ int x;"
    code = Unit(text)
    edits = edit_host_text(code, q.find_declarations(code), is_relocatable=True)

    assert apply(text, list(edits)) == "__kbuild_shadow__ int x;"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "__kbuild_device__ float w[2];",
            "__kbuild_device__ float w[2];__kbuild_row__(0, __builtin_addressof(w), sizeof(w), 0)",
        ),
        (
            "static __kbuild_constant__ int a = 1, b;",
            (
                "static __kbuild_initialized__ int a = 1, b;"
                "__kbuild_row__(0, __builtin_addressof(a), sizeof(a), 1) "
                "__kbuild_row__(1, __builtin_addressof(b), sizeof(b), 1)"
            ),
        ),
        ("extern __kbuild_device__ int x;", "extern __kbuild_device__ int x;"),
        (
            "namespace n { __kbuild_managed__ int m[3] = {1, 2, 3}; }",
            (
                'namespace n { extern int (&m)[3] __asm__("kbuild_managed.n.m") '
                '__attribute__((visibility("hidden")));extern void *kbuild_slot_0 '
                '__asm__("kbuild_managed.n.m"); __kbuild_row__(0, &kbuild_slot_0, sizeof(m), 2) }'
            ),
        ),
        (
            "namespace n { namespace { template <class T> __kbuild_constant__ T c[4]; } }",
            (
                "namespace n { namespace { template <class T> __attribute__((used)) T c[4];"
                '__kbuild_template__("n::(anonymous namespace)::c", 1) } }'
            ),
        ),
        pytest.param(
            "template <class T> __kbuild_device__ T v = T(1);",
            (
                "template <class T> __kbuild_initialized__ __attribute__((used)) T v = T(1);"
                '__kbuild_template__("v", 0)'
            ),
        ),
        pytest.param(
            "__kbuild_device__ int v = f(1);",
            (
                "__kbuild_initialized__ int v = f(1);"
                "__kbuild_row__(0, __builtin_addressof(v), sizeof(v), 0)"
            ),
        ),
        (
            "__kbuild_device__ int (*p)() = f;",
            (
                "__kbuild_device__ int (*p)() = f;"
                "__kbuild_row__(0, __builtin_addressof(p), sizeof(p), 0)"
            ),
        ),
        ("__kbuild_global__ void k() { static __kbuild_device__ int x; }",) * 2,
    ],
)
def test_variables_in_device_texts(source: str, expected: str) -> None:
    assert make_device_text(source) == expected


def test_static_managed_variables_have_a_symbol_of_their_source() -> None:
    text = make_device_text("static __kbuild_managed__ int m;")

    assert '__asm__("kbuild_managed.m.kbuild_' in text
    assert "static" not in text


def test_managed_variables_cannot_be_templates() -> None:
    with pytest.raises(SourceError, match=r"a.cu:1: .* does not support templates of __managed__"):
        make_device_text("template <class T> __kbuild_managed__ T m;")


def test_managed_arrays_need_a_size() -> None:
    with pytest.raises(SourceError, match=r"a.cu:1: the __managed__ array 'm' has no size"):
        make_device_text("__kbuild_managed__ int m[] = {1};")


def test_clang_rejects_device_lambdas_in_host_code() -> None:
    text = MARKER + "void f() { g([] __kbuild_device__ (int) {}); }"

    with pytest.raises(SourceError, match=r"a\.cu:1: clang does not give the kernel"):
        q.reject_unnamed_lambdas(text, q.find_declarations(Unit(text)))


def test_clang_accepts_lambdas_in_device_code() -> None:
    text = "__kbuild_global__ void k() { auto f = [] __kbuild_device__ (int) {}; f(1); }"

    q.reject_unnamed_lambdas(text, q.find_declarations(Unit(text)))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    for edit in reversed(list(edits)):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("pragma", "gcc", "clang"),
    [
        ("#pragma unroll", "", "#pragma unroll"),
        ("#pragma unroll 4", "#pragma GCC unroll 4", "#pragma unroll 4"),
        ("#pragma nv_diag_suppress 177", "", ""),
        ("#pragma once_more", "#pragma once_more", "#pragma once_more"),
    ],
)
def test_pragmas(pragma: str, gcc: str, clang: str) -> None:
    def translate(text: str) -> str:
        return apply_edits(text, q.translate_pragmas(Unit(text)))

    assert translate(pragma) == gcc
    assert translate(f"typedef int __kbuild_clang__;\n{pragma}").split("\n")[1] == clang


def test_alignment_of_shared_memory_precedes_it() -> None:
    shared = '\n# 2 "a.cu" 3\n__kbuild_shared__\n# 2 "a.cu"\n'
    text = f"alignas(4) int a; extern{shared}alignas(f(8)) char b[];"

    moved = apply_edits(text, q.move_alignments(Unit(text)))

    assert moved == f"alignas(4) int a; alignas(f(8)) extern{shared} char b[];"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            'template <class T> __attribute__((visibility("hidden"))) __kbuild_global__ void k(T);',
            "template <class T> __attribute__((used)) __kbuild_global__ void k(T);",
        ),
        (
            '__kbuild_global__ void k() __attribute__((__visibility__("hidden"), cold));',
            "__kbuild_global__ void k() __attribute__((used, cold));",
        ),
        (
            '[[gnu::visibility("hidden")]] __kbuild_global__ void k() { f(visibility("a")); }',
            '[[gnu::used]] __kbuild_global__ void k() { f(visibility("a")); }',
        ),
        (
            '__attribute__((visibility("hidden"))) __kbuild_device__ int f();',
            '__attribute__((visibility("hidden"))) __kbuild_device__ int f();',
        ),
    ],
)
def test_visibility_of_kernels(source: str, expected: str) -> None:
    code = Unit(MARKER + source)
    assert apply(code.text, list(expose_kernels(code, q.find_declarations(code)))) == expected
