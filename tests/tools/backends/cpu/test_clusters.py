"""Clusters of several blocks run at the same time, and access each other's shared memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import needs_programs

# The threads of one block wait for their block, and those of the other one for the cluster.
STUCK = """
#include <cooperative_groups.h>
__global__ void __cluster_dims__(2) k(int* p)
{
    if (blockIdx.x == 0 || threadIdx.x < 3)
        cooperative_groups::this_cluster().sync();
    else
        __syncthreads();
    p[threadIdx.x] = 1;
}
int main()
{
    int* p;
    cudaMallocManaged(&p, 64 * sizeof *p);
    k<<<2, 64>>>(p);
    return cudaDeviceSynchronize() != cudaErrorLaunchFailure;
}
"""
ARCHITECTURE = """
#include <cstdio>
__global__ void k(int* p)
{
#if defined(__CUDA_ARCH__)
    *p = __CUDA_ARCH__;
#endif
}
int main()
{
    int *p, major, supported;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
    constexpr int numbers[] = {__CUDA_ARCH_LIST__};
    std::printf("%d %d %d %d", *p, numbers[0], major, supported);
}
"""


def run(program: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([program], capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    "compiler",
    ["g++", pytest.param("clang++", marks=[pytest.mark.slow, needs_programs("clang++")])],
)
def test_blocks_of_a_cluster_work_together(tmp_path: Path, compiler: str) -> None:
    program = build_program(
        tmp_path, (PROJECT / "clusters.cu",), compilers=(compiler, compiler), options=("-w",)
    )

    done = run(program)

    assert (done.returncode, done.stdout, done.stderr) == (0, "0 done\n", "")


def test_a_cluster_that_cannot_go_on_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(STUCK)

    done = run(build_program(tmp_path, (tmp_path / "a.cu",)))

    assert done.returncode == 0
    assert "the threads of a block wait for each other" in done.stderr
    assert "3 threads of block (1, 0, 0) in cluster_group::sync()" in done.stderr


@pytest.mark.slow
def test_capability_is_that_of_device_code_and_of_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text(ARCHITECTURE)
    monkeypatch.setenv("KBUILD_CPU_COMPUTE_CAPABILITY", "9.0")

    program = build_program(tmp_path, (tmp_path / "a.cu",))

    assert run(program).stdout == "900 900 9 1"
    assert run(program, KBUILD_CPU_COMPUTE_CAPABILITY="8.0").stdout == "900 900 8 0"
