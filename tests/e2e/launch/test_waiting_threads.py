"""Threads that wait for each other on the CPU backend: what a program and its user see."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kbuild import KernelCompiler, KernelExecutor, LaunchConfig
from support.commands import KBUILD

PROGRAM = """\
#include <cooperative_groups.h>
#include <cstdio>
__global__ void deadlock(int* flag) {
    if (threadIdx.x < 3)
        __syncthreads();
    else
        cooperative_groups::tiled_partition<8>(
            cooperative_groups::this_thread_block()).sync();
}
__global__ void spin(int* flag) {
    while (atomicAdd(flag, 0) == 0) __nanosleep(100);
}
int main(int count, char**) {
    int* flag;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    if (count == 1) deadlock<<<2, 8>>>(flag);
    else spin<<<2, 8>>>(flag);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
"""
HIP = """\
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
__device__ float4 __shfl_down(float4 value, unsigned delta, unsigned width = 32) {
    return make_float4(__shfl_down(value.x, delta, width), 0, 0, 0);
}
extern "C" __global__ void wave(unsigned long long* out) {
    unsigned long long sum = threadIdx.x;
    for (int i = warpSize / 2; i > 0; i /= 2) sum += __shfl_down(sum, i);
    const auto odd = __ballot(threadIdx.x % 2);
    const auto all = __activemask();
    const auto tile = cooperative_groups::tiled_partition<16>(
        cooperative_groups::this_thread_block());
    const auto fourth = tile.ballot(threadIdx.x % 4 == 0);
    const float x = __shfl_down(make_float4(threadIdx.x, 0, 0, 0), 2, 32).x;
    const half y = __shfl_xor(__float2half(threadIdx.x), 1);
    if (threadIdx.x != 64) return;
    out[0] = sum, out[1] = odd, out[2] = all, out[3] = warpSize, out[4] = fourth;
    out[5] = __any(sum == 0) + 2 * __all(sum != 0);
    out[6] = x, out[7] = __half2float(y);
}
"""


def test_a_launch_that_cannot_continue_ends_with_a_report(tmp_path: Path) -> None:
    (tmp_path / "wait.cu").write_text(PROGRAM)

    def run(*arguments: str, **variables: str) -> tuple[str, str]:
        command = (str(KBUILD), "run", "--backend", "cpu", "wait.cu", "--", *arguments)
        environment = {**os.environ, **variables}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout, done.stderr

    output, report = run()
    assert output.endswith("cudaErrorLaunchFailure\n")
    assert "kernel deadlock(int*): the threads of a block wait for each other" in report
    assert re.search(r"3 threads of block \(., 0, 0\) in __syncthreads at .*wait\.cu:5: ", report)
    assert re.search(r"5 threads of .* in sync\(\) with mask 0xff at .*wait\.cu:8: ", report)

    # On a loaded machine, a thread that can continue makes no progress for a short limit, too.
    output, report = run("spin", KBUILD_CPU_TIMEOUT="1")
    assert output.endswith("cudaErrorLaunchTimeout\n")
    assert "kernel spin(int*): no thread has made progress for 1 seconds" in report
    assert re.search(r"8 threads of block \(., 0, 0\) in __nanosleep at .*wait\.cu:11: ", report)


@pytest.mark.parametrize("lanes", [64, pytest.param(32, marks=pytest.mark.slow)])
def test_hip_operations_without_masks(lanes: int) -> None:
    options = () if lanes == 64 else ("-D__AMDGCN_WAVEFRONT_SIZE=32",)
    kernel = KernelCompiler("cpu", options=options).compile(HIP)["wave"]
    out = np.zeros(8, np.uint64)
    KernelExecutor(kernel).run(LaunchConfig(grid=1, block=128), out)

    everything = (1 << lanes) - 1
    odd = 0xAAAAAAAAAAAAAAAA & everything
    assert out.tolist() == [sum(range(64, 64 + lanes)), odd, everything, lanes, 0x1111, 2, 66, 65]
