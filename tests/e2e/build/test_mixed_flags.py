"""Tests that host and device code of mixed sources see one program, whatever the flags are."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Final

import pytest

from support.commands import build, configure, run, succeed

PROJECT: Final = """
cmake_minimum_required(VERSION 3.22)
project(flags LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
find_package(OpenMP)
function(add_program name)
    add_executable(${name})
    kbuild_target_sources(${name} PRIVATE a.cu BACKEND cpu ARCHITECTURES ${LEVELS})
    target_compile_options(${name} PRIVATE ${ARGN})
endfunction()
set(LEVELS x86-64 x86-64-v3)
add_program(machine -mavx2 -ffast-math -pthread)
set(LEVELS x86-64-v3)
# Each flag changes the size of the class or a value in it, so a flag that is lost shows.
add_program(macros -DWITH_ID -UNDEBUG "SHELL:-DNAME='\\"two words\\"'"
    "SHELL:-include ${CMAKE_SOURCE_DIR}/forced.h"
    -fshort-enums -fpack-struct=2 -funsigned-char)
if(OpenMP_CXX_FOUND)
    target_link_libraries(macros PRIVATE OpenMP::OpenMP_CXX)
endif()
"""
SOURCE: Final = r"""
enum level { low, high };
struct settings {
#ifdef WITH_ID
    long id;
#endif
#ifdef FROM_FLAGS
    char text[sizeof FROM_FLAGS];
#endif
#ifdef NAME
    char name[sizeof NAME];
#endif
#ifdef FORCED
    long forced;
#endif
#if !defined(NDEBUG)
    short debug[3];
#endif
#ifdef __AVX2__
    int vector __attribute__((vector_size(32)));
#endif
#ifdef __FAST_MATH__
    char fast[5];
#endif
#ifdef _OPENMP
    long threads;
#endif
#ifdef _REENTRANT
    char thread;
#endif
    char c;
    int number;
    level l;
    alignas(__BIGGEST_ALIGNMENT__) int value;
};
__global__ void k(settings* s, int* out)
{
    out[0] = s->value;
    out[1] = int(sizeof(settings));
    out[2] = static_cast<char>(-1) < 0;
    out[3] = s->number;
}
int main()
{
    settings* s;
    int* out;
    cudaMallocManaged(&s, sizeof *s);
    cudaMallocManaged(&out, 4 * sizeof *out);
    s->value = 42;
    s->number = 43;
    k<<<1, 1>>>(s, out);
    cudaDeviceSynchronize();
    return !(out[0] == 42 && out[1] == int(sizeof *s) && out[2] == (static_cast<char>(-1) < 0) &&
             out[3] == 43);
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build all programs, and return their directory."""
    source = tmp_path_factory.mktemp("flags")
    directory = source / "build"
    (source / "CMakeLists.txt").write_text(PROJECT)
    (source / "a.cu").write_text(SOURCE)
    (source / "forced.h").write_text("#define FORCED 1\n")
    flags = ("CMAKE_BUILD_TYPE=Release", 'CMAKE_CXX_FLAGS=-DFROM_FLAGS="\\"a b,c\\""')
    succeed(configure(source, directory, *flags))
    succeed(build(directory))
    return directory


@pytest.mark.skipif(platform.machine() != "x86_64", reason="options of x86-64")
@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("macros", "x86-64-v3"),
        ("machine", "x86-64"),
        ("machine", "x86-64-v3"),
    ],
)
def test_types_are_the_same_for_host_and_device(programs: Path, name: str, level: str) -> None:
    succeed(run("env", f"KBUILD_CPU_ARCH={level}", programs / name))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="options of x86-64")
def test_device_code_depends_on_macros_but_not_on_warnings(programs: Path) -> None:
    def rebuild(flags: str) -> set[str]:
        before = {path: path.stat().st_mtime_ns for path in find_stamps()}
        succeed(configure(programs.parent, programs, f"CMAKE_CXX_FLAGS={flags}"))
        succeed(build(programs, "macros"))
        return {p.parent.name for p in find_stamps() if before.get(p) != p.stat().st_mtime_ns}

    def find_stamps() -> list[Path]:
        return [path for path in programs.rglob("a.cu.*.json") if "macros" in str(path)]

    assert rebuild('-DFROM_FLAGS="\\"a b,c\\"" -Wall -g1') == set()
    assert rebuild("-DFROM_FLAGS=1") == {"macros"}
