"""Kernels in builds without CMake: with pkg-config, and with ``kbuild config`` in a Makefile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.commands import configure, find_kbuild, run, succeed
from support.tools.toolchains import require_backend, require_programs

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(plain LANGUAGES CXX VERSION 2.3)
find_package(kbuild CONFIG REQUIRED)
set(BACKEND cpu CACHE STRING "")
foreach(kind IN ITEMS SHARED STATIC OBJECT)
    kbuild_add_kernels(k_${kind} ${kind} SOURCES work.cu HEADERS "a header/types.hpp"
        BACKEND ${BACKEND} ARCHITECTURES ${ARCHITECTURES} VERIFY OFF)
endforeach()
kbuild_add_kernels(k_BUNDLE SHARED SOURCES work.cu HEADERS "a header/types.hpp"
    BACKEND ${BACKEND} ARCHITECTURES ${ARCHITECTURES} VERIFY OFF RUNTIME bundle)
install(TARGETS k_SHARED k_STATIC k_BUNDLE)
"""
MIXED_PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(plain LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(helper STATIC helper.cpp)
set_target_properties(helper PROPERTIES POSITION_INDEPENDENT_CODE ON)
foreach(kind IN ITEMS SHARED STATIC)
    add_library(m_${kind} ${kind})
    kbuild_target_sources(m_${kind} PRIVATE mixed.cu ARCHITECTURES x86-64 VERIFY OFF)
    target_link_libraries(m_${kind} PRIVATE helper m)
endforeach()
add_library(own SHARED)
kbuild_target_sources(own PRIVATE mixed.cu ARCHITECTURES x86-64 VERIFY OFF)
target_link_libraries(own PRIVATE helper)
install(TARGETS m_SHARED m_STATIC helper own)
install(FILES own.pc DESTINATION lib/pkgconfig)
"""
MIXED = """
#include <cuda_runtime.h>
int help(int x);
__global__ void work(int* to) { *to = 7; }
int run() {
    int* to = nullptr;
    int result = 0;
    cudaMalloc(&to, sizeof *to);
    work<<<1, 1>>>(to);
    cudaMemcpy(&result, to, sizeof result, cudaMemcpyDeviceToHost);
    return help(result);
}
"""
MIXED_HOST = """
#include <cuda_runtime.h>
#include <cstdio>
int run();
void work(int* to);
int main() {
    int* to = nullptr;
    if (cudaMallocManaged(reinterpret_cast<void**>(&to), sizeof *to)) return 1;
    void* arguments[] = {&to};
    auto* kernel = reinterpret_cast<const void*>(work);
    if (cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr)) return 2;
    if (cudaDeviceSynchronize()) return 3;
    std::printf(" %d\\n", *to == 7 ? run() : *to);
}
"""
KERNEL = """
#include "a header/types.hpp"
__global__ void work(Value value, int* to) { *to = value.number; }
"""
TYPES = "#pragma once\nstruct Value { int number; };\n"
HOST = """
#include "%s_kernels.hpp"
#include <cstdio>
int main()
{
    int* to = nullptr;
    int result = 0;
    auto error = kbuild::allocate(reinterpret_cast<void**>(&to), sizeof *to);
    if (!error) error = kbuild::launch(work, {1, 1}, Value{7}, to);
    if (!error) error = kbuild::copy(&result, to, sizeof result, KBUILD_COPY_TO_HOST);
    std::printf("%%s %%d\\n", error.message(), result);
    return result != 7;
}
"""
MAKEFILE = """
CXXFLAGS += -std=c++17 -Wall -Werror $(shell %(kbuild)s config --cflags kernels)
LDLIBS += $(shell %(kbuild)s config --libs kernels)
host: host.cpp
"""


def write_sources(directory: Path) -> Path:
    (directory / "a header").mkdir(parents=True)
    (directory / "CMakeLists.txt").write_text(PROJECT)
    (directory / "work.cu").write_text(KERNEL)
    (directory / "a header" / "types.hpp").write_text(TYPES)
    return directory


def link(
    directory: Path, target: str, packages: Path, *options: str, host: str | None = None
) -> Path:
    """Compile and link a program with what pkg-config prints."""
    source = directory / f"{target}.cpp"
    source.write_text(host or HOST % target)
    # A shell removes the quotes in the output.
    words = f"$(pkg-config {' '.join(options)} {target})"
    script = f'eval "g++ -std=c++17 -Wall -Werror {source.name} -o {target} {words}"'
    succeed(run("env", f"PKG_CONFIG_PATH={packages}", "sh", "-c", script, cwd=directory))
    return directory / target


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a project whose build tree, ``tree``, and prefix were moved."""
    require_programs("pkg-config")
    directory = tmp_path_factory.mktemp("plain project")  # with a space
    source = write_sources(directory / "source")
    succeed(configure(source, directory / "build", "ARCHITECTURES=x86-64"))
    succeed(run("cmake", "--build", directory / "build"))
    succeed(run("cmake", "--install", directory / "build", "--prefix", directory / "installed"))
    (directory / "build").rename(directory / "tree")
    return (directory / "installed").rename(directory / "moved").parent


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("k_SHARED", marks=pytest.mark.slow),
        "k_STATIC",
        "k_OBJECT",
        pytest.param("k_BUNDLE", marks=pytest.mark.slow),
    ],
)
def test_pkg_config_describes_the_build_tree(project: Path, tmp_path: Path, target: str) -> None:
    packages = project / "tree" / "kbuild" / "pkgconfig"

    program = link(tmp_path, target, packages, "--cflags", "--libs")

    assert run(program).stdout == " 7\n"


@pytest.mark.parametrize(
    "target",
    [
        "k_SHARED",
        pytest.param("k_STATIC", marks=pytest.mark.slow),
        pytest.param("k_BUNDLE", marks=pytest.mark.slow),
    ],
)
def test_pkg_config_describes_installed_kernels(project: Path, tmp_path: Path, target: str) -> None:
    packages = project / "moved" / "lib" / "pkgconfig"
    # An installed header does not need the project.
    assert str(project / "source") not in (packages / f"{target}.pc").read_text()

    program = link(tmp_path, target, packages, "--cflags", "--libs")

    assert run(program).stdout == " 7\n"
    assert "Version: 2.3" in (packages / f"{target}.pc").read_text()


@pytest.mark.slow
def test_pkg_config_describes_libraries_with_mixed_sources(tmp_path: Path) -> None:
    require_programs("pkg-config")
    source = tmp_path / "a source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(MIXED_PROJECT)
    (source / "mixed.cu").write_text(MIXED)
    (source / "helper.cpp").write_text("int help(int x) { return x; }\n")
    (source / "own.pc").write_text("Name: the project's file\n")
    built, prefix = source / "build", tmp_path / "prefix"
    succeed(configure(source, built))
    succeed(run("cmake", "--build", built))
    succeed(run("cmake", "--install", built, "--prefix", prefix))

    for packages in (built / "kbuild" / "pkgconfig", prefix / "lib" / "pkgconfig"):
        for target in ("m_SHARED", "m_STATIC"):
            program = link(tmp_path, target, packages, "--cflags", "--libs", host=MIXED_HOST)
            assert run(program).stdout == " 7\n"
    assert "the project's file" in (prefix / "lib" / "pkgconfig" / "own.pc").read_text()


def test_makefile_uses_a_library_with_mixed_sources(tmp_path: Path) -> None:
    (tmp_path / "kbuild.toml").write_text(
        '[target.kernels]\nkind = "static"\nsources = ["mixed.cu", "helper.cpp"]\nverify = false\n'
        'architectures = ["x86-64"]\nlink_libraries = ["m"]\n'
    )
    (tmp_path / "mixed.cu").write_text(MIXED)
    (tmp_path / "helper.cpp").write_text("#include <cmath>\nint help(int x) { return x; }\n")
    (tmp_path / "host.cpp").write_text(MIXED_HOST)
    (tmp_path / "Makefile").write_text(MAKEFILE % {"kbuild": find_kbuild()})
    succeed(run(find_kbuild(), "build", cwd=tmp_path))

    succeed(run("make", "host", cwd=tmp_path))

    assert run(tmp_path / "host").stdout == " 7\n"
    libraries = succeed(run(find_kbuild(), "config", "--libs", "kernels", cwd=tmp_path)).split()
    assert "-lm" in libraries


def test_config_describes_artifacts(project: Path, tmp_path: Path) -> None:
    source = tmp_path / "host.cpp"
    source.write_text(HOST % "k_SHARED")
    path = project / "moved" / "lib" / "libk_SHARED.so"
    words = succeed(run(find_kbuild(), "config", "--cflags", "--libs", path)).strip()
    command = f"g++ -std=c++17 '{source}' -o '{tmp_path}/host' {words}"

    succeed(run("sh", "-c", command))

    assert run(tmp_path / "host").stdout == " 7\n"


@pytest.mark.parametrize(
    "kind", ["object", *(pytest.param(k, marks=pytest.mark.slow) for k in ("shared", "static"))]
)
def test_makefile_uses_what_kbuild_build_made(tmp_path: Path, kind: str) -> None:
    directory = write_sources(tmp_path / "with space")
    (directory / "kbuild.toml").write_text(
        f'[target.kernels]\nkind = "{kind}"\nsources = ["work.cu"]\nverify = false\n'
        'headers = ["a header/types.hpp"]\narchitectures = ["x86-64"]\n'
        '[target.app]\nkind = "executable"\nsources = ["host.cpp"]\nlink_libraries = ["kernels"]\n'
        'host_options = ["-std=c++17"]\n'
    )
    (directory / "host.cpp").write_text(HOST % "kernels")
    (directory / "Makefile").write_text(MAKEFILE % {"kbuild": find_kbuild()})
    before = run(find_kbuild(), "config", "--cflags", "kernels", cwd=directory)
    succeed(run(find_kbuild(), "build", cwd=directory))

    succeed(run("make", "host", cwd=directory))

    assert run(directory / "host").stdout == " 7\n"
    assert run(directory / "build" / "kbuild" / "app" / "app").stdout == " 7\n"
    assert before.returncode == 2
    assert "target 'kernels' is not built; run: kbuild build kernels" in before.stderr


@pytest.mark.slow
def test_plain_compiler_takes_the_launcher_of_the_library(tmp_path: Path) -> None:
    require_backend("cuda")
    source = write_sources(tmp_path / "source")
    succeed(configure(source, tmp_path / "build", "ARCHITECTURES=90-real", "BACKEND=cuda"))
    succeed(run("cmake", "--build", tmp_path / "build"))
    packages = tmp_path / "build" / "kbuild" / "pkgconfig"

    # Only the directories, without the definitions.
    program = link(tmp_path, "k_SHARED", packages, "--cflags-only-I", "--libs")

    needed = run("readelf", "-d", program).stdout
    assert "libcudart.so" in needed
    assert "libkbuild_cpu" not in needed
    assert shutil.which("nvidia-smi") or "CUDA driver" in run(program).stdout
