"""Tests for the script that writes the headers with names of host APIs, and for its table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import ROOT, run, succeed

SCRIPT = Path("scripts", "update_host_names.py")
TABLE = Path("scripts", "host_names.txt")
TO_CUDA = Path("kbuild", "native", "device", "hip_host_names.h")
TO_HIP = Path("kbuild", "native", "device", "hip", "cuda_host_names.h")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a directory with copies of the script, the table, and the headers."""
    for path in (SCRIPT, TABLE, TO_CUDA, TO_HIP):
        copy = tmp_path / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, copy)
    return tmp_path


def update(checkout: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, checkout / SCRIPT, *options)


def test_headers_agree_with_the_table() -> None:
    succeed(run(sys.executable, ROOT / SCRIPT, "--check"))


def test_lines_are_translated_in_their_directions(checkout: Path) -> None:
    lines = ("cudaA = hipA", "cudaB -> hipA", "cudaC <- hipC", "make_cudaD = make_hipD")
    (checkout / TABLE).write_text("".join(f"{line}\n" for line in lines))
    preamble = (checkout / TO_CUDA).read_text().partition("#define hipAccess")[0]
    checked = update(checkout, "--check")
    assert checked.returncode == 1
    assert checked.stderr == (
        "hip_host_names.h, cuda_host_names.h: differs from host_names.txt; "
        "edit the table, then run python scripts/update_host_names.py\n"
    )

    succeed(update(checkout))

    to_cuda = "#define hipA cudaA\n#define hipC cudaC\n#define make_hipD make_cudaD\n"
    assert (checkout / TO_CUDA).read_text() == preamble + to_cuda
    to_hip = "#define cudaA hipA\n#define cudaB hipA\n#define make_cudaD make_hipD\n"
    assert (checkout / TO_HIP).read_text().endswith("*/\n" + to_hip)
    assert "hipLaunchKernelGGL" in preamble
    succeed(update(checkout, "--check"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("hipA = cudaA", "host_names.txt:1: 'hipA = cudaA': expected 'CUDA-NAME = HIP-NAME'"),
        ("cudaB = hipB\ncudaA = hipA", "host_names.txt: cudaA is after cudaB; sort the lines"),
        ("cudaA = hipA\ncudaB = hipA", "host_names.txt: hipA has two translations; write '->'"),
    ],
)
def test_mistakes_in_the_table_are_named(checkout: Path, lines: str, message: str) -> None:
    (checkout / TABLE).write_text(lines + "\n")

    updated = update(checkout)

    assert updated.returncode == 1
    assert updated.stderr.startswith(message)


def test_missing_marker_is_named(checkout: Path) -> None:
    (checkout / TO_HIP).write_text("#pragma once\n")

    updated = update(checkout)

    assert updated.returncode == 1
    assert updated.stderr.startswith("cuda_host_names.h: the line '/* From here on: written by ")
