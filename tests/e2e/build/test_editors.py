"""clangd accepts the entries of ``compile_commands.json`` for sources with launches."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.commands import configure, run, succeed
from support.conformance import LAUNCHING, SOURCES
from support.tools.toolchains import needs_programs, require_backend, require_programs

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(editors LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(settings INTERFACE)
target_include_directories(settings INTERFACE linked)
add_library(mixed SHARED)
target_compile_definitions(mixed PRIVATE FACTOR=2)
target_link_libraries(mixed PRIVATE settings)
kbuild_target_sources(mixed PRIVATE sound.cu BACKEND ${BACKEND} DEVICE_OPTIONS -DOFFSET=1)
kbuild_target_sources(mixed PRIVATE wrong.cu BACKEND ${BACKEND})
"""
# Every kind of declaration and call that clang reads differently from C++.
SOUND = """
#include <cmath>
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include "linked.hpp"

__constant__ float offset = OFFSET;
__device__ int counter;

__device__ float scaled(float x) { return std::sqrt(x) * FACTOR + fminf(x, offset); }

template <class T>
__global__ void __launch_bounds__(256) sum(const T* from, T* to, int n)
{
    __shared__ T part[256];
    extern __shared__ T more[];
    const auto block = cooperative_groups::this_thread_block();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? static_cast<T>(scaled(__ldg(from + i))) : more[0];
    __syncthreads();
    for (int step = 16; step > 0; step /= 2)
        part[threadIdx.x] += __shfl_down_sync(0xffffffffu, part[threadIdx.x], step);
    block.sync();
    atomicAdd(to, part[0] + __half2float(__float2half(1.0f)));
    if (std::abs(i) == 0) std::printf("%d\\n", atomicAdd(&counter, 1));
}

__global__ void empty();

float run_all(const std::vector<float>& values)
{
    float *from = nullptr, *to = nullptr, result = 0;
    cudaStream_t stream = nullptr;
    cudaMalloc(&from, values.size() * sizeof(float));
    cudaMalloc(&to, sizeof(float));
    sum<<<dim3(LINKED, 1), 256, 64, stream>>>(from, to, static_cast<int>(values.size()));
    void (*kernel)(const float*, float*, int) = sum<float>;
    kernel<<<1, 32>>>(from, to, 1);
    empty<<<1, 1>>>();
    cudaMemcpyFromSymbol(&result, counter, sizeof counter);
    return cudaDeviceSynchronize() == cudaSuccess ? result : 0;
}

__global__ void empty() {}
"""
WRONG = """
__global__ void fill(float* to, int n) { if (threadIdx.x < n) to[threadIdx.x] = 1; }
void host_only();
__global__ void calls() { host_only(); }
void launch(float* to) { fill<<<1, 32>>>(to); }
"""


def configure_project(directory: Path, backend: str) -> Path:
    """Configure the project, and return its build directory."""
    require_backend(backend)
    (directory / "linked").mkdir()
    (directory / "linked" / "linked.hpp").write_text("#define LINKED 4\n")
    (directory / "CMakeLists.txt").write_text(PROJECT)
    (directory / "sound.cu").write_text(SOUND)
    (directory / "wrong.cu").write_text(WRONG)
    built = directory / "build"
    settings = ("CMAKE_EXPORT_COMPILE_COMMANDS=ON", f"BACKEND={backend}")
    succeed(configure(directory, built, *settings))
    return built


def read_errors(clangd: str, source: Path, built: Path) -> list[str]:
    """Return the errors that clangd finds in a source."""
    require_programs(clangd)
    done = run(clangd, f"--check={source}", f"--compile-commands-dir={built}")
    assert "All checks completed" in done.stderr, done.stderr
    return re.findall(r"^E\[.*?\] (.*)", done.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    ("backend", "clangd"),
    [
        ("cpu", "clangd"),
        pytest.param("cpu", "clangd-14", marks=pytest.mark.slow),
        pytest.param("cpu", "clangd-19", marks=pytest.mark.slow),
        pytest.param("cuda", "clangd-14", marks=pytest.mark.slow),
        pytest.param("cuda", "clangd-19", marks=pytest.mark.slow),
    ],
)
def test_clangd_finds_only_the_errors_of_users(tmp_path: Path, backend: str, clangd: str) -> None:
    built = configure_project(tmp_path, backend)

    assert read_errors(clangd, tmp_path / "sound.cu", built) == []
    errors = read_errors(clangd, tmp_path / "wrong.cu", built)

    assert "no matching function for call to 'host_only'" in "".join(errors)
    assert "too few arguments" in "".join(errors)
    assert len(errors) == 2


@pytest.mark.slow
def test_clangd_reads_mixed_sources_of_hip(tmp_path: Path) -> None:
    built = configure_project(tmp_path, "hip")
    source = tmp_path / "sound.cu"
    # HIP's names for what clang's own headers and CUDA's do not share.
    source.write_text(
        "__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); hipDeviceSynchronize(); }\n"
    )

    assert read_errors("clangd", source, built) == []


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the editor's command of each source of ``tests/conformance``."""
    directory = tmp_path_factory.mktemp("conformance")
    lines = (
        "cmake_minimum_required(VERSION 3.22...4.0)\nproject(sources LANGUAGES CXX)",
        "find_package(kbuild CONFIG REQUIRED)\nadd_executable(sources)",
        f"kbuild_target_sources(sources PRIVATE {' '.join(map(str, SOURCES))} BACKEND cpu)",
    )
    (directory / "CMakeLists.txt").write_text("\n".join(lines))
    succeed(configure(directory, directory / "build", "CMAKE_EXPORT_COMPILE_COMMANDS=ON"))
    entries = json.loads((directory / "build" / "compile_commands.json").read_text())
    return {entry["file"]: entry["command"] for entry in entries}


@pytest.mark.slow
@needs_programs("clang++")
@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            source,
            id=source.stem,
            marks=pytest.mark.xfail(
                source.stem in LAUNCHING,
                reason="clang rejects launches of kernel templates in kernels",
                strict=True,
            ),
        )
        for source in SOURCES
    ],
)
def test_clang_reads_the_whole_device_language(commands: dict[str, str], source: Path) -> None:
    _, *words = shlex.split(commands[str(source)].partition(" -o ")[0])

    succeed(run("clang++", *words, "-w", "-fsyntax-only", source))
