"""Mistakes in sources have the same messages in all ways to build (explanation/messages.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from support.commands import configure, run, run_kbuild, succeed


class Mistake(NamedTuple):
    """A mistake, and the message about it.

    ``kernels`` is the message of `kbuild_add_kernels`, if it differs; None if the mistake is in
    host code.
    """

    device: str
    host: str
    message: str
    kernels: str | None = ""


LAUNCH: Final = "k<<<1, 1>>>(nullptr);"
MISTAKES: Final = {
    "syntax": Mistake(
        "__global__ void k(int *p) { *p = 2 * ; }",
        LAUNCH,
        r"FILE:1:38: error: expected primary-expression before .;. token",
    ),
    "semicolon": Mistake(
        "__global__ void k(int *p) { *p = 1 }",
        LAUNCH,
        r"FILE:1:35: error: expected .;. before .}. token",
    ),
    "name": Mistake(
        "__global__ void k(int *p) { *p = 1; }",
        "k<<<1, undefined>>>(nullptr);",
        r"FILE:3:8: error: .undefined. was not declared in this scope",
        None,
    ),
    "arguments": Mistake(
        "__global__ void k(int *p, int n) { *p = n; }",
        LAUNCH,
        r"FILE:3:12: error: too few arguments to function .void k\(int\*, int\).",
        None,
    ),
    "not_kernel": Mistake(
        "void k(int *p) { *p = 1; } __global__ void other() {}",
        LAUNCH,
        r"FILE:3:12: the function 'k' is launched, but it is not a kernel; mark it __global__",
        r"FILE:1: host function 'k' in a kernel source, .* or mark the function __device__",
    ),
    "called": Mistake(
        "__global__ void k(int *p) { *p = 1; }",
        "k(nullptr);",
        r"FILE:3:2: the kernel 'k' is called without a configuration; launch it: k<<<grid,",
        None,
    ),
    "host_function": Mistake(
        "int get() { return 1; } __global__ void k(int *p) { *p = get(); }",
        LAUNCH,
        r"FILE:1:61: the host function 'get' is called from the __global__ function 'k'; mark it",
        r"FILE:1: host function 'get' in a kernel source, .* or mark the function __device__",
    ),
    "library": Mistake(
        "#include <vector>\n__global__ void k(int *p) { std::vector<int> v(3); *p = v[0]; }",
        LAUNCH,
        r"FILE:2:49: the host function 'vector' is called from .* belongs to a library for the",
    ),
    "result": Mistake(
        "__global__ int k(int *p) { return *p; }",
        LAUNCH,
        r"FILE:1:12: error: static assertion failed: a kernel returns nothing; write void",
        r"FILE:1: kernel 'k\(int\*\)' returns 'int'; return void",
    ),
    "ellipsis": Mistake(
        "__global__ void k(void *p, ...) {}",
        LAUNCH,
        r"FILE:1:17: kernel 'k' takes a variable number of arguments \('...'\); declare each",
    ),
    "undefined": Mistake(
        "__device__ int get(int); __global__ void k(int *p) { *p = get(1); }",
        LAUNCH,
        r"FILE: error: device code uses 'get\(int\)', which this source declares, but does not def",
    ),
    "declared": Mistake(
        "__global__ void k(int *p);",
        LAUNCH,
        r"kernel 'k' is launched, but no linked file defines it; ",
        None,
    ),
    "constant": Mistake(
        "__constant__ int c; __global__ void k(int *p) { c = 1; *p = c; }",
        LAUNCH,
        r"FILE:1:49: the __constant__ variable 'c' cannot be assigned; copy the value to it in",
    ),
    "shared": Mistake(
        "__global__ void k(int *p) { __shared__ int s[20000]; s[*p] = 1; *p = s[1]; }",
        LAUNCH,
        r"FILE: 80000 bytes of __shared__ variables \('s'\), but the limit is 49152; use dynamic",
    ),
    "initializer": Mistake(
        "__global__ void k(int *p) { __shared__ int s = 1; *p = s; }",
        LAUNCH,
        r"FILE:1:48: a __shared__ variable cannot have an initializer; assign the value in one th",
    ),
    "exception": Mistake(
        "__global__ void k(int *p) { throw 1; }",
        LAUNCH,
        r"FILE:1:29: device code cannot throw exceptions; return an error, or call __trap\(\)",
    ),
    "lambda": Mistake(
        "template <class F> __global__ void k(F f, int *p) { *p = f(1); }",
        "k<<<1, 1>>>([](int x) { return x; }, nullptr);",
        r"FILE:1:59: the host function 'lambda at line 3' is called from the __global__ function",
        None,
    ),
    "header": Mistake(
        '#include "missing.h"\n__global__ void k(int *p) { *p = 1; }',
        LAUNCH,
        r"FILE:1:10: fatal error: missing.h: No such file or directory",
    ),
    "absent_library": Mistake(
        "#include <cudnn.h>\n__global__ void k(int *p) { *p = 1; }",
        LAUNCH,
        r"<cudnn.h> belongs to cuDNN, which the cpu backend does not have; put what needs it below",
    ),
    "removed": Mistake(
        "__global__ void k(int *p) { *p = 1; }",
        "cudaThreadSynchronize();",
        r"CUDA 13 removed 'cudaThreadSynchronize', use cudaDeviceSynchronize; or use",
        None,
    ),
    "location": Mistake(
        "__global__ void k(int *p) { *p = 1; }",
        "cudaMemPrefetchAsync(nullptr, 4, 0);",
        r"since CUDA 13, cudaMemPrefetchAsync and cudaMemAdvise take a cudaMemLocation instead of",
        None,
    ),
    "no_header": Mistake(
        "__global__ void k(int *p) { assert(*p); }",
        LAUNCH,
        r"FILE:1:29: error: .assert. was not declared in this scope",
        None,
    ),
    "ptx": Mistake(
        '__global__ void k(float *p) { asm("ex2.approx.f32 %0, %1;" : "=f"(*p) : "f"(*p)); }',
        LAUNCH,
        r"FILE:1: error: the cpu backend does not support inline PTX: 'ex2.approx.f32 %0, %1;'",
    ),
}
HEADER: Final = """\
cmake_minimum_required(VERSION 3.22)
project(mistakes LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the sources, and a project with two targets for each."""
    directory = tmp_path_factory.mktemp("mistakes")
    lines = [HEADER]
    for name, mistake in MISTAKES.items():
        (directory / f"{name}.cu").write_text(
            f"{mistake.device}\nint main() {{\n{mistake.host}\n}}\n"
        )
        lines.append(f"add_executable({name})\nkbuild_target_sources({name} PRIVATE {name}.cu")
        lines.append("BACKEND cpu ARCHITECTURES x86-64)\n")
        if mistake.kernels is not None:
            (directory / f"{name}_kernels.cu").write_text(f"{mistake.device}\n")
            lines.append(f"kbuild_add_kernels({name}_kernels SHARED SOURCES {name}_kernels.cu")
            lines.append("BACKEND cpu ARCHITECTURES x86-64)\n")
    (directory / "CMakeLists.txt").write_text(" ".join(lines))
    return directory


@pytest.fixture(scope="module")
def cmake_log(sources: Path) -> str:
    """Build all targets with CMake, and return what it prints."""
    succeed(configure(sources, sources / "build"))
    result = run("ninja", "-C", sources / "build", "-k", "0", "-j", "2")
    assert result.returncode != 0
    return result.stdout + result.stderr


def find_message(pattern: str, file: str, log: str) -> re.Match[str] | None:
    return re.search(pattern.replace("FILE", re.escape(file)), log)


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_messages_of_cmake(name: str, cmake_log: str) -> None:
    mistake = MISTAKES[name]
    assert find_message(mistake.message, f"{name}.cu", cmake_log)
    if mistake.kernels is not None:
        pattern = mistake.kernels or mistake.message
        assert find_message(pattern, f"{name}_kernels.cu", cmake_log)


@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_messages_of_commands(name: str, sources: Path, tmp_path: Path) -> None:
    source = sources / f"{name}.cu"
    ran = run_kbuild("run", "--backend", "cpu", "--build-only", source)
    assert ran.returncode in (2, 4)
    assert find_message(MISTAKES[name].message, source.name, ran.stderr)

    words = ("nvcc", "--backend", "cpu", "-arch=native", "-o", tmp_path / "a.out", source)
    driven = run_kbuild(*words)
    assert driven.returncode == ran.returncode
    assert find_message(MISTAKES[name].message, source.name, driven.stderr)
