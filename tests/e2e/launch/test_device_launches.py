"""Kernels that launch kernels, on the CPU; ``tests/conformance`` compares them with a GPU."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kbuild import KernelCompiler, KernelExecutor, LaunchConfig
from support.commands import PROJECTS, build, configure, find_kbuild, run_kbuild, succeed
from support.tools.toolchains import require_programs

pytestmark = pytest.mark.slow

PROGRAM = """\
#include <cassert>
#include <cstdio>
#include <cstring>
__global__ void add(int* p) { atomicAdd(p, 1); }
__global__ void trap(int* p) { assert(p == nullptr); }
__global__ void many(int* p) { add<<<1, 1>>>(p); }
__global__ void deep(int* p, int depth) {
    add<<<1, 1>>>(p);
    if (depth > 1) deep<<<1, 1>>>(p, depth - 1);
}
__global__ void fail(int* p) {
    add<<<1, 1>>>(p);
    trap<<<1, 1>>>(p);
    add<<<1, 1>>>(p);
}
__global__ void mistakes(int* out) {
    cudaStream_t stream;
    cudaEvent_t event;
    out[0] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    out[1] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    out[2] = cudaEventRecord(event, cudaStreamTailLaunch);
    out[3] = cudaStreamWaitEvent(cudaStreamFireAndForget, event, 0);
    out[4] = cudaMemcpyAsync(nullptr, out, 4, cudaMemcpyDeviceToDevice, nullptr);
    out[5] = cudaFree(out);
    void (*none)(int*) = nullptr;
    none<<<1, 1>>>(out);
    out[6] = cudaGetLastError();
    add<<<1, 1, 50000>>>(out);
    out[7] = cudaGetLastError();
}
// Not in tests/conformance: an H100 with CUDA 13.0.88 leaves the memory as it is.
__global__ void fill(int* out) {
    cudaMemsetAsync(out, 1, 8, nullptr);
    cudaMemset2DAsync(out + 2, 8, 2, 4, 2, nullptr);
    add<<<1, 1>>>(out);
}
int main(int, char** arguments) {
    int* p;
    cudaMallocManaged(&p, 64 * sizeof *p);
    const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
    if (is("many")) many<<<64, 128>>>(p);
    if (is("deep")) deep<<<1, 1>>>(p, 3000);
    if (is("fill")) fill<<<1, 1>>>(p);
    if (is("fail")) fail<<<1, 1>>>(p);
    if (is("mistakes")) mistakes<<<1, 1>>>(p);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 8; ++i) std::printf("%d ", p[i]);
    std::printf("%s\\n", cudaGetErrorName(cudaPeekAtLastError()));
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_launches_and_their_errors(tmp_path: Path, compiler: str) -> None:
    require_programs(compiler)
    (tmp_path / "a.cu").write_text(PROGRAM)

    def run(case: str) -> tuple[list[str], str]:
        done = subprocess.run(
            (str(find_kbuild()), "run", "--backend", "cpu", "a.cu", "--", case),
            cwd=tmp_path,
            env={**os.environ, "CXX": compiler},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split(), done.stderr

    # No limit of pending launches, or of their depth.
    assert run("many")[0] == ["cudaSuccess", "8192", *("0",) * 7, "cudaSuccess"]
    assert run("deep")[0] == ["cudaSuccess", "3000", *("0",) * 7, "cudaSuccess"]
    filled = ["16843010", "16843009", "33686018", "0", "33686018", "0", "0", "0"]
    assert run("fill")[0] == ["cudaSuccess", *filled, "cudaSuccess"]
    # Nothing runs after a child has failed.
    output, report = run("fail")
    assert output == ["cudaErrorAssert", "1", *("0",) * 7, "cudaErrorAssert"]
    assert "Assertion `p == nullptr` failed" in report
    # Errors belong to the thread of the device, not to the one of the host.
    codes = ["0", "1", "1", "1", "1", "1", "98", "9"]
    assert run("mistakes")[0] == ["cudaSuccess", *codes, "cudaSuccess"]


def test_a_kernel_library_launches_across_sources(tmp_path: Path) -> None:
    succeed(configure(PROJECTS / "dynamic_parallelism", tmp_path, "BACKEND=cpu"))
    succeed(build(tmp_path))

    done = subprocess.run([tmp_path / "host"], capture_output=True, text=True, check=False)
    assert done.stdout == "ok\n"


def test_a_compiled_kernel_launches() -> None:
    code = (
        "__global__ void child(float* x) { x[threadIdx.x] += 1; }\n"
        'extern "C" __global__ void parent(float* x) { child<<<1, blockDim.x>>>(x); }\n'
    )
    kernel = KernelCompiler("cpu").compile(code)["parent"]
    values = np.zeros(8, np.float32)
    KernelExecutor(kernel).run(LaunchConfig(grid=1, block=8), values)
    assert values.tolist() == [8.0] * 8


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "__global__ void k() {\n  cudaDeviceSynchronize();\n}",
            r"^\S*a.cu:2: error: .* cudaDeviceSynchronize, which CUDA 12 removed",
        ),
        (
            (
                "__host__ __device__ void f() { cudaDeviceSynchronize(); }\n"
                "__global__ void k() { f(); }"
            ),
            r"a __host__ __device__ function that a kernel calls uses .* the host API",
        ),
    ],
)
def test_host_calls_in_device_code_are_errors(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "a.cu").write_text(f"{code}\nint main() {{}}\n")

    done = run_kbuild("run", "--backend", "cpu", "a.cu", cwd=tmp_path)

    assert done.returncode != 0
    assert len(re.findall(message, done.stderr, re.MULTILINE)) == 1
