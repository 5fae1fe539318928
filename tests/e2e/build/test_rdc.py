"""Tests for separable compilation, which links the device code of a target's sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.toolchain.devices import list_devices
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
from support.tools.toolchains import find_compiler, require_backend

PROJECT = PROJECTS / "rdc"
DEVICE_LIBRARY = PROJECTS / "device_library"
DEVICE_PACKAGE = PROJECTS / "device_package"


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
    configure_and_build(PROJECT, directory, "ARCHITECTURES=x86-64")
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


def link_installed_library(
    tmp_path: Path, built: Path, definitions: tuple[str, str], *options: str
) -> tuple[Path, ...]:
    """Link a program with the installed library and objects of the driver, by both doors."""
    prefix = tmp_path / "prefix"
    succeed(run("cmake", "--install", built, "--prefix", prefix))
    backend = definitions[0].partition("=")[2]
    call = ("nvcc", f"--backend={backend}", *options, f"-I{prefix}/include")
    for name in ("archive", "object", "main"):
        words = ("-dc", DEVICE_PACKAGE / f"{name}.cu", "-o", f"{name}.o")
        if backend == "cuda" and name == "archive":  # kbuild launches kernels of nvcc
            succeed(run(find_compiler(backend), *options, *words, cwd=tmp_path))
        else:
            succeed(run_kbuild(*call, *words, cwd=tmp_path))
    succeed(run("ar", "rc", "libarchive.a", "archive.o", cwd=tmp_path))
    directory = tmp_path / "package"
    paths = (prefix, tmp_path / "libarchive.a", tmp_path / "object.o")
    names = ("CMAKE_PREFIX_PATH", "ARCHIVE", "OBJECT")
    found = (f"{name}={path}" for name, path in zip(names, paths, strict=True))
    succeed(configure(DEVICE_PACKAGE, directory, *definitions, *found))
    succeed(build(directory))
    files = ("main.o", "object.o", "libarchive.a", prefix / "lib" / "libbase.a")
    succeed(run_kbuild(*call, *files, "-o", directory / "by_driver", cwd=tmp_path))
    programs = (directory / "app", directory / "by_driver")
    for program in programs:
        report = json.loads(run_kbuild("verify", "--format=json", program).stdout)
        assert report["ok"], report
    return programs


# Each generator orders edges of several directories in its own way. Tests of `kbuild-nvcc` link
# archives with device code, too.
@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
def test_targets_link_device_code_of_static_libraries(tmp_path: Path, generator: str) -> None:
    source = tmp_path / "source"
    shutil.copytree(DEVICE_LIBRARY, source)
    directory = tmp_path / "build"
    succeed(configure(source, directory, "ARCHITECTURES=native", generator=generator))
    succeed(build(directory))

    for name in ("app", "plain"):
        assert succeed(run(directory / name)) == "PASSED\n"
    library = source / "base" / "table.cu"
    library.write_text(library.read_text().replace("{1, 2, 3, 4}", "{2, 2, 3, 4}"))
    output = succeed(build(directory))
    assert "Linking device code of app for" in output
    assert run(directory / "app").stdout == "FAILED\n"


@pytest.mark.slow  # builds three more projects; test_relocatable.py links libraries by the driver
def test_installed_device_library_is_linked(tmp_path: Path) -> None:
    definitions = ("KBUILD_BACKEND=cpu", "ARCHITECTURES=native")
    succeed(configure(DEVICE_LIBRARY, tmp_path / "build", *definitions))
    succeed(build(tmp_path / "build"))

    for program in link_installed_library(
        tmp_path, tmp_path / "build", definitions, "-arch=native"
    ):
        assert succeed(run(program)) == "PASSED\n"


@pytest.mark.slow
@pytest.mark.parametrize(("backend", "architectures"), [("cuda", "80-real;90"), ("hip", "gfx90a")])
def test_gpu_backends_link_device_code_of_static_libraries(
    tmp_path: Path, backend: str, architectures: str
) -> None:
    require_backend(backend)
    definitions = (f"KBUILD_BACKEND={backend}", f"ARCHITECTURES={architectures}")
    succeed(configure(DEVICE_LIBRARY, tmp_path / "build", *definitions))
    succeed(build(tmp_path / "build"))
    if backend == "cuda":
        codes = ("-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90")
        programs = link_installed_library(tmp_path, tmp_path / "build", definitions, *codes)
        if list_devices():
            assert [succeed(run(program)) for program in programs] == ["PASSED\n"] * 2


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
