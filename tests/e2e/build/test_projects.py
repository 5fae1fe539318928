"""Tests for projects with generated sources, unusual paths, or strict flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import GENERATORS, build, configure, ctest, run, succeed

KERNEL = "__global__ void k(int* p) { *p = VALUE; }\n"
HOST = """
#include <kbuild/kbuild.hpp>
KBUILD_KERNEL void k(int*);
int main() { int v = 0; return bool(kbuild::launch(k, {1, 1}, &v)) || v != 7; }
"""
STATIC_HOST = """
#include <cstdio>
#include <kbuild/kbuild.hpp>
KBUILD_KERNEL void k(int*);
int main()
{
    int v = 0;
    const auto error = kbuild::launch(k, {1, 1}, &v);
    std::puts(error.message());
    return !error;
}
"""
HEAD = """
cmake_minimum_required(VERSION 3.22...4.0)
project(shapes LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(kbuild CONFIG REQUIRED)
include(CTest)
"""
TAIL = """
add_executable(host host.cpp)
target_link_libraries(host PRIVATE kernels)
add_test(NAME host COMMAND host)
"""
RELEASE = "CMAKE_BUILD_TYPE=Release"
PLAIN = "kbuild_add_kernels(kernels OBJECT SOURCES k.cu ARCHITECTURES x86-64 DEFINITIONS VALUE=7)\n"


def write_project(directory: Path, body: str) -> Path:
    directory.mkdir(parents=True)
    (directory / "CMakeLists.txt").write_text(HEAD + body + TAIL)
    (directory / "k.cu").write_text(KERNEL)
    (directory / "host.cpp").write_text(HOST)
    return directory


def build_and_test(
    source: Path, directory: Path, *definitions: str, generator: str = "Ninja"
) -> None:
    succeed(configure(source, directory, *definitions, generator=generator))
    succeed(build(directory))
    assert "100% tests passed" in succeed(ctest(directory))


@pytest.mark.slow
def test_object_library_with_makefiles_in_parallel(tmp_path: Path) -> None:
    source = write_project(tmp_path / "source", PLAIN)

    build_and_test(source, tmp_path / "build", generator="Unix Makefiles")


@pytest.mark.slow
def test_warnings_of_the_project_do_not_reach_the_stub_unit(tmp_path: Path) -> None:
    body = PLAIN.replace("k.cu", "k.cu DEBUG_STUBS ON")
    source = write_project(tmp_path / "source", body)

    flags = "-Werror -Wzero-as-null-pointer-constant -Wold-style-cast -Wmissing-declarations"
    build_and_test(source, tmp_path / "build", f"CMAKE_CXX_FLAGS={flags}")


@pytest.mark.slow
def test_source_can_be_generated(tmp_path: Path) -> None:
    body = """
add_custom_command(OUTPUT generated.cu
    COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/k.cu" generated.cu
    DEPENDS k.cu)
kbuild_add_kernels(kernels SHARED SOURCES ${CMAKE_CURRENT_BINARY_DIR}/generated.cu
    DEFINITIONS VALUE=7)
"""
    source = write_project(tmp_path / "source", body)

    build_and_test(source, tmp_path / "build")


@pytest.mark.parametrize("generator", GENERATORS)
def test_header_can_be_generated_in_a_directory_with_special_characters(
    tmp_path: Path, generator: str
) -> None:
    directory = tmp_path / "it's größe"
    body = """
add_custom_command(OUTPUT value.hpp
    COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/value.in" value.hpp
    DEPENDS value.in VERBATIM)
kbuild_add_kernels(kernels SHARED SOURCES k.cu HEADERS ${CMAKE_CURRENT_BINARY_DIR}/value.hpp
    INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR} DEBUG_STUBS ON)
"""
    source = write_project(directory / "source", body)
    (source / "value.in").write_text("enum { VALUE = 7 };\n")
    (source / "k.cu").write_text(f'#include "value.hpp"\n{KERNEL}')

    build_and_test(source, directory / "build", generator=generator)


@pytest.mark.slow  # tests/e2e/build/test_flags.py tests flags, too
def test_host_flags_do_not_reach_device_code(tmp_path: Path) -> None:
    loop = "__global__ void k(int* p) { for (int i = 0; i < 64; ++i) p[i] += i; }\n"
    source = write_project(tmp_path / "source", PLAIN.replace("OBJECT", "SHARED"))
    (source / "k.cu").write_text(loop)
    flags = "-O3 -march=x86-64-v3 -flto -fsanitize=undefined --coverage"

    succeed(configure(source, tmp_path / "build", f"CMAKE_CXX_FLAGS_RELEASE={flags}", RELEASE))
    succeed(run("cmake", "--build", tmp_path / "build", "--target", "kernels"))

    code = succeed(run("objdump", "-d", tmp_path / "build/kbuild/kernels/k.cu.x86-64.so"))
    assert "%xmm" in code
    assert "%ymm" not in code


def test_error_says_why_a_static_program_cannot_launch(tmp_path: Path) -> None:
    # Empty values of keywords are accepted.
    body = """
kbuild_add_kernels(kernels STATIC RUNTIME static SOURCES k.cu HEADERS ${NONE}
    ARCHITECTURES ${NONE} INCLUDE_DIRECTORIES ${NONE} COMPILE_OPTIONS ${NONE} DEFINITIONS VALUE=7)
"""
    source = write_project(tmp_path / "source", f"{body}add_link_options(-static)\n")
    (source / "host.cpp").write_text(STATIC_HOST)
    succeed(configure(source, tmp_path / "build"))
    succeed(build(tmp_path / "build"))

    done = run(tmp_path / "build" / "host")

    assert "linked with -static cannot load device images" in done.stdout
    assert done.returncode == 0


@pytest.mark.slow
def test_checks_can_be_added_twice(tmp_path: Path) -> None:
    body = PLAIN + "kbuild_verify(kernels)\nkbuild_add_smoke_test(kernels)\n" * 2
    source = write_project(tmp_path / "source", body)

    build_and_test(source, tmp_path / "build")


@pytest.mark.slow
def test_functions_work_outside_of_the_directory_that_found_the_package(tmp_path: Path) -> None:
    source = write_project(tmp_path / "source", "")
    (source / "inner").mkdir()
    (source / "k.cu").rename(source / "inner" / "k.cu")
    (source / "inner" / "CMakeLists.txt").write_text(
        "find_package(kbuild CONFIG REQUIRED)\n" + PLAIN.replace("OBJECT", "SHARED")
    )
    text = HEAD.replace("find_package(kbuild CONFIG REQUIRED)", "")
    (source / "CMakeLists.txt").write_text(
        text + "add_subdirectory(inner)\n" + TAIL + "kbuild_verify(host kernels)\n"
    )

    build_and_test(source, tmp_path / "build")


@pytest.mark.slow
def test_sources_can_be_outside_of_the_project(tmp_path: Path) -> None:
    source = write_project(tmp_path / "source", PLAIN.replace("k.cu", "../elsewhere/k.cu"))
    (tmp_path / "elsewhere").mkdir()
    (source / "k.cu").rename(tmp_path / "elsewhere" / "k.cu")

    build_and_test(source, tmp_path / "build")
    assert "no work to do" in succeed(run("cmake", "--build", tmp_path / "build"))
