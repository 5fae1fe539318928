"""A wheel without compiled parts builds the runtime of the CPU when something needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.checkout import build_pure_wheel
from support.commands import pip

PROGRAM = """
#include <cstdio>
#include <cuda_runtime.h>
__global__ void work(int* to) { *to = 7; }
int main() {
    int* to = nullptr;
    int result = 0;
    cudaMalloc(&to, sizeof *to);
    work<<<1, 1>>>(to);
    cudaMemcpy(&result, to, sizeof result, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", result);
}
"""
LAUNCH = """
import kbuild, numpy, pathlib
kernel = kbuild.KernelCompiler("cpu").compile(pathlib.Path("kernel.cu"))["work"]
result = numpy.zeros(1, numpy.int32)
kernel[1, 1](result)
print(result[0])
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment that contains only kbuild's wheel and what building needs."""
    root = tmp_path_factory.mktemp("pure")
    environment = root / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    wheel = build_pure_wheel(root)
    pip(environment / "bin" / "python", "install", "-q", f"{wheel}[demo]")
    return environment


@pytest.mark.slow
def test_wheel_without_compiled_parts(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "work.cu").write_text(PROGRAM)
    (tmp_path / "kernel.cu").write_text("__global__ void work(int* to) { *to = 7; }\n")
    cache = tmp_path / "cache"
    program = (environment / "bin" / "kbuild", "run", "--backend", "cpu", "work.cu")

    def run(*argv: object) -> str:
        words = [str(word) for word in argv]
        variables = {"PATH": f"{environment}/bin:/usr/bin:/bin", "XDG_CACHE_HOME": str(cache)}
        return subprocess.run(
            words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=True
        ).stdout

    # CMake finds the package in the environment.
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(p CXX)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
    )
    run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={environment}")
    assert not (cache / "kbuild" / "runtimes").exists()  # nothing has needed the runtime yet

    assert run(*program) == "7\n"
    (runtime,) = (cache / "kbuild" / "runtimes").glob("*/lib/libkbuild_cpu.so.1")
    built = runtime.stat().st_mtime_ns

    assert run(environment / "bin" / "python", "-c", LAUNCH) == "7\n"
    assert runtime.stat().st_mtime_ns == built
    assert not list(cache.glob("kbuild/runtimes/.*.build"))
