"""The shadows of device variables in objects and libraries of nvcc and hipcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.inspect import inspect_path
from support.commands import run, succeed
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS, needs_nvcc
from support.tools.toolchains import needs_hipcc

SOURCE = """\
__device__ int counter;
__constant__ float weights[4];
static __device__ int internal;
__global__ void count(int* p) { *p = ++counter + weights[1] + ++internal; }
"""
# An ordinary host variable with the name of a device variable of another source.
HOST = "int counter = 7;\n"


def read(path: Path) -> ArtifactFacts:
    (facts,) = inspect_path(path)
    return facts


def shadows(path: Path) -> dict[str, tuple[str, str]]:
    return {s.symbol.name: (s.symbol.visibility, s.backend) for s in read(path).shadows}


@needs_nvcc
@pytest.mark.parametrize(
    ("options", "visibility"),
    [
        ((), None),
        (("-rdc=true",), "hidden"),
        (("-rdc=true", "--device-entity-has-hidden-visibility=false"), "default"),
    ],
    ids=["whole program", "separate", "separate and visible"],
)
def test_nvcc_shadows_are_global_with_separate_compilation(
    tmp_path: Path, options: tuple[str, ...], visibility: str | None
) -> None:
    (tmp_path / "k.cu").write_text(SOURCE)
    words = ("-arch=sm_80", "-Xcompiler", "-fPIC", *options, "-c", "k.cu", "-o", "k.o")
    succeed(run(NVCC, *SMALL_CUDA_HEADERS, *words, cwd=tmp_path))
    names = ("counter", "weights") if visibility else ()
    assert shadows(tmp_path / "k.o") == dict.fromkeys(names, (visibility, "cuda"))
    if not visibility:
        (tmp_path / "host.c").write_text(HOST)
        words = ("-shared", "-fPIC", "host.c", "k.o", "-s", "-o", "libk.so")
        succeed(run("gcc", *words, "-Wl,--unresolved-symbols=ignore-all", cwd=tmp_path))
        assert shadows(tmp_path / "libk.so") == {}


@needs_hipcc()
def test_hipcc_shadows_are_local_in_whole_programs(tmp_path: Path) -> None:
    (tmp_path / "k.hip").write_text("#include <hip/hip_runtime.h>\n" + SOURCE)
    hipcc = ("env", "HIP_PLATFORM=amd", "hipcc", "--offload-arch=gfx90a", "-fPIC", *SMALL_HEADERS)
    succeed(run(*hipcc, "-c", "k.hip", "-o", "k.o", cwd=tmp_path))
    assert shadows(tmp_path / "k.o") == {}
    # The images are the same, so that only the symbols show who names the variables.
    symbols = ("counter", "weights")
    renamed = [f"--globalize-symbol={name}" for name in symbols]
    succeed(run("objcopy", *renamed, "k.o", "global.o", cwd=tmp_path))
    assert shadows(tmp_path / "global.o") == dict.fromkeys(symbols, ("default", "hip"))
    (tmp_path / "host.c").write_text(HOST)
    words = ("-shared", "-fPIC", "host.c", "k.o", "-o", "libk.so")
    succeed(run("gcc", *words, "-Wl,--unresolved-symbols=ignore-all", cwd=tmp_path))
    assert shadows(tmp_path / "libk.so") == {}
