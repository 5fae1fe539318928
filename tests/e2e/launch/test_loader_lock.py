"""Tests of libraries that launch kernels while the dynamic loader's lock is held.

The loader holds its lock while constructors and destructors of a library run, which can wait for
kernels. A thread of the runtime that took the lock would then wait for ever.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from support.commands import run, run_kbuild, succeed

PLUGIN: Final = """
#include <cuda_runtime.h>
__device__ int calls;
__global__ void work(int* out)
{
    out[blockIdx.x * 32 + threadIdx.x] = FACTOR * int(threadIdx.x);
    if (blockIdx.x == 0 && threadIdx.x == 0) out[256] = ++calls;
}
struct loaded {
    int value = -1;
    loaded()
    {
        int* out;
        cudaMalloc(&out, 257 * sizeof(int));
        work<<<8, 32>>>(out);
        cudaDeviceSynchronize();
        cudaMemcpy(&value, out + 3, sizeof value, cudaMemcpyDeviceToHost);
        cudaFree(out);
    }
    ~loaded()
    {
        int* out;
        cudaMalloc(&out, 257 * sizeof(int));
        work<<<2, 32>>>(out);
        cudaDeviceSynchronize();
        cudaFree(out);
    }
} const instance;
extern "C" int launch(int* out, int wait)
{
    if (instance.value != 3 * FACTOR) return -1;
    work<<<8, 32>>>(out);
    const cudaError_t error = cudaGetLastError();
    return error == cudaSuccess && wait ? cudaDeviceSynchronize() : error;
}
"""
HOST: Final = """
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
__global__ void count(unsigned* n) { atomicAdd(n, 1); }
std::atomic<bool> is_done{false};
void launch_meanwhile()
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    unsigned* n;
    cudaMallocManaged(&n, sizeof *n);
    *n = 0;
    unsigned launches = 0;
    for (; !is_done; ++launches) {
        count<<<4, 8, 0, stream>>>(n);
        if (launches % 8 == 0 && cudaStreamSynchronize(stream) != cudaSuccess) std::abort();
    }
    cudaStreamSynchronize(stream);
    if (*n != launches * 32) std::abort();
}
int main(int, char** argv)
{
    int* out;
    cudaMallocManaged(&out, 257 * sizeof(int));
    std::thread threads[] = {std::thread(launch_meanwhile), std::thread(launch_meanwhile)};
    const int rounds = std::atoi(argv[3]);
    for (int round = 0; round < rounds; ++round) {
        const int which = round % 2;
        void* const library = dlopen(argv[1 + which], RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) { std::puts(dlerror()); return 2; }
        const auto launch = reinterpret_cast<int (*)(int*, int)>(dlsym(library, "launch"));
        out[31] = -1;
        const int error = launch(out, round % 3 == 0);
        if (round % (rounds / 10) == 1) {
            const pid_t child = fork();
            if (child == 0) _exit(launch(out, 1));
            int status = -1;
            waitpid(child, &status, 0);
            if (status != 0) { std::printf("child %x in round %d\\n", status, round); return 3; }
        }
        dlclose(library);
        const int expected = 31 * (which ? 5 : 3);
        if (error != 0 || cudaDeviceSynchronize() != cudaSuccess || out[31] != expected) {
            std::printf("round %d: error %d, value %d\\n", round, error, out[31]);
            return 1;
        }
    }
    is_done = true;
    for (auto& thread : threads) thread.join();
    return 0;
}
"""
# Both threads need the image of the program for the first time: one has called dlopen for it, and
# the other one holds the lock that this needs.
RACE: Final = """
#include <cstdio>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <thread>
__global__ void one(int* p) { atomicAdd(p, 1); }
__global__ void spin(volatile int* p) { while (*p == 0) {} }
extern "C" int launch_one()
{
    int* p;
    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    one<<<1, 1>>>(p);
    return cudaDeviceSynchronize() == cudaSuccess ? *p : -1;
}
int main(int count, char** argv)
{
    if (count == 1) {
        int* p;
        cudaMalloc(&p, sizeof *p);
        cudaMemset(p, 0, sizeof *p);
        spin<<<1, 1>>>(p);
        return 5;
    }
    int found = 0;
    std::thread other([&] { found = launch_one(); });
    void* const library = dlopen(argv[1], RTLD_NOW);
    other.join();
    return library == nullptr || found != 1;
}
"""
CALLER: Final = """
#include <cstdlib>
#include <time.h>
extern "C" int launch_one();
struct loaded {
    loaded()
    {
        const timespec wait = {0, 100000000};
        nanosleep(&wait, nullptr);
        if (launch_one() != 1) std::abort();
    }
} instance;
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the programs and their libraries."""
    path = tmp_path_factory.mktemp("loader")
    texts = {"plugin.cu": PLUGIN, "host.cu": HOST, "race.cu": RACE, "caller.cpp": CALLER}
    for name, text in texts.items():
        (path / name).write_text(text)
    shared = ("-shared", "-Xcompiler", "-fPIC")
    calls = (
        *((f"-DFACTOR={factor}", *shared, "plugin.cu", "-o", f"{factor}.so") for factor in (3, 5)),
        ("host.cu", "-o", "host", "-ldl"),
        ("-Xcompiler", "-rdynamic", "race.cu", "-o", "race", "-ldl"),
        (*shared, "caller.cpp", "-o", "caller.so"),
    )
    for words in calls:
        succeed(run_kbuild("nvcc", "--backend=cpu", "-arch=native", "-O0", *words, cwd=path))
    return path


@pytest.mark.parametrize("rounds", [20, pytest.param(1000, marks=pytest.mark.slow)])
def test_libraries_are_closed_while_launches_are_queued(directory: Path, rounds: int) -> None:
    libraries = (directory / "3.so", directory / "5.so")
    succeed(run("timeout", "100", directory / "host", *libraries, str(rounds)))


def test_constructor_launches_a_kernel_that_another_thread_loads(directory: Path) -> None:
    for _ in range(5):
        succeed(run("timeout", "20", directory / "race", directory / "caller.so"))


def test_program_ends_while_a_kernel_runs(directory: Path) -> None:
    ended = run("timeout", "30", directory / "race")

    assert ended.returncode == 5
    assert "kbuild: the program ends while kernels run, and does not wait" in ended.stderr
