"""The kernel of the benchmark in Triton, whose parameters have no Python types."""

# ruff: noqa: ANN001, ANN201, N803

import triton
import triton.language as tl


@triton.jit
def saxpy(n, a, x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(y + i, tl.load(y + i, mask=inside) + a * tl.load(x + i, mask=inside), mask=inside)
