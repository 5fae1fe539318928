"""Tests for projects that a toolchain file builds for another machine."""

from __future__ import annotations

import platform
import shutil
import textwrap
from pathlib import Path

import pytest

from support.commands import build, configure, run, run_kbuild, succeed

COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64", "qemu-aarch64-static")

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the cross compiler is for x86-64"),
    pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"{COMPILER} is not installed"),
]

SOURCES = {
    "toolchain.cmake": """\
        set(CMAKE_SYSTEM_NAME Linux)
        set(CMAKE_SYSTEM_PROCESSOR aarch64)
        set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
        set(CMAKE_CROSSCOMPILING_EMULATOR @EMULATOR@ -L /usr/aarch64-linux-gnu)
        """,
    "CMakeLists.txt": """\
        cmake_minimum_required(VERSION 3.22...4.0)
        project(cross LANGUAGES CXX)
        enable_testing()
        find_package(kbuild CONFIG REQUIRED)
        kbuild_add_kernels(kernels SHARED SOURCES kernels.cu)
        kbuild_add_smoke_test(kernels CASES ${CMAKE_CURRENT_SOURCE_DIR}/cases.py)
        add_executable(host host.cpp)
        target_link_libraries(host PRIVATE kernels)
        add_test(NAME host COMMAND host)
        add_executable(mixed)
        kbuild_target_sources(mixed PRIVATE mixed.cu)
        add_test(NAME mixed COMMAND mixed)
        """,
    # The static kernel needs objcopy, the pair is read from DWARF, and the rest are a loop, regions
    # with barriers, and shuffles.
    "kernels.cu": """\
        #include <cmath>
        struct Pair { float first; double second; };
        static __global__ void local(int* to) { *to = 1; }
        __global__ void saxpy(int n, float a, const float* x, float* y) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] = a * x[i] + y[i];
        }
        __global__ void sum(Pair pair, const float* x, float* y) {
            extern __shared__ float part[];
            part[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            for (int s = blockDim.x / 2; s > 0; s /= 2) {
                if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
                __syncthreads();
            }
            if (threadIdx.x == 0) *y = pair.first + float(std::sqrt(pair.second)) + part[0];
        }
        __global__ void shuffle(const float* x, float* y) {
            float v = x[threadIdx.x];
            for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
            if (threadIdx.x == 0) *y = v;
        }
        """,
    "host.cpp": """\
        #include <kbuild/kbuild.hpp>
        struct Pair { float first; double second; };
        KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
        KBUILD_KERNEL void sum(Pair pair, const float* x, float* y);
        KBUILD_KERNEL void shuffle(const float* x, float* y);
        int main() {
            float x[64], y[64], s = 0, w = 0;
            for (int i = 0; i < 64; ++i) x[i] = i, y[i] = 1;
            const float* from = x;
            if (kbuild::launch(saxpy, {2, 32}, 64, 2.0f, from, &y[0])) return 1;
            if (kbuild::launch(sum, {1, 64, sizeof x}, Pair{10, 9.0}, from, &s)) return 2;
            if (kbuild::launch(shuffle, {1, 32}, from, &w)) return 3;
            return y[63] == 127 && s == 2016 + 13 && w == 496 ? 0 : 4;
        }
        """,
    "mixed.cu": """\
        #include <cuda_runtime.h>
        __global__ void reverse(int* x) {
            __shared__ int part[64];
            part[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, part[63 - threadIdx.x], 1);
        }
        int main() {
            int* x;
            if (cudaMallocManaged(&x, 64 * sizeof(int)) != cudaSuccess) return 1;
            for (int i = 0; i < 64; ++i) x[i] = i;
            reverse<<<1, 64>>>(x);
            if (cudaDeviceSynchronize() != cudaSuccess) return 2;
            for (int i = 0; i < 64; ++i)
                if (x[i] != 63 - (i ^ 1)) return 3;
            return 0;
        }
        """,
    "cases.py": "def test_nothing(): pass\n",
}


@pytest.fixture
def emulator() -> str:
    found = next(filter(None, map(shutil.which, EMULATORS)), None)
    if found is None:
        pytest.skip(f"none of {', '.join(EMULATORS)} is installed")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "source"
    directory.mkdir()
    known = next(filter(None, map(shutil.which, EMULATORS)), "none")
    for name, text in SOURCES.items():
        content = textwrap.dedent(text).replace("@EMULATOR@", known)
        (directory / name).write_text(content)
    return directory


def test_compiler_decides_for_which_machine_kernels_are_built(
    tmp_path: Path, project: Path
) -> None:
    result = configure(
        *(project, tmp_path / "build"), f"CMAKE_TOOLCHAIN_FILE={project / 'toolchain.cmake'}"
    )

    assert "runs no CASES, because the Python of this machine" in succeed(result)
    rules = (tmp_path / "build" / "build.ninja").read_text()
    assert "kernels.cu.aarch64" in rules
    assert "mixed.cu.aarch64" in rules
    assert "x86-64" not in rules
    assert f"runtimes --build cpu --compiler CXX={shutil.which(COMPILER)}" in rules


@pytest.mark.slow
def test_programs_and_tests_run_in_an_emulator(
    tmp_path: Path, project: Path, emulator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "build"
    toolchain = project / "toolchain.cmake"
    succeed(configure(project, directory, f"CMAKE_TOOLCHAIN_FILE={toolchain}"))
    succeed(build(directory))
    output = succeed(run("ctest", "--test-dir", directory, "--verbose"))
    assert "100% tests passed" in output
    assert "4/4 Test #4" in output
    assert "libkernels.so: 4 passed; 1 device" in output

    # The runtime is now in the cache.
    monkeypatch.setenv("KBUILD_BACKEND", "cpu")
    program = tmp_path / "mixed"
    words = ("-ccbin", COMPILER, "-O2", project / "mixed.cu", "-o", program)
    succeed(run_kbuild("nvcc", *words))
    succeed(run(emulator, "-L", "/usr/aarch64-linux-gnu", program))
