"""gdb shows the arguments of kernels in a program of a plain ``kbuild run -g``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import run_kbuild, succeed
from support.tools.gdb_sessions import POINTER, needs_gdb, run_gdb

pytestmark = needs_gdb

MIXED = """\
#include <cuda_runtime.h>
struct Range { int first, last; };
void run_sums(const float* from, float* to, int n);

__global__ void scale(float* to, float factor, Range range)
{
    int i = threadIdx.x;
    if (i >= range.first && i < range.last) to[i] *= factor;
}

int main()
{
    float *values, *sum;
    cudaMallocManaged(&values, 32 * sizeof(float));
    cudaMallocManaged(&sum, sizeof(float));
    scale<<<1, 32>>>(values, 0.5f, Range{4, 20});
    run_sums(values, sum, 7);
    return cudaDeviceSynchronize();
}
"""
TEMPLATE = """\
#include <cuda_runtime.h>

template <class T>
__global__ void sums(const T* from, T* to, int n)
{
    __shared__ T part[32];
    part[threadIdx.x] = threadIdx.x < n ? from[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x == 3) *to = part[3];
}

void run_sums(const float* from, float* to, int n) { sums<<<1, 32>>>(from, to, n); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    (directory / "main.cu").write_text(MIXED)
    (directory / "sums.cu").write_text(TEMPLATE)
    options = ("-g", "--backend", "cpu", "--build-only", "-o", "program")
    succeed(run_kbuild("run", *options, "main.cu", "sums.cu", cwd=directory))
    return directory / "program"


def test_breakpoint_in_a_kernel_shows_its_arguments(program: Path) -> None:
    *_, scale, continued, sums = run_gdb(
        *("break scale", "break sums<float>", "run", "info args", "continue", "info args"),
        files=(program,),
    )

    assert re.fullmatch(rf"to = {POINTER}\nfactor = 0.5\nrange = \{{first = 4, last = 20\}}", scale)
    assert re.search(r"Breakpoint 2, sums<float> \(from=.* n=7\) at .*sums\.cu:5", continued)
    assert re.fullmatch(rf"from = {POINTER}\nto = {POINTER}\nn = 7", sums)


def test_breakpoint_on_a_line_shows_the_arguments_of_the_thread(program: Path) -> None:
    # gdb knows the lines of a kernel once the image is loaded.
    *_, stopped, values, thread, _, arguments = run_gdb(
        *("break scale", "run", "break sums.cu:9 if threadIdx.x == 3", "continue"),
        *("info locals", "print threadIdx.x", "up", "info args"),
        files=(program,),
    )

    assert "sums.cu:9" in stopped
    assert re.search(rf"^to = {POINTER}$", values, re.MULTILINE)
    assert re.search(r"^n = 7$", values, re.MULTILINE)
    assert thread.endswith("= 3")
    assert re.search(rf"from = {POINTER}\nto = {POINTER}\nn = 7", arguments)
