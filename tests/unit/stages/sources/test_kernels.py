"""Tests for finding kernels and their parameters in source text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.stages.sources.kernels import DeclaredKernel, find_declared_kernels


def find_one(text: str) -> DeclaredKernel:
    (found,) = find_declared_kernels(text.encode())
    return found


def params_of(text: str) -> list[tuple[str, str | None]]:
    return [(param.type, param.name) for param in find_one(text).params]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("int n", ("int", "n")),
        ("const float* __restrict__ x", ("const float*", "x")),
        ("float const *x", ("float const*", "x")),
        ("unsigned long long count = 3", ("unsigned long long", "count")),
        ("float a[]", ("float*", "a")),
        ("float a[16]", ("float*", "a")),
        ("void (*f)(int, float)", ("void(*)(int,float)", "f")),
        ("ns::Step step", ("ns::Step", "step")),
        ("::ns::Type<int, 3> const* q", ("::ns::Type<int,3>const*", "q")),
        ("const __grid_constant__ Map map", ("const Map", "map")),
        ("struct Step s = Step{1, 2}", ("struct Step", "s")),
        ("float4* v", ("float4*", "v")),
        ("T", ("T", None)),
        ("int*", ("int*", None)),
    ],
)
def test_parameter_is_read(declared: str, expected: tuple[str, str | None]) -> None:
    assert params_of(f"__global__ void k({declared}) {{}}") == [expected]


@pytest.mark.parametrize("text", ["__global__ void k() {}", "__global__ void k(void) {}"])
def test_kernel_without_parameters_is_read(text: str) -> None:
    assert params_of(text) == []


@pytest.mark.parametrize(
    ("text", "qualified"),
    [
        ("__global__ void k(int n);", "k"),
        ("KBUILD_KERNEL void k(int n);", "k"),
        ("namespace a::b { __global__ void k(int n); }", "a::b::k"),
        ("namespace a { inline namespace b { __global__ void k(int n); } }", "a::b::k"),
        ("namespace { __global__ void k(int n); }", "(anonymous namespace)::k"),
        ("struct S { static __global__ void k(int n); };", "S::k"),
        ("template <class T, int N = 2> __global__ void k(int n) {}", "k"),
        ("template <> __global__ void k<3>(int n) {}", "k"),
        ("static inline __global__ void __launch_bounds__(256, 2) k(int n) {}", "k"),
        ('__attribute__((visibility("default"))) __global__ void k(int n) {}', "k"),
        ("#ifndef K_H\n#define K_H\n__global__ void k(int n);\n#endif\n", "k"),
        ("__global__ void ns::k(int n) {}", "ns::k"),
        ("// __global__ void no(int);\n__global__ void k(int n) { /* __global__ */ }", "k"),
    ],
)
def test_qualified_name_is_read(text: str, qualified: str) -> None:
    found = find_one(text)
    assert found.qualified == qualified
    assert [param.name for param in found.params] == ["n"]
    assert not found.is_c


def test_c_linkage_is_read() -> None:
    single = find_one('namespace n { extern "C" __global__ void k(int a); }')
    assert (single.is_c, single.name, single.scope) == (True, "k", ("n",))
    block = find_declared_kernels(b'extern "C" { __global__ void a(int x) {} void host(); }')
    assert [(kernel.name, kernel.is_c, kernel.is_definition) for kernel in block] == [
        ("a", True, True)
    ]
    assert not find_one('extern "C++" { __global__ void k(int n); }').is_c


def test_template_instantiations_are_ignored() -> None:
    text = b"template <class T> __global__ void k(T n) {}\ntemplate __global__ void k<int>(int);"
    assert len(find_declared_kernels(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "#ifdef A\n__global__ void k(int n) {}\n#endif\n",
        "#if A\nint x;\n#else\n__global__ void k(int n) {}\n#endif\n",
        "#ifndef A\nint x;\n__global__ void k(int n) {}\n#endif\n",
        "namespace n {\n#if A\n__global__ void k(int n) {}\n#endif\n}\n",
    ],
)
def test_kernels_in_conditional_code_are_ignored(text: str) -> None:
    assert find_declared_kernels(text.encode()) == ()


def test_host_functions_are_ignored() -> None:
    assert find_declared_kernels(b"void f(int n) {}\nint __global__x;") == ()


@given(st.binary(max_size=200))
def test_any_text_is_read(noise: bytes) -> None:
    find_declared_kernels(b"__global__ void k(int n) {}\n" + noise)
    find_declared_kernels(noise + b"\n__global__ void k(int n")
