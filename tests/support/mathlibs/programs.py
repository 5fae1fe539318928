"""Build programs that use NVIDIA's libraries on the CPU, and run them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.commands import run_kbuild
from support.mathlibs.results import Results, read_results


def build(directory: Path, source: Path, *libraries: str) -> Path:
    """Return the program of a source."""
    program = directory / source.stem
    done = run_kbuild("nvcc", "--backend=cpu", "-w", source, "-o", program, *libraries)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path) -> Results:
    """Return what a program prints."""
    done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return read_results(done.stdout)
