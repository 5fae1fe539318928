"""The benchmarks run: each one's tiny mode prints its table, whatever the figures are."""

from __future__ import annotations

import sys

import pytest
from projects import ROOT, run, succeed

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
