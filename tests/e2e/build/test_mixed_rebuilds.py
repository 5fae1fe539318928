"""What an edit of a mixed source builds again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import build, configure, run, succeed

LISTS = """
cmake_minimum_required(VERSION 3.22)
project(app LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_executable(app)
kbuild_target_sources(app PRIVATE app.cu BACKEND cpu ARCHITECTURES x86-64 x86-64-v3)
"""
SOURCE = """\
#include <cstdio>
#include <cuda_runtime.h>

template <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }

__managed__ float floats[32];
__managed__ double doubles[32];

int main()
{
    int n = 32;
    float *x = floats;
    fill<<<1, n>>>(x, 3.0f);
    cudaDeviceSynchronize();
    std::printf("%g %g\\n", floats[31], doubles[31]);
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("app")
    (source / "CMakeLists.txt").write_text(LISTS)
    (source / "app.cu").write_text(SOURCE)
    succeed(configure(source, source / "build"))
    succeed(build(source / "build"))
    return source


def rebuild(project: Path, **edits: str) -> tuple[int, str]:
    """Replace marks in the source; return the number of device compiles and the output."""
    text = SOURCE
    for mark, new in edits.items():
        text = text.replace(EDITED[mark], new)
    (project / "app.cu").write_text(text)
    output = succeed(run("cmake", "--build", project / "build", "--verbose"))
    compiles = re.findall(r"run-kbuild\"? compile ", output)
    return len(compiles), run(project / "build" / "app").stdout


EDITED = {
    "text": '"%g %g',
    "size": "int n = 32;",
    "configuration": "<<<1, n>>>",
    "arguments": "x, 3.0f",
}


def test_only_edits_that_can_change_device_code_run_the_device_compiler(project: Path) -> None:
    host = {
        "text": '"values: %g %g',
        "size": "int n = 16;\n",
        "configuration": "<<<dim3(1), 2 * n>>>",
    }
    assert rebuild(project, **host) == (0, "values: 3 0\n")
    # The type of the arguments demands another instance of the kernel.
    assert rebuild(project, **host, arguments="doubles, 5.0") == (2, "values: 0 5\n")
