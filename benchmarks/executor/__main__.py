"""Compare launches and runtime compilation from Python with cuda-core and CuPy."""

from __future__ import annotations

import argparse
import io
import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.measure import HEADER, Comparison, describe_machine, interleave, show
from kbuild import KernelExecutor, LaunchConfig, query_architecture
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
# Few enough launches that the queue of the driver never fills.
LAUNCHES = 200


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
        compare_launches(3 if arguments.tiny else arguments.repetitions)
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


def time_call(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def compare_launches(repetitions: int) -> None:
    """Compare the host time of asynchronous launches, with arguments as each library takes them."""
    import cupy  # noqa: PLC0415 - only installed on machines with a GPU
    from cuda import core  # noqa: PLC0415 - only installed on machines with a GPU

    device = core.Device()
    device.set_current()
    compiled, name = compile_text(make_request(SOURCE, "saxpy", query_architecture("cuda")))
    kernel = compiled[name]
    executor = KernelExecutor(kernel)
    pool = cupy.cuda.Stream(non_blocking=True)
    stream = core.Stream.from_handle(pool.ptr)
    with pool:
        x, y = cupy.ones(32, cupy.float32), cupy.zeros(32, cupy.float32)
    config = LaunchConfig(grid=1, block=32, stream=pool.ptr)
    core_config = core.LaunchConfig(grid=1, block=32)
    core_kernel = core.ObjectCode.from_cubin(kernel.images[0].data).get_kernel("saxpy")
    raw = cupy.RawKernel(SOURCE, "saxpy")
    n, a = np.int32(32), np.float32(2)
    px, py = x.data.ptr, y.data.ptr

    def in_pool(body: Callable[[], None]) -> Callable[[], None]:
        """CuPy arrays belong to the current stream."""

        def run() -> None:
            with pool:
                body()

        return run

    sides: dict[str, Callable[[], None]] = {
        "kbuild addresses": repeat(lambda: executor.run(config, n, a, px, py)),
        "cuda.core.launch": repeat(
            lambda: core.launch(stream, core_config, core_kernel, n, a, px, py)
        ),
        "kbuild arrays": in_pool(repeat(lambda: executor.run(config, n, a, x, y))),
        "kbuild numbers": repeat(lambda: executor.run(config, 32, 2.0, px, py)),
        "cupy.RawKernel": in_pool(repeat(lambda: raw((1,), (32,), (n, a, x, y)))),
    }
    taken = interleave({name: timed(body, pool) for name, body in sides.items()}, repetitions)
    print(HEADER.replace(" ms", " us"))
    for case, peer in (
        ("kbuild addresses", "cuda.core.launch"),
        ("kbuild numbers", "cuda.core.launch"),
        ("kbuild arrays", "cupy.RawKernel"),
        ("kbuild addresses", "cupy.RawKernel"),
    ):
        show(Comparison(case=case, peer_name=peer, ours=taken[case], peer=taken[peer]))


def repeat(call: Callable[[], object]) -> Callable[[], None]:
    def body() -> None:
        for _ in range(LAUNCHES):
            call()

    return body


def timed(body: Callable[[], None], stream: Any) -> Callable[[], float]:
    """Return a function that measures milliseconds per 1,000 launches: microseconds per launch."""

    def measure() -> float:
        stream.synchronize()
        seconds = time_call(body)
        stream.synchronize()
        return seconds / LAUNCHES * 1e3

    return measure


if __name__ == "__main__":
    main()
