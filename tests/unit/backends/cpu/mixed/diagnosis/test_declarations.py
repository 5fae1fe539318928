"""Declarations that nvcc rejects, as their words tell, and others like them that it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu.mixed.diagnosis.declarations import find_mistakes
from kbuild.cxx.lines import locate
from kbuild.cxx.unit import Unit
from support.source_edits import preprocess_plainly


def list_mistakes(source: str) -> list[str]:
    code = Unit(preprocess_plainly(source, Path("a.cu")))
    return [f"{locate(code.text, place).line}: {text}" for place, text in find_mistakes(code)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (
            "__global__ void k() { __shared__ int s = 1; }",
            "__shared__ variable cannot have an init",
        ),
        (
            "__global__ void k() { __shared__ int s[2]{1}; }",
            "__shared__ variable cannot have an init",
        ),
        ("int f() { __shared__ int s; return s; }", "a host function cannot have __shared__"),
        ("__global__ void k() { __constant__ int c; }", "a local variable cannot be __constant__"),
        ("int f() { __device__ int d; return d; }", "a local variable cannot be __device__"),
        ("__constant__ __managed__ int c;", "exclude each other"),
        ("struct S { static __device__ int x; };", "a static data member cannot be __device__"),
        ("__device__ thread_local int x;", "a __device__ variable cannot be thread_local"),
        ("__global__ __device__ void k() {}", "kernel 'k' cannot also be __device__"),
        ("struct S { __global__ void k() {} };", "kernel 'k' is a member of a class"),
        ("__global__ void k() noexcept {}", "kernel 'k' has an exception specification"),
        ("__global__ auto k() {}", "kernel 'k' has a deduced result type"),
        ("__global__ void k() { throw 1; }", "cannot throw exceptions"),
        ("__device__ void f() { try { } catch (...) { } }", "cannot handle exceptions"),
        ("__launch_bounds__(128) void f() {}", "__launch_bounds__ is for __global__ functions"),
    ],
)
def test_declarations_that_nvcc_rejects_are_errors(source: str, problem: str) -> None:
    (mistake,) = list_mistakes(f"\n{source}\n")

    assert mistake.startswith("2: ")
    assert problem in mistake


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void k() { __shared__ int s; extern __shared__ int d[]; s = d[0]; }",
        "__global__ void k() { static __device__ int calls; calls = 1; }",
        "__device__ __shared__ int s; __device__ __constant__ int c;",
        "struct S { static __device__ int f() { return 1; } friend __global__ void k(S); };",
        "static inline __global__ void k(int *p) {}",
        "__global__ auto k(int *p) -> void {}",
        "__global__ void __launch_bounds__(128, 2) k(int *p) {}",
        "template <class T> __device__ void f() { throw T(); }",
        "__host__ __device__ void f(int x) { if (x) throw x; }",
        "void f() { throw 1; } void g() { try { f(); } catch (...) { } }",
        "thread_local int x; __device__ int y = 1; __constant__ int z[2] = {1, 2};",
        "auto f = [] __device__(int x) { return x; };",
    ],
)
def test_declarations_that_nvcc_accepts_are_accepted(source: str) -> None:
    assert not list_mistakes(source)
