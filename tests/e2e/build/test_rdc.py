"""Tests for separable compilation, which links the device code of a target's sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import (
    GENERATORS,
    PROJECTS,
    build,
    configure,
    configure_and_build,
    ctest,
    run,
    run_kbuild,
    succeed,
)
from support.tools.toolchains import require_backend

PROJECT = PROJECTS / "rdc"
DEVICE_LIBRARY = PROJECTS / "device_library"


LIBRARIES_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(libraries LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(base STATIC)
kbuild_target_sources(base PRIVATE a.cu ARCHITECTURES x86-64 RDC ON)
add_library(other SHARED)
kbuild_target_sources(other PRIVATE b.cu ARCHITECTURES x86-64-v3 RDC ON)
add_library(plain SHARED)
kbuild_target_sources(plain PRIVATE b.cu ARCHITECTURES x86-64)
target_link_libraries(other PRIVATE base)
target_link_libraries(plain PRIVATE base)
if(TWO)
    kbuild_target_sources(other PRIVATE a.cu ARCHITECTURES x86-64 RDC ON)
endif()
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("rdc")
    configure_and_build(PROJECT, directory)
    return directory


def test_sources_share_functions_and_variables(built: Path) -> None:
    output = succeed(ctest(built))

    assert "100% tests passed" in output
    assert "4/4 Test" in output
    assert "Skipped" not in output


def test_linked_images_are_in_one_container(built: Path) -> None:
    result = run_kbuild("inspect", "--format", "json", built / "libshared_kernels.so")

    (artifact,) = json.loads(succeed(result))["artifacts"]
    assert {image["container"] for image in artifact["images"]} == {0}
    for image in artifact["images"]:
        names = sorted(kernel["display"] for kernel in image["kernels"])
        assert names == [
            "first(int*)",
            "own(int*)",
            "own(int*)",
            "second(int*)",
            "void apply<Scale>(Scale, int*)",
        ]
    assert {v["display"] for v in artifact["variables"]} == {"total", "step"}


def test_host_compiler_links_the_archive(built: Path, tmp_path: Path) -> None:
    runtime = resources.find_runtime("libkbuild_cpu.so.1")

    succeed(
        run(
            *("g++", "-std=c++17", "-I", resources.native_directory() / "include"),
            *(PROJECT / "host.cpp", built / "libstatic_kernels.a", runtime),
            *(f"-Wl,-rpath,{runtime.parent}", "-o", tmp_path / "host"),
        )
    )

    assert "ok" in succeed(run(tmp_path / "host"))


@pytest.mark.slow
def test_edit_recompiles_one_source_and_links_again(tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(PROJECT, source)
    succeed(configure(source, tmp_path / "build", "ARCHITECTURES=x86-64"))
    succeed(build(tmp_path / "build", "shared_host"))
    assert "no work to do" in succeed(build(tmp_path / "build", "shared_host"))

    second = source / "second.cu"
    second.write_text(second.read_text().replace("total = 100", "total = 200"))
    output = succeed(build(tmp_path / "build", "shared_host"))

    assert "second.cu for x86-64" in output
    assert "first.cu for" not in output
    assert "Linking device code of shared_kernels for x86-64" in output


# Each generator orders edges of several directories in its own way.
@pytest.mark.parametrize("generator", GENERATORS)
def test_targets_link_device_code_of_static_libraries(tmp_path: Path, generator: str) -> None:
    source = tmp_path / "source"
    shutil.copytree(DEVICE_LIBRARY, source)
    directory = tmp_path / "build"
    succeed(configure(source, directory, "ARCHITECTURES=x86-64", generator=generator))
    succeed(build(directory))

    for name in ("app", "plain"):
        assert succeed(run(directory / name)) == "PASSED\n"
    library = source / "base" / "kernels.cu"
    library.write_text(library.read_text().replace("{1, 2, 3, 4}", "{2, 2, 3, 4}"))
    output = succeed(build(directory))
    assert "Linking device code of app for x86-64" in output
    assert run(directory / "app").stdout == "FAILED\n"


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "architectures"), [("cuda", "80-real;90"), ("hip", "gfx90a")])
def test_gpu_backends_link_device_code_of_static_libraries(
    tmp_path: Path, backend: str, architectures: str
) -> None:
    require_backend(backend)
    definitions = (f"KBUILD_BACKEND={backend}", f"ARCHITECTURES={architectures}")
    succeed(configure(DEVICE_LIBRARY, tmp_path, *definitions))
    succeed(build(tmp_path))


@pytest.mark.slow
def test_unusable_device_libraries_are_named(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(LIBRARIES_PROJECT)
    (tmp_path / "a.cu").write_text("__device__ int twice(int v) { return 2 * v; }\n")
    (tmp_path / "b.cu").write_text(
        "__device__ int twice(int);\n__global__ void k(int* p) { *p = twice(1); }\n"
    )
    succeed(configure(tmp_path, tmp_path / "build"))

    other = build(tmp_path / "build", "other")
    plain = build(tmp_path / "build", "plain")
    two = configure(tmp_path, tmp_path / "two", "TWO=ON")

    assert "other: static library 'base' has no device code for x86-64-v3" in other.stdout
    assert "twice(int)" in plain.stdout
    assert "write RDC ON for both" in plain.stdout
    assert "list all sources with RDC ON in one call" in " ".join(two.stderr.split())


def test_target_without_a_kernel_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("__device__ int twice(int v) { return 2 * v; }\n")
    (tmp_path / "kbuild.toml").write_text('[target.t]\nsources = ["a.cu"]\nrdc = true\n')

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == 2
    assert "t: no kernel (no __global__ function) in its sources" in result.stderr


def test_undefined_device_function_is_an_error_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__device__ int missing(int);\n__global__ void k(int* p) { *p = missing(1); }\n"
    )
    (tmp_path / "kbuild.toml").write_text(
        '[target.t]\nsources = ["a.cu"]\nrdc = true\narchitectures = ["x86-64"]\n'
    )

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == 4
    assert "missing(int)" in result.stderr
    assert "define it in a source of the target" in result.stderr
    assert "Traceback" not in result.stderr
