"""Half precision, bfloat16, and fp8 of the CPU backend in host code, which has no prelude."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from support.commands import ROOT
from support.tools.toolchains import require_programs

NATIVE = ROOT / "kbuild" / "native"
INCLUDES = (f"-I{NATIVE / 'device' / 'cpu'}", f"-I{NATIVE / 'include'}")
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
# x86-64-v3 has instructions that convert half precision.
NEWER = ("-march=x86-64-v3",) if platform.machine() == "x86_64" else ()


@pytest.mark.parametrize(
    ("compiler", "options"),
    [
        ("g++", ("-std=c++11", "-O0")),
        ("g++", ("-std=c++20", "-O0", *NEWER)),
        pytest.param("g++", ("-std=c++20", "-O2", *NEWER), marks=pytest.mark.slow),
        pytest.param("clang++", ("-std=c++17", "-O2"), marks=pytest.mark.slow),
    ],
)
def test_numbers_in_host_code(compiler: str, options: tuple[str, ...], tmp_path: Path) -> None:
    require_programs(compiler)
    source, program = Path(__file__).parent / "small_floats.cpp", tmp_path / "small_floats"
    subprocess.run([compiler, *options, *STRICT, *INCLUDES, source, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


def test_c_has_the_bits(tmp_path: Path) -> None:
    source = tmp_path / "bits.c"
    source.write_text(
        "#include <hip/hip_fp8.h>\n#include <hip/hip_bf16.h>\n"
        "__half2_raw two; __hip_bfloat16_raw one; __hip_fp8x2_storage_t eight;\n"
    )
    subprocess.run(
        ["gcc", "-std=c99", *STRICT, *INCLUDES, "-c", source, "-o", tmp_path / "bits.o"], check=True
    )


def test_projects_can_leave_out_conversions_and_operators(tmp_path: Path) -> None:
    source = tmp_path / "own.cpp"
    source.write_text(
        "#define __CUDA_NO_HALF_OPERATORS__\n#define __CUDA_NO_HALF_CONVERSIONS__\n"
        "#define __CUDA_NO_HALF2_OPERATORS__\n#define __CUDA_NO_BFLOAT16_CONVERSIONS__\n"
        "#define __CUDA_NO_BFLOAT16_OPERATORS__\n#define __CUDA_NO_BFLOAT162_OPERATORS__\n"
        "#define __CUDA_NO_FP8_CONVERSIONS__\n"
        "#include <cuda_fp8.h>\n#include <type_traits>\n"
        "half operator+(half a, half) { return a; }\n"
        "half2 operator==(half2 a, half2) { return a; }\n"
        "nv_bfloat16 operator-(nv_bfloat16 a) { return a; }\n"
        "template <class T> constexpr bool converts() {\n"
        "    return std::is_convertible<T, float>::value ||\n"
        "           std::is_constructible<T, float>::value;\n"
        "}\n"
        'static_assert(!converts<half>() && !converts<nv_bfloat16>(), "");\n'
        'static_assert(!converts<__nv_fp8_e4m3>(), "");\n'
    )
    subprocess.run(
        ["g++", "-std=c++11", *STRICT, *INCLUDES, "-c", source, "-o", tmp_path / "own.o"],
        check=True,
    )
