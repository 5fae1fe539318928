"""Programs that use CCCL (Thrust, CUB, and libcu++) on the CPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kbuild.backends.cpu.cccl import find_cccl
from kbuild.errors import ToolError
from kbuild.toolchain.find import gather_hints
from support.commands import run_kbuild, succeed
from support.cxx_facts.sources import list_prelude, preprocess
from support.mixed_programs import build_program
from support.tools.toolchains import NEWER_CLANG, needs_programs, skip_if

PROJECT = Path(__file__).parents[3] / "projects" / "cccl"
FOUND = find_cccl(gather_hints())

pytestmark = skip_if("" if FOUND else "CCCL is not installed (pip install nvidia-cuda-cccl)")


def test_system_of_thrust_is_that_of_cpp() -> None:
    assert "/thrust/system/cpp/detail/" in preprocess(PROJECT / "thrust.cu", *list_prelude())


@pytest.mark.parametrize("name", ["sort", "partition", "merge", "reverse", "set_operations"])
def test_algorithms_include_what_those_of_cuda_do(tmp_path: Path, name: str) -> None:
    assert FOUND is not None
    source = tmp_path / "source.cu"
    source.write_text(f"#include <thrust/{name}.h>\n")
    text = preprocess(source, *list_prelude())

    # Their own headers include more, some of which sources need, too.
    theirs = (FOUND / "thrust" / "system" / "cuda" / "detail" / f"{name}.h").read_text()
    public = re.findall(r"#\s*include <(thrust/(?:iterator/)?\w+\.h)>", theirs)
    assert [header for header in public if f'/{header}"' not in text] == []
    assert '/thrust/zip_function.h"' in text


@pytest.mark.slow
def test_thrust_calls_device_functions_on_the_host(tmp_path: Path) -> None:
    program = build_program(tmp_path, (PROJECT / "thrust.cu",))
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    stopped = subprocess.run([program, "stop"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")
    assert "host code called the __device__ function 'operator()'" in stopped.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "compiler", ["g++", pytest.param(NEWER_CLANG, marks=needs_programs(NEWER_CLANG))]
)
@pytest.mark.parametrize("options", [("-O0",), ("-O3",)])
def test_cub_in_kernels(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    compilers = (compiler, compiler)
    for name in ("cub.cu", "overridden.cu"):
        sources = (PROJECT / name,)
        program = build_program(tmp_path / name, sources, compilers=compilers, options=options)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("version", ["13.0.85", "13.2.86", "13.3.5.*"])
def test_versions(tmp_path: Path, version: str) -> None:
    wheel = f"nvidia-cuda-cccl=={version}"
    download: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "-d",
        tmp_path,
        wheel,
    ]
    if subprocess.run(download, capture_output=True, check=False).returncode != 0:
        pytest.skip(f"cannot download {wheel}")
    (path,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    options = ("-O1", f"-I{tmp_path / 'nvidia' / 'cu13' / 'include' / 'cccl'}")
    for name in ("cub.cu", "overridden.cu", "thrust.cu", "device.cu"):
        program = build_program(tmp_path / name, (PROJECT / name,), options=options)
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2008002", "3006000"])
def test_other_versions_are_errors(tmp_path: Path, version: str) -> None:
    header = tmp_path / "cccl" / "cuda" / "std" / "__cccl" / "version.h"
    header.parent.mkdir(parents=True)
    header.write_text(f"#define CCCL_VERSION {version}\n")
    source = tmp_path / "a.cu"
    source.write_text("#include <nv/target>\nint main() {}\n")
    options = (f"-I{tmp_path / 'cccl'}",)
    with pytest.raises(
        ToolError, match=rf"does not support CCCL {version}; expected 3\.0 to 3\.5 "
    ):
        build_program(tmp_path, (source,), options=options)
    build_program(tmp_path, (source,), options=(*options, "-DKBUILD_UNTESTED_CCCL"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        ("cuda/atomic", "cuda/barrier", "cuda/pipeline", "cuda/std/tuple", "thrust/sort.h"),
        ("cub/cub.cuh", "thrust/sort.h", "cuda/std/tuple", "cuda/atomic", "cuda/barrier"),
        ("cuda/functional", "cuda/cmath", "cuda/std/span", "cuda/std/optional", "nv/target"),
    ],
)
def test_headers_in_one_source(tmp_path: Path, headers: tuple[str, ...]) -> None:
    source = tmp_path / "a.cu"
    includes = "".join(f"#include <{header}>\n" for header in headers)
    source.write_text(f"{includes}__global__ void k() {{}}\nint main() {{ k<<<1, 1>>>(); }}\n")
    program = build_program(tmp_path, (source,))

    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "compiler", ["g++", pytest.param(NEWER_CLANG, marks=needs_programs(NEWER_CLANG))]
)
def test_algorithms_of_cub_for_devices(tmp_path: Path, compiler: str) -> None:
    compilers = (compiler, compiler)
    for name in ("device.cu", "device_vectors.cu", "device_limits.cu"):
        sources = (PROJECT / name,)
        program = build_program(tmp_path / name, sources, compilers=compilers, options=("-O1",))
        done = subprocess.run([program], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


PACKAGES = """cmake_minimum_required(VERSION 3.22)
project(packages LANGUAGES CXX)
foreach(name IN ITEMS CCCL Thrust CUB libcudacxx)
    find_package(${name} REQUIRED CONFIG)
endforeach()
if(NOT TARGET CCCL::CCCL OR NOT TARGET CUB::CUB OR NOT TARGET libcudacxx::libcudacxx)
    message(FATAL_ERROR "a target is missing")
endif()
"""


@needs_programs("cmake", "ninja")
def test_toolkit_has_packages_of_cmake(tmp_path: Path) -> None:
    toolkit = succeed(run_kbuild("nvcc", "--backend=cpu", "--toolkit")).strip()
    (tmp_path / "CMakeLists.txt").write_text(PACKAGES)
    subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja"],
        env={**os.environ, "CMAKE_PREFIX_PATH": toolkit},
        check=True,
    )


@pytest.mark.slow
def test_ways_to_call_algorithms_of_cub_for_devices(tmp_path: Path) -> None:
    program = build_program(tmp_path, (PROJECT / "device_calls.cu",), options=("-O1",))
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.slow
def test_streams_and_memory_of_libcudacxx(tmp_path: Path) -> None:
    program = build_program(tmp_path, (PROJECT / "toolkit.cu",), options=("-O0",))
    done = subprocess.run([program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "")
