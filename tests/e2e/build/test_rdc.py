"""Tests for separable compilation, which links the device code of a target's sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import (
    PROJECTS,
    build,
    configure,
    configure_and_build,
    ctest,
    run,
    run_kbuild,
    succeed,
)

PROJECT = PROJECTS / "rdc"


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
