"""Builds that are interfered with: the next one gives the right result."""

from __future__ import annotations

from pathlib import Path

import pytest
from projects import GENERATORS, build, configure, run, succeed

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(edited LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES k.cu ARCHITECTURES x86-64)
"""
# Edits the source once the compiler has read it, as an editor may.
COMPILER = """\
#!/bin/sh
g++ "$@"
status=$?
cd '{folder}'
case "$*" in *k.cu*) mv next.cu k.cu 2>/dev/null && touch k.cu ;; esac
exit $status
"""


@pytest.mark.parametrize("generator", GENERATORS)
def test_source_edited_while_it_compiles_is_compiled_again(tmp_path: Path, generator: str) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER.format(folder=tmp_path))
    compiler.chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "k.cu").write_text("__global__ void before(int* p) { *p = 1; }\n")
    folder = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={compiler}",)
    succeed(configure(tmp_path, folder, *settings, generator=generator))
    (tmp_path / "next.cu").write_text("__global__ void after(int* p) { *p = 2; }\n")

    succeed(build(folder))
    assert "_Z6beforePi" in succeed(run("nm", "-D", folder / "libkernels.so"))
    succeed(build(folder))

    assert "_Z5afterPi" in succeed(run("nm", "-D", folder / "libkernels.so"))
