"""Launches of kernels with ``__launch_bounds__`` on the CPU, from Python."""

from __future__ import annotations

import numpy as np
import pytest

import kbuild
from kbuild.errors import LaunchError

SOURCE = """\
constexpr int most = 48;
template <int threads>
__global__ void __launch_bounds__(threads, 2) instance(int* p) { p[threadIdx.x] = threads; }
template __global__ void instance<32>(int*);
extern "C" __launch_bounds__(64) __global__ void declared(int* p);
extern "C" __global__ void declared(int* p) { p[threadIdx.x] = 64; }
static __global__ __launch_bounds__(most) void hidden(int* p) {
    __syncthreads();
    p[threadIdx.x] = most;
}
__global__ void __launch_bounds__(0) unbounded(int* p) { p[threadIdx.x] = 1024; }
"""


def test_launch_bounds_are_checked_and_known() -> None:
    kernels = kbuild.KernelCompiler("cpu").compile(SOURCE)
    out = np.zeros(1024, np.int32)
    bounds = {}
    for name in kernels:
        kernel = kernels[name]
        bound = kernel.resources.max_threads
        bounds[name] = bound
        kernel[1, bound or 1024](out)
        assert out[(bound or 1024) - 1] == (bound or 1024)
        if bound is not None:
            with pytest.raises(LaunchError, match=f"__launch_bounds__ .* allow {bound}"):
                kernel[1, bound + 1](out)
    assert sorted(bounds.values(), key=str) == [32, 48, 64, None]
