"""KernelCompiler, KernelExecutor, and RtcKernel on a real GPU.

The tests are skipped with a reason without one.
"""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kbuild import (
    CompiledKernel,
    KernelCompiler,
    KernelExecutor,
    LaunchConfig,
    RtcKernel,
    query_architecture,
)
from kbuild.backends import open_device
from kbuild.errors import ConfigurationError, KbuildError, LaunchError
from support.executed_kernels import CASES, HEAVY, CompiledKernels, OnlyDlpack, RtcKernels


def missing() -> str:
    try:
        query_architecture("cuda")
        KernelCompiler("cuda")
    except KbuildError as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there is a device"),
]

SMALL = """\
__device__ int counter;
template <class T> __global__ void scale(T* values, T factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
template __global__ void scale<float>(float*, float, int);
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void read(int* out) { *out = counter; }
__global__ void use_shared(int* out, int last)
{
    extern __shared__ int values[];
    values[last] = 7;
    __syncthreads();
    *out = values[last];
}
__global__ void ask_cluster(unsigned* out)
{
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
    *out = blocks;
}
__global__ void __launch_bounds__(1024) spin(long long cycles, int* out)
{
    const long long start = clock64();
    while (clock64() - start < cycles) {}
    if (threadIdx.x == 0) *out = 1;
}
__global__ void fault() { *(volatile int*)8 = 1; }
"""
BLOCK = LaunchConfig(grid=1, block=32)


@pytest.fixture(scope="module")
def small() -> Any:
    return KernelCompiler("cuda").compile(SMALL)


@pytest.fixture(scope="module")
def kernels() -> CompiledKernels:
    return CompiledKernels("cuda")


@pytest.mark.parametrize("case", CASES)
def test_executor_agrees_with_numpy(kernels: CompiledKernels, case: str) -> None:
    CASES[case](kernels)


@pytest.mark.parametrize("case", CASES)
def test_rtc_agrees_with_numpy(case: str) -> None:
    CASES[case](RtcKernels("auto"))


def test_portable_code_runs() -> None:
    arch = query_architecture("cuda").removesuffix("-real")
    CASES["test_scale_each_type"](CompiledKernels("cuda", f"{arch}-virtual"))


def launch_heavy(kernel: CompiledKernel, block: int) -> Any:
    source = np.linspace(0, 1, 5000, dtype=np.float32)
    out = np.zeros(2048, np.float32)
    KernelExecutor(kernel).run(
        LaunchConfig(grid=2048 // block, block=block), out, source, np.int32(source.size)
    )
    return out


def compile_heavy(way: str) -> CompiledKernel:
    if way == "rtc":
        return RtcKernel(HEAVY, "heavy").compiled
    arch = query_architecture("cuda")
    if way == "portable":
        arch = arch.replace("-real", "-virtual")
    return KernelCompiler("cuda", arch).compile(HEAVY)["heavy"]


def test_larger_blocks_change_the_bounds_of_portable_code() -> None:
    kernel = compile_heavy("portable")
    expected = launch_heavy(kernel, 128)
    np.testing.assert_allclose(launch_heavy(kernel, 1024), expected, rtol=1e-5)
    assert [variant.images[0].kind for variant in kernel.history] == ["ptx", "ptx"]


def test_text_that_was_compiled_before_has_the_same_facts() -> None:
    first, second = (RtcKernel(HEAVY, "heavy").compiled.resources for _ in range(2))
    assert first.spill_store_bytes == 0
    assert second == first


@pytest.mark.parametrize("way", ["nvcc", "rtc"])
def test_larger_blocks_recompile_once(way: str) -> None:
    kernel = compile_heavy(way)
    assert kernel.resources.max_threads == 128
    assert (kernel.resources.registers or 0) > 64
    expected = launch_heavy(kernel, 128)
    assert len(kernel.history) == 1

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: launch_heavy(kernel, 1024), range(8)))

    for result in results:
        np.testing.assert_allclose(result, expected, rtol=1e-5)
    first, second = tuple(kernel.history)
    assert second.resources.max_threads == 1024
    assert (second.resources.registers or 0) <= 64
    assert "1024 threads" in second.reason
    assert "128" in second.reason
    assert kernel.marks.max_threads == 1024
    np.testing.assert_allclose(launch_heavy(kernel, 128), expected, rtol=1e-5)
    assert tuple(kernel.history) == (first, second)


def test_register_limit_recompiles() -> None:
    kernel = compile_heavy("nvcc")
    expected = launch_heavy(kernel, 128)
    source, out = np.linspace(0, 1, 5000, dtype=np.float32), np.zeros(2048, np.float32)
    KernelExecutor(kernel).run(
        LaunchConfig(grid=16, block=128, max_registers=40), out, source, np.int32(source.size)
    )
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    assert (kernel.history[-1].resources.registers or 99) <= 40


def test_kernels_of_one_source_share_device_variables(small: Any) -> None:
    seen = np.zeros(1, np.int32)
    for _ in range(3):
        KernelExecutor(small["count"]).run(BLOCK)
    KernelExecutor(small["read"]).run(BLOCK, seen)
    assert seen[0] == 96


def test_cupy_arrays_are_not_copied(small: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    values = cupy.ones(100, cupy.float32)
    executor = KernelExecutor(small["scale<float>"])
    executor.run(LaunchConfig(grid=4, block=32), values, 3.0, 100)
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        values += 1
        executor.run(LaunchConfig(grid=4, block=32, stream=stream), values, 2.0, 100)
        values += 1
    stream.synchronize()
    assert (values.get() == 9).all()
    with pytest.raises(ConfigurationError, match="contiguous"):
        executor.run(BLOCK, values[::2], 2.0, 50)
    with pytest.raises(ConfigurationError, match=r"numpy\.float32"):
        executor.run(BLOCK, values.astype(cupy.float64), 2.0, 50)


def test_torch_tensors_are_not_copied(small: Any) -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    values = torch.ones(100, device="cuda")
    executor = KernelExecutor(small["scale<float>"])
    executor.run(LaunchConfig(grid=4, block=32), values, 3.0, 100)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        values += 1
        executor.run(LaunchConfig(grid=4, block=32, stream=stream), values, 2.0, 100)
        values += 1
    stream.synchronize()
    assert (values == 9).all().item()
    with pytest.raises(ConfigurationError, match="host memory"):
        executor.run(BLOCK, torch.ones(3), 2.0, 3)


def test_types_that_numpy_does_not_support_are_passed() -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    text = "#include <cuda_bf16.h>\n__global__ void two(__nv_bfloat16* p) { *p = 2.0f; }"
    values = torch.ones(2, device="cuda", dtype=torch.bfloat16)
    RtcKernel(text, "two").run(LaunchConfig(grid=1, block=1), values)
    assert values.tolist() == [2, 1]


def test_arrays_with_dlpack_only_are_passed(small: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    values = cupy.ones(8, cupy.float32)
    KernelExecutor(small["scale<float>"]).run(BLOCK, OnlyDlpack(values), 5.0, 8)
    assert (values.get() == 5).all()


def test_profile_returns_the_time_on_the_device(small: Any) -> None:
    executor = KernelExecutor(small["spin"])
    out = np.zeros(1, np.int32)
    short = executor.run(BLOCK, 100_000, out, profile=True)
    long = executor.run(BLOCK, 10_000_000, out, profile=True)
    assert short is not None
    assert long is not None
    assert 0 < short < long


def test_streams_are_asynchronous_and_ordered(small: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    stream = cupy.cuda.Stream(non_blocking=True)
    done = cupy.zeros(1, cupy.int32)
    executor = KernelExecutor(small["spin"])
    executor.run(LaunchConfig(grid=1, block=32, stream=stream), 200_000_000, done)
    assert not stream.done
    executor.synchronize(stream)
    assert stream.done
    assert done.get()[0] == 1


def test_large_shared_memory_is_enabled_automatically(small: Any) -> None:
    out = np.zeros(1, np.int32)
    size = 100 << 10
    executor = KernelExecutor(small["use_shared"])
    executor.run(LaunchConfig(grid=1, block=32, shared_bytes=size), out, size // 4 - 1)
    assert out[0] == 7
    with pytest.raises(LaunchError, match="use_shared"):
        executor.run(LaunchConfig(grid=1, block=32, shared_bytes=10 << 20), out, 0)


def test_static_shared_memory_counts_towards_the_limit() -> None:
    text = """
    __global__ void both(int* out, int last)
    {
        __shared__ int own[4096];
        extern __shared__ int values[];
        own[threadIdx.x] = 3;
        values[last] = 7;
        __syncthreads();
        *out = values[last] + own[0];
    }
    """
    out = np.zeros(1, np.int32)
    size = 40 << 10  # with the static 16 KiB, this exceeds the default limit of 48 KiB
    RtcKernel(text, "both").run(
        LaunchConfig(grid=1, block=32, shared_bytes=size), out, size // 4 - 1
    )
    assert out[0] == 10


def test_created_streams_are_streams_of_cuda(small: Any) -> None:
    core = pytest.importorskip("cuda.core", reason="no cuda-core here")
    executor = KernelExecutor(small["scale<float>"])
    stream = executor.create_stream()
    assert int(core.Device().create_stream(stream).handle) == stream.handle
    values = np.ones(32, np.float32)
    executor.run(LaunchConfig(grid=1, block=32, stream=stream), values, 3.0, 32)
    stream.synchronize()
    small["scale<float>"][1, 32, 0, stream](values, 3.0, 32)
    executor.synchronize(stream)
    assert (values == 9).all()


def test_default_stream_can_be_named(small: Any) -> None:
    executor = KernelExecutor(small["scale<float>"])
    for stream in (0, 1):
        values = np.ones(8, np.float32)
        executor.run(LaunchConfig(grid=1, block=32, stream=stream), values, 2.0, 8)
        assert (values == 2).all()
    torch = pytest.importorskip("torch", reason="no torch here")
    tensor = torch.ones(8, device="cuda")
    config = LaunchConfig(grid=1, block=32, stream=torch.cuda.default_stream())
    executor.run(config, tensor, 2.0, 8)
    executor.run(config, OnlyDlpack(tensor), 2.0, 8)
    assert (tensor == 4).all().item()


def test_register_limit_applies_to_portable_code() -> None:
    kernel = compile_heavy("portable")
    source, out = np.linspace(0, 1, 5000, dtype=np.float32), np.zeros(2048, np.float32)
    expected = launch_heavy(kernel, 128)
    KernelExecutor(kernel).run(
        LaunchConfig(grid=16, block=128, max_registers=40), out, source, np.int32(source.size)
    )
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    assert [variant.marks.max_registers for variant in kernel.history] == [None, 40]


def test_code_is_unloaded_with_the_kernel() -> None:
    device: Any = open_device("cuda")
    out = np.zeros(1, np.int32)
    for number in range(3):
        text = f"__device__ int n = {number}; __global__ void get(int* out) {{ *out = n++; }}"
        kernel = RtcKernel(text, "get")
        for turn in range(2):  # the device variable outlives the executor
            KernelExecutor(kernel.compiled).run(LaunchConfig(grid=1, block=1), out)
            assert out[0] == number + turn
        gc.collect()  # kernels of earlier tests can be garbage in reference cycles
        kept = len(device._libraries)
        del kernel
        gc.collect()
        assert len(device._libraries) == kept - 1


def test_executors_of_two_devices_alternate(small: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("one device")
    executors, arrays = [], []
    for number in range(2):
        with cupy.cuda.Device(number):
            executors.append(KernelExecutor(small["scale<float>"]))
            arrays.append(cupy.ones(8, cupy.float32))
    config = LaunchConfig(grid=1, block=32)
    for turn in range(6):
        with cupy.cuda.Device(turn // 2 % 2):  # sometimes not the device of the executor
            executors[turn % 2].run(config, arrays[turn % 2], 2.0, 8)
            host = np.ones(8, np.float32)
            executors[turn % 2].run(config, host, 3.0, 8)
            assert (host == 3).all()
    for number, array in enumerate(arrays):
        with cupy.cuda.Device(number):
            assert (array.get() == 8).all()


def test_launch_attributes_reach_the_device(small: Any) -> None:
    out = np.zeros(1, np.uint32)
    KernelExecutor(small["ask_cluster"]).run(LaunchConfig(grid=4, block=32, cluster=2), out)
    assert out[0] == 2
    KernelExecutor(small["count"]).run(LaunchConfig(grid=2, block=32, cooperative=True))


def test_occupancy_limits_cooperative_launches(small: Any) -> None:
    kernel = small["count"]
    active = kernel.max_active_blocks(256)
    assert active > 0
    assert kernel.max_active_blocks(256, 40_000) < active
    count = open_device("cuda").device.properties.multiprocessor_count  # type: ignore[attr-defined]
    executor = KernelExecutor(kernel)
    executor.run(LaunchConfig(grid=active * count, block=256, cooperative=True))
    most = active * count
    expected = rf"{most + 1} blocks of 256 threads, .* most {most} at the same time \({active} on"
    with pytest.raises(LaunchError, match=expected):
        executor.run(LaunchConfig(grid=most + 1, block=256, cooperative=True))


@pytest.mark.parametrize("way", ["nvcc", "rtc", "portable"])
def test_block_gets_as_many_registers_as_it_can_have(way: str) -> None:
    text = HEAVY.replace("float", "double")
    if way == "rtc":
        kernel = RtcKernel(text, "heavy", backend="cuda").compiled
    else:
        arch = "90-virtual" if way == "portable" else None
        kernel = KernelCompiler("cuda", arch).compile(text)["heavy"]
    out, values = np.zeros(512), np.full(4096, 0.01)
    kernel[1, 512](out, values, len(values))
    expected = out.copy()
    kernel[4, 128](out, values, len(values))
    np.testing.assert_array_equal(out, expected)
    kernel[1, 512](out, values, len(values))
    assert kernel.last_launch is not None
    assert kernel.last_launch.variant.marks.max_registers == 128
    if way != "portable":
        assert kernel.last_launch.variant.resources.registers == 128


def test_pickled_kernels_run_in_another_process(small: Any, tmp_path: Path) -> None:
    file = tmp_path / "kernel.pickle"
    file.write_bytes(pickle.dumps(small["scale<float>"]))
    program = (
        "import pickle, sys, numpy, kbuild\n"
        "kernel = pickle.load(open(sys.argv[1], 'rb'))\n"
        "values = numpy.ones(4, numpy.float32)\n"
        "config = kbuild.LaunchConfig(grid=1, block=4)\n"
        "kbuild.KernelExecutor(kernel).run(config, values, 5.0, 4)\n"
        "print(values.sum())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["20.0"]


def test_faults_of_kernels_are_errors() -> None:
    program = (
        "import sys, kbuild\n"
        "kernel = kbuild.RtcKernel('__global__ void fault() { *(volatile int*)8 = 1; }', 'fault')\n"
        "try:\n"
        "    kernel.run(kbuild.LaunchConfig(grid=1, block=1))\n"
        "except kbuild.errors.LaunchError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "fault(): running failed: CUDA_ERROR_ILLEGAL_ADDRESS" in done.stdout


def test_debugging_switches_optimization_off() -> None:
    source = """extern "C" __global__ void __launch_bounds__(128) sum(float* out, const float* in)
    {
        float total = 0;
        for (int i = 0; i < 16; i++) total += in[i];
        *out = total;
    }"""
    values, out = np.arange(16, dtype=np.float32), np.zeros(1, np.float32)
    for made in (
        KernelCompiler("cuda", debug=True).compile(source)["sum"],
        RtcKernel(source, "sum", "cuda", debug=True).compiled,
    ):
        plain = KernelCompiler("cuda").compile(source)["sum"]
        assert (made.resources.code_bytes or 0) > (plain.resources.code_bytes or 0)
        made[1, 1](out, values)
        assert out[0] == 120
        made[1, 1024](out, values)  # assembled again, with debug information
        assert out[0] == 120
        assert len(made.history) == 2
