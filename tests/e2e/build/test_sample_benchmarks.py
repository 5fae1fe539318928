"""Tests of the benchmarks that build NVIDIA's samples, with small samples of our own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from support.commands import ROOT, run, succeed
from support.tools.toolchains import require_backend

LISTING = """\
cmake_minimum_required(VERSION 3.22...4.0)
project(sample LANGUAGES C CXX CUDA)
include_directories(../../../Common)
{commands}
"""
# A name, the commands of its CMakeLists.txt, its source, and why it is left out.
SAMPLES = (
    ("plain", "target_link_libraries(plain CUDA::cudart)", "#include <cuda.h>", ""),
    ("window", "find_package(OpenGL)  # a comment", "", "graphics: find_package OpenGL"),
    ("board", "find_package(NVSCI)", "", "platform: find_package NVSCI"),
    ("solver", "target_link_libraries(solver\n CUDA::cublas)", "", "library: CUDA::cublas"),
    ("dice", "", "\n#include <curand_kernel.h>", "library: #include <curand_kernel.h>"),
    (
        "driver",
        "target_link_libraries(driver CUDA::cuda_driver)",
        "",
        "driver API: CUDA::cuda_driver",
    ),
)
PROGRAM = """\
#include <stdio.h>
__global__ void add(int* x) { x[threadIdx.x] += 1; }
int main()
{
    int* x;
    if (cudaMallocManaged(&x, 32 * sizeof(int)) != cudaSuccess) return 2;
    for (int i = 0; i < 32; ++i) x[i] = i;
    add<<<1, 32>>>(x);
    int failed = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 32; ++i) failed |= x[i] != i + 1;
    printf(failed ? "Test failed\\n" : "Test passed\\n");
    return failed;
}
"""
MATRIX = """\
template <int SIZE> __global__ void MatrixMulCUDA(float* x)
{
    x[threadIdx.x] *= SIZE;
}
int main(int count, char**)
{
    if (count > 99) MatrixMulCUDA<16><<<1, 16>>>(nullptr);
}
"""
JUDGE = """\
from benchmarks.cuda_samples.execute import execute, judge
TEXTS = ("exit 0", "echo Test failed", "exit 3", "echo no GPU; exit 2", "kill -11 $$", "sleep 9")
for text in TEXTS:
    print(*judge(execute(("sh", "-c", text), ".", 0.5), 0.5), sep=" | ")
"""


def add_sample(root: Path, name: str, commands: str, source: str) -> None:
    directory = root / "Samples" / "0_Introduction" / name
    directory.mkdir(parents=True)
    text = LISTING.format(commands=f"add_executable({name} {name}.cu)\n{commands}")
    (directory / "CMakeLists.txt").write_text(text)
    (directory / f"{name}.cu").write_text(source)


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    root = tmp_path / "cuda-samples"
    (root / "Common").mkdir(parents=True)
    (root / "test_args.json").write_text("{}")
    return root


def test_samples_are_left_out_for_what_their_sources_say(samples: Path) -> None:
    for name, commands, source, _ in SAMPLES:
        add_sample(samples, name, commands, source)

    words = ("benchmarks.cuda_samples", "--samples", samples, "--list")
    lines = succeed(run(sys.executable, "-m", *words, cwd=ROOT)).splitlines()

    assert lines[0] == "6 samples, 1 of them selected"
    reasons = {line.split()[0].rpartition("/")[2]: line.split(maxsplit=1)[1] for line in lines[1:]}
    assert {name: text.partition(" (")[0] for name, text in reasons.items()} == {
        name: reason or "selected" for name, _, _, reason in SAMPLES
    }
    assert reasons["solver"].endswith("(Samples/0_Introduction/solver/CMakeLists.txt:5)")
    assert reasons["dice"].endswith("(Samples/0_Introduction/dice/dice.cu:2)")


def test_runs_are_judged_by_exit_code_and_words() -> None:
    lines = succeed(run(sys.executable, "-c", JUDGE, cwd=ROOT)).splitlines()

    assert lines == [
        "passed | ",
        "failed | Test failed",
        "failed | exit code 3: no output",
        "waived | no GPU",
        "failed | SIGSEGV: no output",
        "timed out | more than 0 s",
    ]


def test_page_counts_every_selected_sample(samples: Path, tmp_path: Path) -> None:
    for name, commands, source, _ in SAMPLES:
        add_sample(samples, name, commands, source)
    add_sample(samples, "other", "", PROGRAM)
    commit = "from benchmarks.cuda_samples.samples import COMMIT; print(COMMIT)"
    result = {"directory": "Samples/0_Introduction/plain", "status": "passed", "detail": ""}
    content = {
        "schema": "kbuild.benchmarks.cuda_samples/1",
        "tool": "kbuild",
        "backend": "cuda",
        "commit": succeed(run(sys.executable, "-c", commit, cwd=ROOT)).strip(),
        "versions": ["nvcc 13.0"],
        "results": [{**result, "seconds": 1.0, "log": ""}],
    }
    results, page = tmp_path / "results.json", tmp_path / "page.md"
    results.write_text(json.dumps(content))

    words = ("benchmarks.cuda_samples", "--samples", samples, "--page", page, results)
    succeed(run(sys.executable, "-m", *words, cwd=ROOT))

    text = page.read_text()
    assert "| kbuild, cuda | 1 of 2 (50%) | - | 1 not tried | nvcc 13.0 |" in text
    assert "| 0_Introduction/plain | passed |" in text
    assert "| 0_Introduction/dice | library | `#include <curand_kernel.h>` | dice.cu:2 |" in text


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["kbuild", "nvcc"])
def test_samples_are_built_and_run(samples: Path, tmp_path: Path, tool: str) -> None:
    add_sample(samples, "add", "", PROGRAM)
    add_sample(samples, "broken", "", PROGRAM.replace("add<<<", "missing<<<"))
    output = tmp_path / "results.json"

    words = ("benchmarks.cuda_samples", "--samples", samples, "--backend", "cpu", "--tool", tool)
    succeed(run(sys.executable, "-m", *words, "--output", output, cwd=ROOT))

    add, broken = json.loads(output.read_text())["results"]
    assert (add["status"], add["detail"]) == ("passed", "")
    assert broken["status"] == "not built"
    assert "missing" in broken["detail"]
    assert (add["build_seconds"] is not None) == (tool == "nvcc")


@pytest.mark.slow
def test_edits_of_mixed_sources_are_compared(samples: Path) -> None:
    require_backend("cuda")
    add_sample(samples, "matrixMul", "", MATRIX)

    words = ("benchmarks.mixed", "--samples", samples, "--tiny")
    rows = succeed(run(sys.executable, "-m", *words, cwd=ROOT)).splitlines()

    def count(step: str, side: str) -> list[str]:
        (row,) = (row for row in rows if row.startswith(f"{step} ") and f" {side} " in row)
        return row.split()[-2:]

    for side in ("kbuild", "CMake, CUDA", "nvcc --threads 2"):
        assert count("cold build", side) == ["1", "1"]
        assert count("kernel edit, matrixMul", side) == ["1", "1"]
    assert count("host edit, matrixMul", "kbuild") == ["0", "0"]
    assert count("host edit, matrixMul", "CMake, CUDA") == ["1", "1"]
