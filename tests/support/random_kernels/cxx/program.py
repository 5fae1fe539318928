"""A program that launches random kernels and prints what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from support.random_kernels.cxx.generate import CxxKernel
from support.random_kernels.interpreter import find_results
from support.random_kernels.model import INPUTS
from support.random_kernels.program import INPUT

_START = """\
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define FULL 0xffffffffu
#define SYNC() __syncthreads()
#define SYNC_IF(x) do { if (x) __syncthreads(); } while (0);
#define SHFL_XOR(x, k) __shfl_xor_sync(~0u, (x), (k))
inline __device__ unsigned tid_of() { return threadIdx.y * blockDim.x + threadIdx.x; }
inline __device__ void call_sync() { __syncthreads(); }
namespace lib {
template <class T>
__device__ T swap_lanes(T value, int bits) { return __shfl_xor_sync(~0u, value, bits); }
}
"""

# What the standard library declares for structured bindings, outside the namespace of a kernel.
_TUPLES = """\
namespace lib {
struct Tid {
    template <int I>
    __device__ unsigned get() const { return I == 0 ? threadIdx.x : blockDim.x; }
};
struct Exchanged {
    unsigned v;
    template <int I>
    __device__ unsigned get() const
    {
        if constexpr (I == 0)
            return v;
        else
            return __shfl_xor_sync(~0u, v, 1);
    }
};
}
namespace std {
template <> struct tuple_size<lib::Tid> { static constexpr size_t value = 2; };
template <size_t I> struct tuple_element<I, lib::Tid> { using type = unsigned; };
template <> struct tuple_size<lib::Exchanged> { static constexpr size_t value = 2; };
template <size_t I> struct tuple_element<I, lib::Exchanged> { using type = unsigned; };
}
"""

_MAIN = """
int main(int argc, char** argv)
{{
    unsigned *in, *out, *scratch;
    cudaMallocManaged(&in, {inputs} * sizeof *in);
    cudaMallocManaged(&out, {most} * sizeof *out);
    cudaMallocManaged(&scratch, 64 * sizeof *scratch);
    for (unsigned i = 0; i < {inputs}; ++i)
        in[i] = i * 2654435761u;
{launches}}}
"""

_LAUNCH = """\
    if (argc == 1 || !std::strcmp(argv[1], "{name}")) {{
        for (int i = 0; i < 64; ++i)
            scratch[i] = 7;
        for (int i = 0; i < {count}; ++i)
            out[i] = 0;
        {earlier}{namespace}::{name}<<<{blocks}, dim3({width}, {height})>>>({arguments});
        std::printf("{name} %d", int(cudaDeviceSynchronize()));
        for (int i = 0; i < {count}; ++i)
            std::printf(" %u", out[i]);
        std::puts("");
        std::fflush(stdout);
    }}
"""


def render_program(kernels: Sequence[CxxKernel]) -> str:
    """Return a program that prints a line for each kernel, or for one that its argument names."""
    launches = "".join(
        _LAUNCH.format(
            namespace=each.namespace,
            name=each.kernel.name,
            blocks=each.kernel.blocks,
            earlier="".join(f"{name}<<<1, 64>>>(scratch);\n        " for name in each.earlier),
            width=each.kernel.width,
            height=each.kernel.height,
            count=each.kernel.blocks * each.kernel.threads,
            arguments=", ".join(("in", "out", f"{each.kernel.argument}u", *each.arguments)),
        )
        for each in kernels
    )
    most = max(each.kernel.blocks * each.kernel.threads for each in kernels)
    tuples = _TUPLES if any(each.has_members for each in kernels) else ""
    texts = "\n".join(render_kernel(each) for each in kernels)
    common = "\n".join(dict.fromkeys(text for each in kernels for text in each.common))
    return f"{_START}{tuples}{common}\n{texts}" + _MAIN.format(
        inputs=INPUTS, most=most, launches=launches
    )


def render_kernel(each: CxxKernel) -> str:
    """Return the namespace of a kernel."""
    return (
        f"// {', '.join(each.features)}\n"
        f"namespace {each.namespace} {{\n{each.declarations}\n{each.kernel.cxx}}}\n"
    )


@lru_cache(maxsize=64)
def _find_expected(generated: CxxKernel) -> list[str]:
    return ["0", *map(str, find_results(generated.kernel, INPUT, is_reversed=False))]


def list_wrong(kernels: Sequence[CxxKernel], output: str) -> dict[str, str]:
    """Return what is wrong with each kernel that printed something else than expected."""
    printed = {line.split()[0]: line.split()[1:] for line in output.splitlines() if line}
    wrong = {}
    for each in kernels:
        found = printed.get(each.kernel.name)
        expected = _find_expected(each)
        if found is None:
            wrong[each.kernel.name] = "printed nothing"
        elif found != expected:
            places = [
                i for i, both in enumerate(zip(found, expected, strict=False)) if len({*both}) > 1
            ]
            wrong[each.kernel.name] = (
                f"{len(places)} of {each.kernel.threads} values differ; the first one is "
                f"{found[places[0]]} instead of {expected[places[0]]}, of thread {places[0] - 1}"
                if places
                else "printed too little"
            )
    return wrong
