"""Kernels that are divided into regions compute what they should, in any order of their threads."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from kbuild import KernelCompiler
from kbuild.backends.cpu.contents import read_table
from kbuild.formats.elf.file import Elf
from kbuild.inspect.paths import inspect_path
from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import needs_programs

# The kernels with fibers, and why.
WAITING = "a function that it calls waits"
FIBERS = {
    "regions.cu": {
        "void packs<int, int>(int*, int, int)": "a parameter is a pack",
    },
    "region_functions.cu": {
        "early_exit(int*)": "it calls 'leave': threads return before others reach a barrier",
        "recursion(int*)": "it calls 'recursive': it calls 'recursive': it calls itself",
    },
    "region_forms.cu": {
        "attributes(int*)": "'b' has an alignment of its own",
        "bindings(int*)": "its regions do not compile",
        "deduced_types(int*)": "it contains 'decltype(auto)'",
        "guards(int*)": "its regions do not compile",
        "lambdas(int*)": "its regions do not compile",
        "stack(int*)": "it calls alloca",
        "types(int*)": "it asks for the type of 'a'",
    },
    "region_groups.cu": {},
    "region_guards.cu": {},
    "region_heads.cu": {
        "waits_in_body(int*)": "its regions do not compile",
        "waits_in_step(int*)": "its regions do not compile",
    },
    "region_masks.cu": {
        "filter(int*)": "C++ evaluates something before 'take' in its statement",
    },
    "region_repeats.cu": {
        "classes(int*)": "its regions do not compile",
        "large_tile(int*)": "its regions do not compile",
        "places_of_parameters(int*)": "it calls 'find_place': its regions do not compile",
    },
    "region_arguments.cu": {
        "converted_operator(int*)": "its regions do not compile",
        "objects(int*)": "an argument can make objects with a destructor",
        "picked(int*)": "its regions do not compile",
        "picked_temporary(int*)": "its regions do not compile",
        "placed_in_lambda(int*)": "an argument can make objects with a destructor",
        "placed_operator(int*)": "its regions do not compile",
        "pointers(int*)": "its regions do not compile",
        "values(int*)": "its regions do not compile",
    },
    "region_ranges.cu": {
        "converted(int*)": "its regions do not compile",
        "found::hidden_members(int*)": "its regions do not compile",
        "own_name(int*)": "a loop over a range has an unknown form",
        "parts_of_temporaries(int*)": "its regions do not compile",
        "returned(int*)": "its regions do not compile",
        "sequences(int*)": "its regions do not compile",
    },
    "region_subscripts.cu": {"hidden_in_lambdas(int*, int)": "a lambda can refer to threadIdx"},
    "region_waits.cu": {
        "look_back(int*)": WAITING,
        "poll_a_flag(int*)": WAITING,
        "poll_a_reference(int*)": WAITING,
        "poll_an_alias(int*)": WAITING,
        "poll_by_atomics(int*)": WAITING,
        "poll_by_cast(int*)": WAITING,
        "poll_by_function(int*)": WAITING,
    },
}
# The program runs the kernel that its argument names.
MISTAKES = """
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#define LAUNCH(kernel)                            \\
    if (std::strcmp(arguments[1], #kernel) == 0)  \\
    kernel<<<1, 64>>>(p)

__global__ void barrier(int* p)
{
    if (p[threadIdx.x] < 40)
        __syncthreads();  // of barrier
    p[threadIdx.x] = 1;
}
// The lane that did not arrive could still exit, but it waits for others.
__global__ void mask(int* p)
{
    if (p[threadIdx.x] < 40)
        __syncwarp();  // of mask
    __syncthreads();
    p[threadIdx.x] = 1;
}
__global__ void other_mask(int* p)
{
    if (p[threadIdx.x] < 40)
        __syncwarp(p[threadIdx.x] % 2 ? ~0 : 0x55555555);  // of other_mask
    p[threadIdx.x] = 1;
}
__global__ void without_itself(int* p)
{
    if (p[threadIdx.x] < 40)
        __syncwarp(2u << p[threadIdx.x] % 32);  // of without_itself
    p[threadIdx.x] = 1;
}
__global__ void exiting_lanes(int* p)
{
    if (p[threadIdx.x] < 40)
        __syncwarp();
    p[threadIdx.x] = 1;
}
__global__ void busy_atomics(int* p)
{
    for (int i = 0; i < 100; ++i)
        atomicMin(&p[1], int(threadIdx.x));
    __syncthreads();
}
int main(int, char** arguments)
{
    int* p;
    cudaMallocManaged(&p, 64 * sizeof *p);
    for (int i = 0; i < 64; ++i)
        p[i] = i;
    LAUNCH(barrier);
    LAUNCH(mask);
    LAUNCH(other_mask);
    LAUNCH(without_itself);
    LAUNCH(exiting_lanes);
    if (std::strcmp(arguments[1], "busy_atomics") == 0) {
        p[1] = 0;
        busy_atomics<<<100, 64>>>(p);
    }
    const bool is_done = cudaDeviceSynchronize() == cudaSuccess;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%d", usage.ru_nvcsw < 1000);  // voluntary context switches
    return !is_done;
}
"""


# Random kernels and the cases of test_kernel_cases.py have these forms, too.
SLOW = ("forms", "heads", "repeats", "arguments", "ranges", "subscripts")


@pytest.fixture(
    scope="module",
    params=[pytest.param(n, marks=pytest.mark.slow if n[7:-3] in SLOW else ()) for n in FIBERS],
)
def source(request: pytest.FixtureRequest) -> Path:
    return PROJECT / str(request.param)


@pytest.fixture(
    scope="module",
    params=[
        "g++",
        pytest.param("clang++", marks=[pytest.mark.slow, needs_programs("clang++")]),
    ],
)
def program(
    request: pytest.FixtureRequest, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    compilers = (request.param, request.param)
    directory = tmp_path_factory.mktemp("regions")
    return build_program(directory, (source,), compilers=compilers, options=("-O1", "-w"))


def run(program: Path, *words: str, seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *words],
        capture_output=True,
        text=True,
        env={**os.environ, "KBUILD_SEED": seed},
        check=False,
    )


# 0 is the usual order, 1 the reverse one, and the others are permutations.
@pytest.mark.parametrize(
    "seed", ["0", "1", *(pytest.param(seed, marks=pytest.mark.slow) for seed in ("2", "99"))]
)
def test_kernels_compute_what_host_code_does(program: Path, seed: str) -> None:
    done = run(program, seed=seed)

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_images_say_how_kernels_run(program: Path, source: Path) -> None:
    (facts,) = inspect_path(program)

    executions = {
        k.display: re.sub(r"(do not compile): .*", r"\1", k.execution or "")
        for image in facts.images
        for k in image.kernels
    }
    fibers = {name: f"fibers: {reason}" for name, reason in FIBERS[source.name].items()}
    assert executions == {**dict.fromkeys(executions, "regions"), **fibers}


ABSENT = (
    "__syncthreads at a.cu:{line}: other threads of the block wait at this barrier, and this one "
    "does not reach it; block (0, 0, 0), thread (40, 0, 0)"
)
IN_THE_MASK = (
    "__syncwarp at a.cu:{line}: the mask contains this lane, which does not call the function; "
    "block (0, 0, 0), thread (40, 0, 0)"
)
OTHER = (
    "__syncwarp at a.cu:{line}: the mask of this lane is not that of the lanes in it; block (0, 0, "
    "0), thread (0, 0, 0)"
)
OUTSIDE = (
    "__syncwarp at a.cu:{line}: the mask does not contain the calling lane; block (0, 0, 0), "
    "thread (0, 0, 0)"
)


@pytest.fixture(scope="module")
def mistakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("mistakes")
    path = directory / "a.cu"
    path.write_text(MISTAKES)
    return build_program(directory, (path,), options=("-O2",))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("barrier", ABSENT),
        ("mask", IN_THE_MASK),
        ("other_mask", OTHER),
        ("without_itself", OUTSIDE),
    ],
)
def test_threads_that_do_not_arrive_end_the_launch(
    mistakes: Path, kernel: str, message: str
) -> None:
    done = run(mistakes, kernel)

    assert done.returncode == 1
    line = MISTAKES[: MISTAKES.index(f"// of {kernel}\n")].count("\n") + 1
    assert done.stderr == f"kbuild: kernel {kernel}(int*): {message.format(line=line)}\n"


def test_lanes_can_exit_instead_of_arriving(mistakes: Path) -> None:
    done = run(mistakes, "exiting_lanes")

    assert (done.returncode, done.stderr) == (0, "")


def test_atomic_functions_that_change_nothing_do_not_rest(mistakes: Path) -> None:
    """Fibers let others run then, because the thread might wait for one of them."""
    done = run(mistakes, "busy_atomics")

    assert (done.returncode, done.stdout) == (0, "1")


FUNCTIONS = """
__device__ int share(int own)
{
    __shared__ int values[64];
    values[threadIdx.x] = own;
    __syncthreads();
    return values[63 - threadIdx.x];
}

__device__ void wait_for(int *flag)
{
    while (atomicAdd(flag, 0) == 0) {}
}

__global__ void shares(int *out) { out[threadIdx.x] = share(threadIdx.x); }

__global__ void sums(int *out)
{
    int sum = threadIdx.x;
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

__global__ void waits(int *flag)
{
    if (threadIdx.x == 1)
        atomicAdd(flag, 1);
    else
        wait_for(flag);
}
"""


def read_executions(directory: Path) -> dict[str, str | None]:
    path = directory / "a.cu"
    path.write_text(FUNCTIONS)
    (image,) = KernelCompiler("cpu").compile(path).images
    kernels = read_table(Elf(image.data)).kernels
    return {kernel.display: kernel.execution for kernel in kernels}


def test_device_functions_of_kernel_sources_are_read(tmp_path: Path) -> None:
    assert read_executions(tmp_path) == {
        "shares(int*)": "regions",
        "sums(int*)": "regions",
        "waits(int*)": f"fibers: {WAITING}",
    }


def test_a_variable_turns_regions_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBUILD_CPU_SPLIT", "off")

    off = "fibers: not optimized, or KBUILD_CPU_SPLIT=off"
    assert read_executions(tmp_path) == {
        "shares(int*)": off,
        "sums(int*)": off,
        "waits(int*)": f"fibers: {WAITING}",
    }
