"""What users see of sources with mistakes: the compiler's message about their own text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kbuild.errors import KbuildError
from support.mixed_programs import build_program
from support.tools.toolchains import needs_programs

BROKEN = """#include <cstdio>
#define CHECK(x) do { if ((x) != cudaSuccess) puts("failed"); } while (0)
__global__ void fill(float *v, float x, int n) { int i = threadIdx.x; if (i < n) v[i] = missing; }
int main() {
    float *v = nullptr;
    CHECK(cudaMalloc(&v, 400)); int unknown = nothing;
    fill<<<1, 100>>>(v, 1.0f, 100); fill<<<1, 100>>>(v, 1.0f);
    fill<<<1, 100, 0, 0, 0>>>(v, 1.0f, 100);
    fill<<<1,
           absent>>>(v, 1.0f, 100);
}
struct Outer {};
struct Inner { using Outer = Outer; };
"""
# What a mistake is called, and where it is.
MISTAKES = {
    (3, 89): "missing",
    (6, 47): "nothing",
    (7, 53): "too few arguments to function .void fill",
    (8, 9): "too many arguments to function",
    (10, 12): "absent",
}


# The compilers that find uses of functions; their columns differ.
COMPILERS = pytest.mark.parametrize(
    "compiler",
    ["g++", pytest.param("clang++", marks=[pytest.mark.slow, needs_programs("clang++")])],
)


def explain(
    directory: Path, source: str, compiler: str = "g++", options: tuple[str, ...] = ("-O1",)
) -> str:
    """Return the message about a source that cannot be built."""
    path = directory / "source.cu"
    path.write_text(source)
    with pytest.raises(KbuildError) as caught:
        build_program(directory, (path,), compilers=(compiler, compiler), options=options)
    return str(caught.value)


def test_messages_name_the_users_tokens(tmp_path: Path) -> None:
    message = explain(tmp_path, BROKEN)

    found = re.findall(r"source\.cu:(\d+):(\d+): error: (.*)", message)
    assert len(found) == len(MISTAKES)
    for line, column, text in found:
        assert re.search(MISTAKES[int(line), int(column)], text), text
    assert "kbuild" not in message.replace(str(tmp_path), "")
    caret = message.index("^", message.index(": error: "))
    start = message.rindex("\n", 0, caret) + 1
    snippet = message[:start].rstrip("\n").rpartition("\n")[2]
    assert snippet[caret - start :].startswith("missing")


@COMPILERS
def test_warnings_show_nothing_of_the_rewritten_text(
    tmp_path: Path, compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "source.cu"
    path.write_text("__global__ void k(int *p) { *p = 1 / 0; __syncthreads(); }\nint main() {}\n")
    build_program(tmp_path, (path,), compilers=(compiler, compiler))

    found = re.findall(r"source\.cu:(\S+): warning: ", text := capfd.readouterr().err)
    assert set(found) == {"1"}
    assert "kbuild" not in text


@pytest.mark.parametrize(
    "line",
    [
        "__global__ void k(int *p) { *p = 1 }",
        "__global__ void k(int *p) { *p = blockDim.x * threadIdx.x }",
        "__global__ void k(int *p) { for (int i = 0; i < 3; i++ { p[i] = 0; __syncthreads(); } }",
        "__global__ void k(int *p) { *p = 1; ",
        "int main() { k<<<1, 1(0); }",
    ],
)
def test_the_compiler_says_what_is_missing(tmp_path: Path, line: str) -> None:
    message = explain(tmp_path, f"#include <cstdio>\n\n{line}\n")

    assert re.search(r"source\.cu:[34]:\d+: error: ", message)


@COMPILERS
def test_uses_that_nvcc_rejects_are_errors(
    tmp_path: Path, compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    source = """
#include <cstdio>
#include <vector>
__constant__ int constant; __device__ int variable;
struct Point { int x; Point(int v) : x(v) {} int get() const { return x; } };
int square(int x) { return x * x; }
struct Twice { int operator()(int x) const { return 2 * x; } };
template <class F> __global__ void apply(int *p, F f) { *p = f(1); }
__device__ int cube(int x) { return x * square(x); }
__global__ void k(int *p) {
    Point point(3);
    *p = point.get() + cube(2);
    std::vector<int> values;
    values.push_back(rand());
    constant = 3;
}
void print() { int variable = 1; variable++; printf("%d", ::variable); }
int main() {
    apply<<<1, 1>>>((int *)nullptr, Twice()); k<<<1, 1>>>(nullptr);
    apply<<<1, 1>>>((int *)nullptr, [](int x) mutable { return x; });
}
"""
    message = explain(tmp_path, source, compiler)

    assert "the host function 'lambda at line 20' is called from the __global__" in message
    found = {
        (int(line), name)
        for line, name in re.findall(r":(\d+):\d+: the host function '(\S+)'", message)
    }
    expected = {(8, "operator()"), (9, "square"), (11, "Point"), (12, "get")}
    assert expected | {(13, "vector"), (14, "push_back"), (14, "rand")} <= found
    assert "belongs to a library for the host" in message
    assert "source.cu:15:5: the __constant__ variable 'constant' cannot be assigned" in message
    warnings = re.findall(r"source.cu:(\S+): warning: (.*);", capfd.readouterr().err)
    text = "the __device__ variable 'variable' cannot be read directly in host code"
    assert warnings == [("17:61", text)]


@pytest.mark.slow
def test_device_code_cannot_print_to_streams(tmp_path: Path) -> None:
    source = """
#include <iostream>
struct Point { int x; };
std::ostream &operator<<(std::ostream &stream, Point p) { return stream << p.x << "text"; }
__global__ void k(int *p) {
    std::cout << *p;
    *p = 1 << *p;
    std::cerr << "text";
}
int main() { k<<<1, 1>>>(nullptr); std::cout << "text" << Point{3}; }
"""
    message = explain(tmp_path, source)

    found = re.findall(r"source.cu:(\d+):\d+: the host function '(\S+)'", message)
    assert found == [("6", "operator<<"), ("8", "operator<<")]


@COMPILERS
def test_kernels_that_are_called_and_functions_that_are_launched_are_errors(
    tmp_path: Path, compiler: str
) -> None:
    source = """
namespace n { __global__ void k(int *p) { *p = 1; } }
template <class T> __global__ void fill(T *p, T x) { *p = x; }
__device__ int add(int x) { return x + 1; }
static void unused(int *p) { n::k(p); }
template <class T> void start(T *p) { fill(p, T()); }
int main() { start((int *)nullptr); fill<int>(nullptr, 1); return add(1) + __popc(3); }
struct S { static void run(int *) {} };
template <class T> void host(T *) {}
void many(int *) {}
__global__ void many(float *, int) {}
void (*pick(int))(int *) { return n::k; }
template <class F> void forward(F f) { f<<<1, 1>>>(nullptr); }
void launch(int *p) {
    S::run<<<1, 1>>>(p); host<<<1, 1>>>(p);
    host<int><<<1, 1>>>(p); (&many)<<<1, 1>>>(p);
    many<<<1, 1>>>(nullptr, 1); pick(1)<<<1, 1>>>(p); (*pick(1))<<<1, 1>>>(p); n::k<<<1, 1>>>(p);
    forward(n::k); fill<int><<<1, 1>>>(p, 1); auto many = n::k; many<<<1, 1>>>(p);
}
__host__ __device__ void count(int *p) { atomicAdd(p, 1); }
template <class T> __host__ __device__ void later(T *p) { atomicAdd(p, 1); }
__device__ int bits(int x) { return __popc(x) + __viaddmax_s32(x, 1, 2); }
int sum(int x) { later(&x); return __viaddmax_s32(x, 1, 2); }
"""
    # With these options, each warning is an error, but the reviews are not affected.
    options = ("-O1", "-pedantic-errors", "-Werror", "-Werror=deprecated-declarations")
    message = explain(tmp_path, source, compiler, options)

    called = re.findall(r":(\d+):\d+: the kernel '(\w+)' is called without a config", message)
    assert sorted(called) == [("5", "k"), ("6", "fill"), ("7", "fill")]
    if compiler == "g++":
        assert ":5:34: " in message
    launched = re.findall(r":(\d+):\d+: the function '(\w+)' is launched, but", message)
    assert sorted(launched) == [("15", "host"), ("15", "run"), ("16", "host"), ("16", "many")]
    called = re.findall(r"the __device__ function '(\w+)' is called from host code", message)
    assert sorted(called) == ["__popc", "add", "atomicAdd"]


@pytest.mark.slow
def test_what_nvcc_accepts_is_accepted(tmp_path: Path) -> None:
    source = tmp_path / "valid.cu"
    source.write_text(
        """
#include <algorithm>
#include <array>
#include <cstdio>
constexpr int twice(int x) { return 2 * x; }
int only_for_types(int x);
__device__ int redeclared(int);
int redeclared(int x) { return x; }
int square(int x) { return x * x; }
__host__ __device__ int both(int x) { return x < 0 ? square(x) : x; }
__device__ int cube(int x) { return x * x * x; }
template <class T> __global__ void never(T *p) { *p = square(1); }
template <bool is_host> __global__ void choose(int *p) { if constexpr (is_host) *p = square(2); }
struct Plain { int x; };
struct Compare { bool operator()(int a, int b) const { return a < b; } };
__global__ void k(int *p, Plain s) {
    std::array<int, 2> values{1, 2};
    *p = twice(s.x) + both(1) + cube(2) + redeclared(1);
    *p += std::max(values[0], 3) + sizeof(only_for_types(1));
}
template <class K, class... Args> void launch(K kernel, Args... args) { kernel<<<1, 1>>>(args...); }
using Result = decltype(k(nullptr, Plain()));
int main()
{
    int *p = nullptr, values[] = {2, 1};
    std::sort(values, values + 2, Compare());
    cudaMallocManaged(&p, sizeof *p);
    void (*kernel)(int *, Plain) = k;
    launch(k, p, Plain{1});
    launch(kernel, p, Plain{1});
    choose<false><<<1, 1>>>(p);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, (const void *)k);
    return cudaDeviceSynchronize() + square(0);
}
"""
    )

    build_program(tmp_path, (source,), options=("-O1", "-w"))


def test_declarations_that_nvcc_rejects_are_errors(tmp_path: Path) -> None:
    message = explain(
        tmp_path,
        "\n__global__ void k() noexcept {}\n__constant__ __managed__ int c;\n"
        "__global__ void variadic(int, ...) {}\n"
        "template <class... T> __global__ void pack(T...) {}\n",
    )

    assert "source.cu:2:17: kernel 'k' has an exception specification" in message
    assert "source.cu:3:30: __constant__ and __managed__ exclude each other" in message
    assert "source.cu:4:17: kernel 'variadic' takes a variable number of arguments" in message
    assert "pack" not in message


@COMPILERS
def test_kernels_that_return_something_are_errors_at_their_lines(
    tmp_path: Path, compiler: str
) -> None:
    launch = "int main() { f<<<1, 1>>>(nullptr); g<<<1, 1>>>(); }"
    kernels = "__global__ R\nf(int *) { return 0; }\n__global__ void g() {}\n"
    source = f"using R = int;\n{kernels}{launch}"
    message = explain(tmp_path, source, compiler)
    assert re.search(r"source\.cu:2:\d+: error: .*a kernel returns nothing; write void", message)
    assert message.count("error: ") == 1

    message = explain(tmp_path, "\n__global__ void f(int &&) {}\n", compiler)
    assert "source.cu:2: kernel 'f(int&&)' takes an rvalue reference" in message


def test_undefined_device_code_is_named_without_kbuilds_functions(tmp_path: Path) -> None:
    source = """
__device__ int get(int);
__global__ void k(int *p) { *p = get(threadIdx.x); }
int main() { k<<<1, 1>>>(nullptr); }
"""
    message = explain(tmp_path, source)

    assert re.fullmatch(r".*source\.cu: error: device code uses 'get\(int\)', .*\n.*", message)
    assert "-dc for kbuild-nvcc" in message
