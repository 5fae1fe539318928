"""Accesses outside of allocations that ordinary runs notice: guard pages and red zones."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import run_kbuild

SOURCE = """
#include <cstdio>
#include <cstdlib>
__global__ void write(char* p, long at) { p[at] = 1; }
int main(int, char** words) {
    const long bytes = atol(words[1]);
    char *p, *other;
    cudaMalloc(&other, 1);
    cudaMalloc(&p, bytes);  // the allocation
    write<<<1, 1>>>(p, atol(words[2]));
    cudaDeviceSynchronize();
    if (words[3][0] == 'f') cudaFree(p);
    std::puts("done");
    return 0;
}
"""
LINE = 1 + next(n for n, line in enumerate(SOURCE.splitlines()) if "the allocation" in line)
KERNEL = "__global__ void fill(float* v) { v[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"
PYTHON = f"""
import kbuild, numpy as np
k = kbuild.KernelCompiler("cpu").compile({KERNEL!r})["fill"]
k[1, 1000](np.zeros(1, np.float32))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("guards")
    (directory / "writes.cu").write_text(SOURCE)
    words = ("--backend", "cpu", "-O", "0", "--build-only", "-o", "writes")
    done = run_kbuild("run", *words, "writes.cu", cwd=directory)
    assert done.returncode == 0, done.stderr
    return directory / "writes"


def run(program: Path, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *map(str, words)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("end", ["free", "end"])
@pytest.mark.parametrize(
    ("size", "at", "where"),
    [
        (4000, 4000, "0 bytes past its end"),
        (4000, 4095, "95 bytes past its end"),
        (1, 1, "0 bytes past its end"),
        (1000, -1, "1 byte before its start"),
    ],
)
def test_red_zone_is_checked(program: Path, size: int, at: int, where: str, end: str) -> None:
    done = run(program, size, at, end)
    assert done.returncode == -signal.SIGABRT
    assert re.search(
        rf"allocation of {size} bytes? of \S*writes\.cu:{LINE} was overwritten, {where}; .*--check",
        done.stderr,
    ), done.stderr


@pytest.mark.parametrize(("size", "at"), [(1 << 20, 1 << 20), (4096, 4096), (4096, -1), (512, 600)])
def test_guard_page_stops_the_kernel(program: Path, size: int, at: int) -> None:
    done = run(program, size, at, "end")
    assert done.returncode == -signal.SIGSEGV
    assert f"the {size}-byte allocation of device memory" in done.stderr
    assert re.search(rf"the allocation is of \S*writes\.cu:{LINE}; .*--check", done.stderr)


@pytest.mark.parametrize("size", [1, 512, 4000, 1 << 20])
def test_whole_allocation_can_be_written(program: Path, size: int) -> None:
    for at in (0, size - 1):
        done = run(program, size, at, "free")
        assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_guards_can_be_turned_off(program: Path) -> None:
    assert run(program, 4000, 4000, "end", KBUILD_CPU_GUARDS="off").returncode == 0


def test_python_dies_with_a_report_that_names_checks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PYTHON], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGSEGV
    assert "past the end of the 4-byte allocation of device memory" in done.stderr
    assert "check=True in Python" in done.stderr
