"""Random kernels compute the same on the CPU as in an interpreter that shares nothing with it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.mixed_programs import build_program
from support.random_kernels.generate import generate_kernel
from support.random_kernels.interpreter import find_results
from support.random_kernels.program import INPUT, list_differences, render_program
from support.tools.toolchains import needs_programs

COUNT = 60
ORDERS = ("0", "1", "4711")  # values of KBUILD_SEED: orders of the threads in a region


@pytest.mark.parametrize(
    ("compiler", "seeds", "options"),
    [
        pytest.param("g++", range(10), ("-O0",), id="fibers"),
        pytest.param("g++", range(10, COUNT // 2), ("-O0",), marks=pytest.mark.slow),
        # Regions compile for a second per kernel.
        pytest.param("g++", range(100, 102), ("-O1",), id="regions"),
        pytest.param("g++", range(102, 160), ("-O1",), marks=pytest.mark.slow),
        pytest.param("g++", range(300, 300 + COUNT), ("-O3",), marks=pytest.mark.slow),
        pytest.param(
            *("clang++", range(200, 200 + COUNT), ("-O2",)),
            marks=[pytest.mark.slow, needs_programs("clang++")],
        ),
    ],
)
def test_kernels_compute_what_an_interpreter_does(
    tmp_path: Path, compiler: str, seeds: range, options: tuple[str, ...]
) -> None:
    kernels = [generate_kernel(seed) for seed in seeds]
    source = tmp_path / "random.cu"
    source.write_text(render_program(kernels))
    program = build_program(
        tmp_path, (source,), compilers=(compiler, compiler), options=(*options, "-w")
    )

    for order in ORDERS:
        done = subprocess.run(
            [program],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "KBUILD_SEED": order},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert list_differences(kernels, done.stdout) == []


def test_the_generated_kernels_are_valid() -> None:
    for seed in range(COUNT):
        kernel = generate_kernel(seed)

        forwards = find_results(kernel, INPUT, is_reversed=False)

        assert find_results(kernel, INPUT, is_reversed=True) == forwards, kernel.cxx


def test_wrong_results_are_found() -> None:
    kernel = generate_kernel(0)
    expected = find_results(kernel, INPUT, is_reversed=False)
    line = " ".join(map(str, (kernel.name, 0, *expected[:-1], expected[-1] ^ 1)))

    assert len(list_differences([kernel], line)) == 1
