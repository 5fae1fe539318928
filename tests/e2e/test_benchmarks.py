"""The benchmarks run: each one's tiny mode prints its table, whatever the figures are."""

from __future__ import annotations

import sys

import pytest
from projects import ROOT, run, succeed

from kbuild.backends import cuda
from kbuild.devices import query_driver
from kbuild.errors import ToolchainError
from kbuild.toolchain import find_toolchain, gather_hints

HEADER = ["case", "kbuild", "ms", "peer", "ms", "ratio", "quartiles", "pairs", "peer"]
CASES = {
    "kernels": ("nothing 1", "saxpy 4096", "matmul_naive 64", "matmul_tiled 64", "block_sums 4096"),
    "startup": ("(standard library)", "--version", "compile", "pack", "plan", "inspect", "verify"),
    "rebuild": ("configure", "cold build", "no-op build", "build after one edit", "front end"),
}


@pytest.mark.parametrize("benchmark", CASES)
def test_benchmark_prints_its_table(benchmark: str) -> None:
    output = succeed(run(sys.executable, "-m", f"benchmarks.{benchmark}", "--tiny", cwd=ROOT))

    lines = output.splitlines()
    header = next(number for number, line in enumerate(lines) if line.startswith("case "))
    assert lines[header].split() == HEADER
    for case in CASES[benchmark]:
        assert any(line.startswith(f"{case} ") for line in lines[header + 1 :]), case


@pytest.mark.slow
def test_cuda_builds_are_compared() -> None:
    try:
        find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        pytest.skip(str(error))

    output = succeed(run(sys.executable, "-m", "benchmarks.build", "--tiny", cwd=ROOT))

    rows = [line.split("  ")[0] for line in output.splitlines()[2:]]
    assert sorted(set(rows)) == ["cold", "host edit", "kernel edit", "no-op"]
    assert len(rows) == 4 * 4


def test_launches_need_a_device() -> None:
    if query_driver()[1]:
        pytest.skip("there is a device here; run the benchmark itself")

    result = run(sys.executable, "-m", "benchmarks.launch", cwd=ROOT)

    assert result.returncode == 1
    assert "no NVIDIA device" in result.stderr
