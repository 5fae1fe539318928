"""``kbuild.load`` on a real GPU: kernels of libraries in executors, streams, and arrays.

The tests are skipped with a reason without one.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from kbuild import KernelCompiler, KernelExecutor, LaunchConfig, query_architecture, resources
from kbuild.errors import ConfigurationError, KbuildError, LaunchError


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

KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(library CXX)
find_package(kbuild REQUIRED)
add_library(counting SHARED)
kbuild_target_sources(counting PRIVATE counting.cu BACKEND cuda DEBUG_STUBS ${STUBS}
    ARCHITECTURES ${ARCHITECTURES})
"""
SOURCE = """\
__device__ int counter;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
template <class T> __global__ void scale(T* values, T factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
template __global__ void scale<float>(float*, float, int);
extern "C" __global__ void use_shared(int* out, int last)
{
    extern __shared__ int values[];
    values[last] = 7;
    __syncthreads();
    *out = values[last];
}
extern "C" __global__ void ask_cluster(unsigned* out)
{
    unsigned blocks = 0;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(blocks));
#endif
    *out = blocks;
}
extern "C" __global__ void wait_for_all(int* arrived, int blocks, int* out)
{
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < blocks) {}
    *out = blocks;
}
extern "C" __global__ void spin(long long cycles, int* out)
{
    const long long start = clock64();
    while (clock64() - start < cycles) {}
    *out = 1;
}
extern "C" __global__ void fault() { *(volatile int*)8 = 1; }
extern "C" int read_counter()
{
    int value = -1;
    count<<<1, 1>>>();
    return cudaMemcpyFromSymbol(&value, counter, sizeof value) == cudaSuccess ? value : -1;
}
"""


def build(directory: Path, *, stubs: str = "OFF", architectures: str) -> Path:
    (directory / "CMakeLists.txt").write_text(PROJECT)
    (directory / "counting.cu").write_text(SOURCE)
    for command in (
        [
            *("cmake", "-G", "Ninja", "-S", str(directory), "-B", str(directory / "build")),
            *(f"-Dkbuild_DIR={resources.cmake_directory()}", f"-DKBUILD_EXECUTABLE={KBUILD}"),
            *(f"-DSTUBS={stubs}", f"-DARCHITECTURES={architectures}"),
        ],
        ["cmake", "--build", str(directory / "build")],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return directory / "build" / "libcounting.so"


@pytest.fixture(scope="module", params=["OFF", "ON"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    native = query_architecture("cuda").removesuffix("-real")
    return build(
        tmp_path_factory.mktemp("library"), stubs=request.param, architectures=f"80;{native}"
    )


@pytest.fixture(scope="module")
def kernels(library: Path) -> Any:
    return kbuild.load(library)


def test_kernels_share_variables_with_the_host_code(kernels: Any, library: Path) -> None:
    host = ctypes.CDLL(str(library))
    before = host.read_counter()
    kernels["count"][2, 32]()
    KernelExecutor(kernels["count"]).run(LaunchConfig(grid=1, block=4))
    assert host.read_counter() == before + 64 + 4 + 1


def test_pickled_kernels_leave_the_library(kernels: Any, library: Path) -> None:
    host = ctypes.CDLL(str(library))
    before = host.read_counter()
    copy = pickle.loads(pickle.dumps(kernels["count"]))  # noqa: S301 - our own
    copy[1, 32]()
    assert host.read_counter() == before + 1


def test_pickled_kernels_run_from_every_image(kernels: Any) -> None:
    kernel = kernels["scale<float>"]
    kinds = [(image.arch, image.kind) for image in kernel.images]
    assert ("sm_80", "elf") in kinds
    assert (kernel.resources.registers or 0) > 0
    own = f"sm_{query_architecture('cuda').removesuffix('-real')}"
    assert kernel.resources == kernel.resources_for(own)
    values = np.ones(40, np.float32)
    pickle.loads(pickle.dumps(kernel))[1, 64](values, 3.0, 32)  # noqa: S301 - our own
    assert values.tolist() == [3.0] * 32 + [1.0] * 8


def test_numpy_arrays_are_copied(kernels: Any) -> None:
    values = np.ones(1000, np.float32)
    kernels["scale<float>"].launch(grid=4, block=256, args=[values, 2.0, 1000])
    kernels["scale<float>"][4, 256](values, 2.0, 1000)
    assert (values == 4).all()


def test_torch_tensors_and_streams_are_used(kernels: Any) -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    values = torch.ones(1000, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    kernels["scale<float>"][4, 256, 0, stream](values, 5.0, 1000)
    stream.synchronize()
    assert bool((values == 5).all())
    with pytest.raises(ConfigurationError, match="contiguous"):
        kernels["scale<float>"][4, 256, 0, stream](values[::2], 5.0, 500)


def test_launches_are_captured_into_graphs(kernels: Any) -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    values = torch.ones(8, device="cuda")
    kernels["scale<float>"].resolve()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernels["scale<float>"][1, 8, 0, torch.cuda.current_stream()](values, 2.0, 8)
    assert bool((values == 1).all())
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    assert bool((values == 4).all())


def test_cupy_arrays_and_streams_are_used(kernels: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    stream = cupy.cuda.Stream(non_blocking=True)
    done = cupy.zeros(1, cupy.int32)
    cupy.cuda.Device().synchronize()
    kernels["spin"][1, 1, 0, stream](300_000_000, done)
    assert not stream.done
    stream.synchronize()
    assert int(done[0]) == 1


def test_launch_attributes_reach_the_device(kernels: Any) -> None:
    out = np.zeros(1, np.uint32)
    executor = KernelExecutor(kernels["ask_cluster"])
    executor.run(LaunchConfig(grid=4, block=32, cluster=2), out)
    assert out[0] == 2
    arrived, seen = np.zeros(1, np.int32), np.zeros(1, np.int32)
    config = LaunchConfig(grid=8, block=1, cooperative=True)
    KernelExecutor(kernels["wait_for_all"]).run(config, arrived, 8, seen)
    assert seen[0] == 8
    with pytest.raises(LaunchError, match="wait_for_all"):
        KernelExecutor(kernels["wait_for_all"]).run(
            LaunchConfig(grid=1 << 20, block=1024, cooperative=True), arrived, 8, seen
        )


def test_large_shared_memory_is_enabled_automatically(kernels: Any) -> None:
    out = np.zeros(1, np.int32)
    kernels["use_shared"][1, 1, 64 << 10](out, (64 << 8) - 1)
    assert out[0] == 7


def test_time_and_records_of_launches(kernels: Any) -> None:
    values = np.ones(8, np.float32)
    executor = KernelExecutor(kernels["scale<float>"])
    config = LaunchConfig(grid=1, block=8)
    assert (executor.run(config, values, 2.0, 8, profile=True) or 0) > 0
    replay = kbuild.replay_launch(executor.capture(config, values, 2.0, 8))
    assert replay.outcome.code == 0, replay.outcome.message
    assert replay.buffers[0].after == (values * 2).tobytes()


def test_another_current_device_is_changed_back(kernels: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no cupy here")
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    executor = KernelExecutor(kernels["scale<float>"])
    values = cupy.ones(8, cupy.float32)
    with cupy.cuda.Device(1):
        executor.run(LaunchConfig(grid=1, block=8), values, 3.0, 8)
        other = cupy.ones(8, cupy.float32)
        kernels["scale<float>"][1, 8](other, 5.0, 8)
        assert bool((other == 5).all())
    assert bool((values == 3).all())


def test_missing_architecture_is_named(tmp_path: Path) -> None:
    native = query_architecture("cuda").removesuffix("-real")
    kernels = kbuild.load(build(tmp_path, architectures="120-real"))
    with pytest.raises(LaunchError, match=f"the device is sm_{native}, and counting was built for"):
        kernels["count"].resolve()
    copy = pickle.loads(pickle.dumps(kernels["count"]))  # noqa: S301 - our own
    with pytest.raises(LaunchError, match=f"sm_{native}.*: it was built for sm_120"):
        copy[1, 1]()


def test_reported_errors_are_not_left_for_other_libraries(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="no torch here")
    kernels = kbuild.load(build(tmp_path, architectures="120-real"))
    with pytest.raises(LaunchError):
        kernels["count"].resolve()
    assert torch.zeros(1, device="cuda").item() == 0
    with pytest.raises(LaunchError):
        kernels["count"].launch(grid=1, block=1, args=[])
    assert torch.zeros(1, device="cuda").item() == 0
