"""A program that launches random kernels and prints what they compute."""

from __future__ import annotations

from collections.abc import Sequence

from support.random_kernels.interpreter import find_results
from support.random_kernels.model import INPUTS, RandomKernel

# Any values; the same ones in C++ and in Python.
INPUT = tuple(index * 2654435761 % (1 << 32) for index in range(INPUTS))

_INCLUDES = """\
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
"""

# What kernels call instead of the functions of CUDA, in different forms.
_FUNCTIONS = """
#define FULL 0xffffffffu
__device__ void call_syncthreads() { __syncthreads(); }
__device__ void call_syncwarp() { __syncwarp(FULL); }
__device__ unsigned call_syncthreads_count(bool test) { return __syncthreads_count(test); }
__device__ unsigned call_syncthreads_and(bool test)
{
    __syncthreads();
    return __syncthreads_and(test);
}
__device__ unsigned call_syncthreads_or(int test)
{
    const bool is_any = __syncthreads_or(test);
    if (is_any)
        test = 5;
    return is_any ? test / 5 : 0;
}
template <class T>
__device__ T call_shfl(T value, unsigned source)
{
    return __shfl_sync(FULL, value, source);
}
template <class T, int WIDTH = 32>
__device__ T call_shfl_xor(const T& value, int bits)
{
    T values[2] = {value, 0};
    values[1] = __shfl_xor_sync(FULL, values[0], bits, WIDTH);
    return values[1];
}
__device__ unsigned call_shfl_up(unsigned value, int delta)
{
    for (int i = 0; i < 3; ++i) {
        const unsigned other = __shfl_up_sync(FULL, value, delta);
        if (i == 1) {
            value = other;
            break;
        }
    }
    return value;
}
__device__ unsigned call_shfl_down(unsigned value, int delta)
{
    struct Both {
        unsigned a, b;
    } both = {value, value};
    both.b = __shfl_down_sync(FULL, both.a, delta);
    return both.b;
}
__device__ unsigned call_ballot(unsigned test) { return call_shfl(__ballot_sync(FULL, test), 0); }
__device__ unsigned call_any(unsigned test)
{
    if (__any_sync(FULL, test))
        return 1;
    return 0;
}
__device__ unsigned call_all(unsigned test)
{
    unsigned found = __all_sync(FULL, test);
    if (test == 0)
        return 0;
    found += 0 * threadIdx.x;
    return found;
}
__device__ unsigned call_reduce_add(unsigned value) { return __reduce_add_sync(FULL, value); }
__device__ unsigned call_match_any(unsigned value) { return __match_any_sync(FULL, value); }
__device__ unsigned call_match_all(unsigned value, int* found)
{
    const unsigned lanes = __match_all_sync(FULL, value, found);
    return *found ? lanes : 0;
}
__device__ void call_sync(cg::thread_block block) { cg::sync(block); }
// In CUDA, the type of a tile names that of its parent, too.
template <unsigned N, class P>
__device__ void call_sync(const cg::thread_block_tile<N, P>& tile) { tile.sync(); }
template <unsigned N, class P>
__device__ unsigned call_tile_shfl(cg::thread_block_tile<N, P> tile, unsigned value, int source)
{
    return tile.shfl(value, source);
}
template <class P>
__device__ unsigned call_tile_shfl_xor(cg::thread_block_tile<32, P> tile, unsigned value, int bits)
{
    const unsigned other = tile.shfl_xor(value, bits);
    return other;
}
template <class P>
__device__ unsigned call_tile_shfl_xor(cg::thread_block_tile<8, P> tile, unsigned value, int bits)
{
    const auto again = cg::tiled_partition<8>(cg::this_thread_block());
    value = again.shfl_xor(value, bits);
    again.sync();
    return value;
}
template <class T, unsigned N, class P>
__device__ T read_lower(const cg::thread_block_tile<N, P>& tile, T value, T delta)
{
    for (int i = 0; i < tile.size(); ++i) {
        const T other = tile.shfl_up(value, delta);
        if (i == 1) {
            value = other;
            break;
        }
    }
    return value;
}
template <unsigned N, class P>
__device__ unsigned call_tile_shfl_up(cg::thread_block_tile<N, P> tile, unsigned value, int delta)
{
    return read_lower(tile, value, static_cast<unsigned>(delta));
}
template <unsigned N, class P>
__device__ unsigned call_tile_shfl_down(cg::thread_block_tile<N, P> tile, unsigned value, int delta)
{
    unsigned values[2] = {value, value};
    if (tile.thread_rank() < N)
        values[1] = tile.shfl_down(values[0], delta);
    return values[1];
}
template <unsigned N, class P>
__device__ unsigned call_tile_ballot(cg::thread_block_tile<N, P> tile, unsigned test)
{
    return tile.shfl(tile.ballot(test), 0);
}
template <unsigned N, class P>
__device__ unsigned call_tile_any(cg::thread_block_tile<N, P> tile, unsigned test)
{
    if (tile.any(test))
        return 1;
    return 0;
}
template <unsigned N, class P>
__device__ unsigned call_tile_all(cg::thread_block_tile<N, P> tile, unsigned test)
{
    return !call_tile_any(tile, !test);
}
__device__ unsigned call_masked_shfl(unsigned mask, unsigned value)
{
    return __shfl_sync(mask, value, __ffs(mask) - 1);
}
__device__ unsigned call_masked_reduce_add(unsigned mask, unsigned value)
{
    __syncwarp(mask);
    const unsigned sum = __reduce_add_sync(mask, value);
    return sum;
}
__device__ void add_first(unsigned& changed, unsigned mask, unsigned value)
{
    const unsigned before = changed;
    changed += __shfl_sync(mask, value, __ffs(mask) - 1);
    if (before & 1u)
        changed ^= __popc(mask);
    changed += __any_sync(mask, value & 1u);
}
template <class T>
__device__ void call_change(T& changed, unsigned& other)
{
    const T before = changed;
    changed += __syncthreads_count(before & 1u);
    other ^= changed;
    __syncthreads();
    changed += before;
}
struct Sum {
    __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
template <unsigned N, class P>
__device__ unsigned call_tile_reduce_add(cg::thread_block_tile<N, P> tile, unsigned value)
{
    return cg::reduce(tile, value, Sum());
}
"""

_MAIN = """
int main()
{{
    unsigned *in, *out;
    cudaMallocManaged(&in, {inputs} * sizeof *in);
    cudaMallocManaged(&out, {most} * sizeof *out);
    for (unsigned i = 0; i < {inputs}; ++i)
        in[i] = i * 2654435761u;
{launches}}}
"""

_LAUNCH = """\
    for (int i = 0; i < {count}; ++i)
        out[i] = 0;
    {name}<<<{blocks}, dim3({width}, {height})>>>(in, out, {argument}u);
    std::printf("{name} %d", int(cudaDeviceSynchronize()));
    for (int i = 0; i < {count}; ++i)
        std::printf(" %u", out[i]);
    std::puts("");
"""


def render_program(kernels: Sequence[RandomKernel]) -> str:
    """Return a program that prints a line for each kernel: its name, the error, and the output."""
    launches = (
        _LAUNCH.format(
            name=kernel.name,
            blocks=kernel.blocks,
            width=kernel.width,
            height=kernel.height,
            argument=kernel.argument,
            count=kernel.blocks * kernel.threads,
        )
        for kernel in kernels
    )
    most = max(kernel.blocks * kernel.threads for kernel in kernels)
    main = _MAIN.format(inputs=INPUTS, most=most, launches="".join(launches))
    texts = "\n".join(kernel.cxx for kernel in kernels)
    return f"{_INCLUDES}{_FUNCTIONS}\n{texts}{main}"


def list_differences(kernels: Sequence[RandomKernel], output: str) -> list[str]:
    """Return a message for each kernel that computed something else than the interpreter."""
    printed = {line.split()[0]: line.split()[1:] for line in output.splitlines()}
    messages = []
    for kernel in kernels:
        expected = find_results(kernel, INPUT, is_reversed=False)
        if printed.get(kernel.name) != ["0", *map(str, expected)]:
            got = " ".join(printed.get(kernel.name, ["nothing"]))
            messages.append(f"{kernel.name}: expected {expected}, got {got}:\n{kernel.cxx}")
    return messages
