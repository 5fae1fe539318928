"""Inline PTX for tensor cores computes what its tables say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import needs_programs


@pytest.mark.slow
@pytest.mark.parametrize(
    "compiler", ["g++", pytest.param("clang++", marks=needs_programs("clang++"))]
)
def test_matrices_are_loaded_and_multiplied(tmp_path: Path, compiler: str) -> None:
    source = PROJECT / "matrices.cu"
    options = ("-O0", "-Wall", "-Wextra", "-Werror")
    program = build_program(tmp_path, (source,), compilers=(compiler,) * 2, options=options)

    def run(*words: str) -> tuple[int, str, str]:
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    assert run() == (0, "done\n", "")
    # The number of arguments selects a mistake.
    assert "ldmatrix at" in run("1")[2]
    assert "the address of a row is not a multiple of 16 bytes" in run("1")[2]
    assert "the pointer does not point to shared memory" in run("1", "2")[2]
    assert "not all lanes of the warp call it" in run("1", "2", "3")[2]
