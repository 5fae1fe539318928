"""Compare launches and runtime compilation from Python with other libraries, and with C."""

from __future__ import annotations

import argparse
import io
import itertools

from benchmarks.executor.launches import compare_launches
from benchmarks.measure import (
    HEADER,
    Comparison,
    describe_machine,
    interleave,
    show,
    time_call,
)
from kbuild import query_architecture
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text

SOURCE = """\
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
LARGER = """\
template <int N> __device__ float sum(const float* in)
{
    float v[N], s = 0;
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = in[k] * in[N - 1 - k];
#pragma unroll
    for (int k = 0; k < N; k++) s += v[k] * v[(k * 7) % N];
    return s;
}
extern "C" __global__ void sums(int n, const float* in, float* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum<64>(in + i) + sum<96>(in + i) + sum<128>(in + i);
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure few pairs, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=101)
    arguments = parser.parse_args()
    print(describe_machine())
    try:
        arch = query_architecture("cuda")
    except ConfigurationError as error:
        print(f"launches not measured: {error}")
        arch = "90-real"
    else:
        compare_launches(arch, 3 if arguments.tiny else arguments.repetitions)
    compare_compilers(arch, 2 if arguments.tiny else max(arguments.repetitions // 3, 2))


def compare_compilers(arch: str, repetitions: int) -> None:
    """Compare the time to compile sources that are not in a cache to cubins."""
    print(HEADER)
    numbers = itertools.count()
    for case, text, name in (("rtc: saxpy", SOURCE, "saxpy"), ("rtc: sums", LARGER, "sums")):
        sides = {
            "kbuild": lambda text=text, name=name: time_call(
                lambda: compile_text(make_request(f"{text}// {next(numbers)}\n", name, arch))
            ),
            "cuda-core": lambda text=text: time_call(
                lambda: compile_by_cuda_core(f"{text}// {next(numbers)}\n", arch)
            ),
        }
        taken = interleave(sides, repetitions)
        show(
            Comparison(
                case=case,
                peer_name="cuda.core.Program.compile",
                ours=taken["kbuild"],
                peer=taken["cuda-core"],
            )
        )


def make_request(text: str, name: str, arch: str) -> RtcRequest:
    return RtcRequest(text=text, name=name, options=(), backend="cuda", arch=arch)


def compile_by_cuda_core(text: str, arch: str) -> bytes:
    """Compile with the same standard and log; the sources need no include directories."""
    from cuda.core import Program, ProgramOptions  # noqa: PLC0415 - see compare_launches

    options = ProgramOptions(
        arch=f"sm_{arch.partition('-')[0]}", std="c++17", ptxas_options="-v", name="text.cu"
    )
    code = Program(text, "c++", options).compile("cubin", logs=io.StringIO())
    return bytes(code.code)


if __name__ == "__main__":
    main()
