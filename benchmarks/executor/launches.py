"""Compare the host time of asynchronous launches from Python."""

from __future__ import annotations

import ctypes
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import HEADER, Comparison, interleave, show, time_call, time_command
from kbuild import CompiledKernel, KernelExecutor, LaunchConfig
from kbuild.backends import open_device
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text

SOURCE = """\
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""
# Few enough launches that the queue of the driver never fills.
LAUNCHES = 200
THREADS = 32
Body = Callable[[], object]


def compare_launches(arch: str, repetitions: int) -> None:
    """Print two tables: with CuPy's arrays, and with PyTorch's tensors."""
    request = RtcRequest(text=SOURCE, name="saxpy", options=(), backend="cuda", arch=arch)
    compiled, name = compile_text(request)
    kernel = compiled[name]
    compare_arrays(kernel, repetitions)
    compare_tensors(kernel, repetitions)


def compare_arrays(kernel: CompiledKernel, repetitions: int) -> None:
    """Compare launches with CuPy's arrays, and with addresses."""
    import cupy  # noqa: PLC0415 - only installed on machines with a GPU
    from cuda import core  # noqa: PLC0415 - only installed on machines with a GPU

    core.Device().set_current()
    executor = KernelExecutor(kernel)
    pool = cupy.cuda.Stream(non_blocking=True)
    stream = core.Stream.from_handle(pool.ptr)
    with pool:
        x, y = cupy.ones(THREADS, cupy.float32), cupy.zeros(THREADS, cupy.float32)
    config = LaunchConfig(grid=1, block=THREADS, stream=pool.ptr)
    anywhere = LaunchConfig(grid=1, block=THREADS)
    core_config = core.LaunchConfig(grid=1, block=THREADS)
    core_kernel = core.ObjectCode.from_cubin(kernel.images[0].data).get_kernel("saxpy")
    raw = cupy.RawKernel(SOURCE, "saxpy")
    n, a = np.int32(THREADS), np.float32(2)
    px, py = x.data.ptr, y.data.ptr

    def in_pool(body: Callable[[], None]) -> Callable[[], None]:
        """CuPy arrays belong to the current stream."""

        def run() -> None:
            with pool:
                body()

        return run

    bodies: dict[str, Callable[[], None]] = {
        "C": loop_in_c(kernel, config, px, py),
        "kbuild addresses": repeat(lambda: executor.run(config, n, a, px, py)),
        "cuda.core.launch": repeat(
            lambda: core.launch(stream, core_config, core_kernel, n, a, px, py)
        ),
        "kbuild arrays": in_pool(repeat(lambda: executor.run(config, n, a, x, y))),
        "kbuild current stream": in_pool(repeat(lambda: executor.run(anywhere, n, a, x, y))),
        "kbuild numbers": repeat(lambda: executor.run(config, THREADS, 2.0, px, py)),
        "cupy.RawKernel": in_pool(repeat(lambda: raw((1,), (THREADS,), (n, a, x, y)))),
    }
    taken = interleave({name: timed(body, pool) for name, body in bodies.items()}, repetitions)
    print_table(
        taken,
        ("kbuild addresses", "cuda.core.launch"),
        ("kbuild numbers", "cuda.core.launch"),
        ("kbuild addresses", "cupy.RawKernel"),
        ("kbuild arrays", "cupy.RawKernel"),
        ("kbuild current stream", "cupy.RawKernel"),
    )


def compare_tensors(kernel: CompiledKernel, repetitions: int) -> None:
    """Compare launches with PyTorch's tensors, in PyTorch's current stream."""
    import cupy  # noqa: PLC0415 - only installed on machines with a GPU
    import torch  # noqa: PLC0415 - only installed on machines with a GPU

    from benchmarks.executor.triton_saxpy import saxpy  # noqa: PLC0415 - only with a GPU

    executor = KernelExecutor(kernel)
    stream = torch.cuda.Stream()
    raw = cupy.RawKernel(SOURCE, "saxpy")
    x = torch.ones(THREADS, device="cuda", requires_grad=True)
    y = torch.zeros(THREADS, device="cuda")
    config = LaunchConfig(grid=1, block=THREADS)
    pool = cupy.cuda.ExternalStream(stream.cuda_stream)
    address = LaunchConfig(grid=1, block=THREADS, stream=stream.cuda_stream)
    bodies: dict[str, Callable[[], None]] = {
        "C": loop_in_c(kernel, address, x.data_ptr(), y.data_ptr()),
        "kbuild tensors": repeat(lambda: executor.run(config, THREADS, 2.0, x, y)),
        "kbuild kernel[...]": repeat(lambda: kernel[1, THREADS](THREADS, 2.0, x, y)),
        "triton": repeat(lambda: saxpy[(1,)](THREADS, 2.0, x, y, THREADS, num_warps=1)),
        "cupy.RawKernel": repeat(
            lambda: raw(
                (1,),
                (THREADS,),
                (np.int32(THREADS), np.float32(2), x.data_ptr(), y.data_ptr()),
            )
        ),
    }
    with torch.cuda.stream(stream), pool:
        sides = {name: timed(body, stream) for name, body in bodies.items()}
        taken = interleave(sides, repetitions)
    print_table(taken, ("kbuild tensors", "triton"), ("kbuild tensors", "cupy.RawKernel"))


def print_table(taken: dict[str, tuple[float, ...]], *pairs: tuple[str, str]) -> None:
    """Print the microseconds of a launch: the pairs, and everything against C."""
    print(HEADER.replace(" ms", " us"))
    for case, peer in pairs:
        show(Comparison(case=case, peer_name=peer, ours=taken[case], peer=taken[peer]))
    for case, times in taken.items():
        more = statistics.median(a - b for a, b in zip(times, taken["C"], strict=True))
        median = statistics.median(times)
        print(f"{case:<28}{median * 1e3:>12.4g}  {more * 1e3:+.2f} us over C")


def loop_in_c(kernel: CompiledKernel, config: LaunchConfig, x: int, y: int) -> Callable[[], None]:
    """Return the loop of launches in C."""
    directory = Path(tempfile.mkdtemp(prefix="kbuild-benchmark-"))
    library = directory / "loop.so"
    source = Path(__file__).with_name("loop.c")
    time_command(["cc", "-O2", "-shared", "-fPIC", "-o", library, source])
    loop = ctypes.CDLL(str(library)).launch_repeatedly
    device = open_device("cuda")
    function = device.load(kernel.images, kernel.record)
    call = device.open_queue(config.stream).bind(function, config)
    values = (
        ctypes.c_int(THREADS),
        ctypes.c_float(2),
        ctypes.c_uint64(x),
        ctypes.c_uint64(y),
    )
    arguments = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    entry, opaque = ctypes.c_void_p(call.entry), ctypes.c_void_p(call.function)

    def body() -> None:
        if loop(entry, call.config, opaque, arguments, LAUNCHES) != 0:
            raise SystemExit("the launches in C failed")

    body.kept = (call, values, function)  # type: ignore[attr-defined]
    return body


def repeat(call: Body) -> Callable[[], None]:
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
