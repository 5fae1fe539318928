"""A source needs the same headers of the C and C++ library as with nvcc.

nvcc includes few headers in its host pass. If kbuild included more, a build for the CPU would
accept a source that lacks an include, and nvcc would not.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from kbuild.errors import KbuildError
from support.mixed_programs import build_program
from support.tools.nvidia_compiler import NVCC, needs_nvcc

# Statements with a name that a header of the library declares. nvcc 13.0 with g++ 12 and 13.
HIDDEN: Final = (
    "assert(1)",
    'printf("")',
    'std::printf("")',
    'puts("")',
    'fprintf(stderr, "")',
    'std::memcpy(nullptr, "", 0)',
    "uint8_t x = 0",
    "uint32_t x = 0",
    "uintptr_t x = 0",
    "std::uint32_t x = 0",
    "int x = INT32_MAX",
    "float x = FLT_MAX",
    "double x = DBL_EPSILON",
    "va_list x",
    "std::bad_alloc x",
    "std::array<int, 2> x{}",
    "cudaProfilerStart()",
    "cuComplex x",
    "__half x",
    "float x = CUDART_PI_F",
    "cooperative_groups::this_thread_block()",
)
VISIBLE: Final = (
    "float x = sqrtf(std::sqrt(2.f)) + fmaxf(1, 2)",
    "int x = std::min(1, 2) + INT_MAX + CHAR_BIT",
    "free(malloc(1))",
    "std::free(std::malloc(1))",
    'memcpy(nullptr, "", strlen(""))',
    "size_t x = 0; std::size_t y = x; ptrdiff_t z = 0",
    "int x = 0, y = 0; std::swap(x, y)",
    "std::pair<int, int> x(1, 2)",
    "int x = std::numeric_limits<int>::max()",
    "int64_t x = 0; uint y = 0",
    "clock_t x = clock(); time_t y = time(nullptr)",
    "exit(EXIT_FAILURE)",
    "ulong x = 0",
    "cudaDataType x = CUDA_R_32F",
    "float4 x = make_float4(1, 2, 3, 4)",
    "cudaTextureDesc x{}",
)
SOURCE: Final = "".join(
    f"void f{number}() {{ {statement}; }}\n"
    for number, statement in enumerate((*HIDDEN, *VISIBLE), start=1)
)
LINES: Final = set(range(1, len(HIDDEN) + 1))


def find_lines(log: str, pattern: str) -> set[int]:
    return {int(line) for line in re.findall(pattern, log)}


def test_names_need_their_headers(tmp_path: Path) -> None:
    source = tmp_path / "source.cu"
    source.write_text(SOURCE)

    with pytest.raises(KbuildError) as caught:
        build_program(tmp_path, (source,), options=("-O0",))

    assert find_lines(str(caught.value), r"source\.cu:(\d+):\d+: error: ") == LINES


@needs_nvcc
@pytest.mark.slow
def test_table_is_what_nvcc_says(tmp_path: Path) -> None:
    source = tmp_path / "source.cu"
    source.write_text(SOURCE)
    argv = [str(NVCC), "-std=c++17", "-cuda", str(source), "-o", str(tmp_path / "source.ii")]

    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert find_lines(done.stdout + done.stderr, r"source\.cu\((\d+)\): error") == LINES
