"""Tests that every benchmark runs in its tiny mode and prints its table."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kbuild.toolchain.devices import list_devices
from support.commands import ROOT, run, succeed
from support.tools.nvidia_compiler import require_nvrtc
from support.tools.toolchains import require_backend

# For developers. Each takes seconds even in its tiny mode, and compares what other tests check.
SLOW = ("kernels", "startup", "standalone", "rebuild", "install", "driver", "sorts")
HEADER = ["case", "kbuild", "ms", "peer", "ms", "ratio", "quartiles", "pairs", "peer"]
CASES = {
    "kernels": ("nothing 1", "saxpy 4096", "matmul_naive 64", "matmul_tiled 64", "block_sums 4096"),
    "startup": ("(standard library)", "--version", "compile", "pack", "plan", "inspect", "verify"),
    "standalone": ("no-op",),
    "install": ("wheel, processor", "wheel, wall"),
    "driver": ("first compile", "edit of device code", "edit of host code", "no edit"),
    "sorts": ("thrust 1000 unsigned", "cub 1000 float"),
    "rebuild": ("configure", "cold build", "no-op build", "build after one edit", "front end"),
}


@pytest.mark.parametrize(
    "benchmark",
    [pytest.param(c, marks=pytest.mark.slow) if c in SLOW else c for c in CASES],
)
def test_benchmark_prints_its_table(benchmark: str) -> None:
    if benchmark == "driver":
        require_backend("cuda")
    output = succeed(run(sys.executable, "-m", f"benchmarks.{benchmark}", "--tiny", cwd=ROOT))

    lines = output.splitlines()
    header = next(number for number, line in enumerate(lines) if line.startswith("case "))
    assert lines[header].split() == HEADER
    for case in CASES[benchmark]:
        assert any(line.startswith(f"{case} ") for line in lines[header + 1 :]), case


@pytest.mark.slow
def test_spellings_of_kernels_are_compared() -> None:
    words = (sys.executable, "-m", "benchmarks.kernels", "--spellings", "--tiny", "--processor")
    output = succeed(run(*words, "saxpy", "softmax", cwd=ROOT))

    rows = [line.split() for line in output.splitlines()]
    spellings = ["original", "merged", "functors", "functions", "templates", "ranges", "pairs"]
    assert ["kbuild", "/", "OpenMP", *spellings, "slow/fast"] in rows
    (ratios,) = (row for row in rows if row[:2] == ["softmax", "4096"])
    assert len(ratios) == 2 + len(spellings) + 1
    assert "all 14 kernels: " in output
    models = [row for row in rows if row[:2] == ["softmax", "regions"]]
    assert len(models) == 1


CENSUS = {
    "sums.cu": """\
template <int N> __global__ void sums(const int* in, int* out)
{
    __shared__ int part[N];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[N - 1 - threadIdx.x];
}
template __global__ void sums<32>(const int*, int*);
template __global__ void sums<64>(const int*, int*);
__global__ void jumps(int* out)
{
again:
    __syncthreads();
    if (--out[threadIdx.x] > 0)
        goto again;
}
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
""",
    "broken.cu": '#include "absent.h"\n',
}


@pytest.mark.slow
def test_census_counts_execution_models(tmp_path: Path) -> None:
    for name, text in CENSUS.items():
        (tmp_path / name).write_text(text)

    output = succeed(run(sys.executable, "-m", "benchmarks.census", str(tmp_path), cwd=ROOT))

    rows = [line.split() for line in output.splitlines()]
    assert ["all", "2", "1", "3", "1", "1", "1", "50.0%"] in rows
    assert ["1", "1", "it", "contains", "assembly,", "goto,", "or", "alloca"] in rows
    assert "1 of 2 files do not compile" in output
    assert f"  {tmp_path.name}/broken.cu: broken.cu:1:10: fatal error: absent.h" in output


@pytest.mark.slow
def test_planted_mistakes_are_found() -> None:
    output = succeed(run(sys.executable, "-m", "benchmarks.planted", "--tiny", cwd=ROOT))

    assert "| **mistakes found** of 3 | | 3 |" in output
    assert "| **false reports** of 3 | | 0 |" in output


@pytest.mark.slow
def test_memory_of_compiles_is_measured() -> None:
    output = succeed(run(sys.executable, "-m", "benchmarks.memory", "--tiny", cwd=ROOT))

    rows = [line.split() for line in output.splitlines()]
    (row,) = (row for row in rows if row[:3] == ["few", "lines", "cpu"])
    assert float(row[4]) > 1


@pytest.mark.slow
def test_accuracy_benchmark_prints_rules_and_producers() -> None:
    words = (sys.executable, "-m", "benchmarks.verify", "--tiny")
    output = succeed(run(*words, "KB30", "KB40", "gcc", cwd=ROOT))

    rows = [line.split() for line in output.splitlines()]
    assert ["rule", "ways", "caught", "other", "errors", "not", "tried"] in rows
    assert ["KB301", "1", "1", "0", "0"] in rows
    assert ["KB409", "1", "1", "0", "0"] in rows
    assert ["gcc", "9", "0", "0", "0"] in rows
    assert "mutation score: 100.0 % (14 of 14), 0 other errors" in output
    assert "false positives: 0 in 9 files" in output


MISSED = """\
import dataclasses, sys
from benchmarks.verify import __main__ as benchmark
sys.argv = ["verify", "KB301"]
first, *others = (m for m in benchmark.MUTATIONS if m.rule == "KB301")
benchmark.MUTATIONS = (dataclasses.replace(first, broken=first.sound), *others)
sys.exit(benchmark.main())
"""


@pytest.mark.slow
def test_missed_mutation_is_printed() -> None:
    result = run(sys.executable, "-c", MISSED, cwd=ROOT)

    assert result.returncode == 1, result.stderr
    assert "mutation score: 66.7 % (2 of 3), 0 other errors" in result.stdout
    assert result.stderr.startswith("KB301: ")


@pytest.mark.slow
def test_unknown_rule_is_rejected() -> None:
    result = run(sys.executable, "-m", "benchmarks.verify", "KB999", cwd=ROOT)

    assert result.returncode == 2
    assert "no rule or producer starts with: KB999" in result.stderr


RACY = """\
__global__ void k(int* out) { *out = threadIdx.x; }
int main() {
    int* out;
    cudaMalloc(&out, sizeof *out);
    k<<<1, THREADS>>>(out);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.slow
def test_check_suites_count_mistakes_and_other_findings(tmp_path: Path) -> None:
    sources = tmp_path / "microbenchmarks" / "src"
    sources.mkdir(parents=True)
    for name, threads in {"race_block_a": 2, "race_block_b": 1, "norace_block_c": 2}.items():
        (sources / f"{name}.cu").write_text(RACY.replace("THREADS", str(threads)))

    words = ("benchmarks.check_suites", "scor", "--source", str(tmp_path))
    result = run(sys.executable, "-m", *words, cwd=ROOT)

    assert result.returncode == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["block", "race", "2", "1", "1", "0"] in rows
    assert ["block", "none", "1", "1"] in rows
    assert "race_block_b: misses race\n" in result.stderr
    assert "norace_block_c: KC203 " in result.stderr


@pytest.mark.slow
def test_runtime_compilation_is_compared() -> None:
    require_nvrtc()

    output = succeed(run(sys.executable, "-m", "benchmarks.executor", "--tiny", cwd=ROOT))

    for case in ("rtc: saxpy", "rtc: sums"):
        assert any(line.startswith(f"{case} ") for line in output.splitlines()), case


@pytest.mark.slow
def test_cuda_builds_are_compared() -> None:
    require_backend("cuda")

    output = succeed(run(sys.executable, "-m", "benchmarks.build", "--tiny", cwd=ROOT))

    rows = [line.split("  ")[0] for line in output.splitlines()[2:]]
    assert sorted(set(rows)) == ["cold", "host edit", "kernel edit", "no-op"]
    assert len(rows) == 4 * 4


def test_launch_benchmark_without_a_device_is_an_error() -> None:
    if list_devices():
        pytest.skip("this machine has a device; run the benchmark itself")

    result = run(sys.executable, "-m", "benchmarks.launch", cwd=ROOT)

    assert result.returncode == 1
    assert "no NVIDIA device found" in result.stderr
