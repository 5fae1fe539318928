"""Tests for ``kbuild nvcc`` on the CPU: caches in front of it, and options in both passes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from support.commands import run, run_kbuild, succeed
from support.tools.compiler_caches import Ccache, needs_ccache, needs_sccache, serve_sccache

SOURCE: Final = r"""
#include <cstdio>
#include "step.h"
__host__ __device__ inline int pick()
{
#ifdef __CUDA_ARCH__
#include "device.h"
    return 10 + DEVICE;
#else
    return 20;
#endif
}
__global__ void k(int* p) { *p = pick() + STEP; }
int main()
{
    int* p;
    cudaMallocManaged(&p, 4);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", *p, pick() + STEP);
}
"""
FILES: Final = {"a.cu": SOURCE, "step.h": "#define STEP 3\n", "device.h": "#define DEVICE 0\n"}
EDITS: Final = (
    ("device.h", "DEVICE 0", "DEVICE 5", "18 23\n"),
    ("device.h", "DEVICE 5", "DEVICE 6", "19 23\n"),
    ("a.cu", "return 20", "return 21", "19 24\n"),
)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check_edits(source: Path, launcher: str) -> None:
    """Compile through a cache after each edit, and run the program."""
    toolkit = Path(succeed(run_kbuild("nvcc", "--backend=cpu", "--toolkit")).strip())
    call = (launcher, toolkit / "bin" / "nvcc", "-O0", "-c", "a.cu", "-o", "a.o")
    for name, old, new, expected in EDITS:
        text = (source / name).read_text()
        assert old in text
        (source / name).write_text(text.replace(old, new))
        succeed(run(*call, cwd=source))
        succeed(run_kbuild("nvcc", "--backend=cpu", "a.o", "-o", "a", cwd=source))
        assert succeed(run(source / "a")) == expected


@pytest.mark.slow
@needs_ccache
def test_ccache_sees_edits_of_each_pass(
    source: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Ccache(tmp_path_factory.mktemp("ccache"), monkeypatch)

    check_edits(source, "ccache")
    assert not [name for name in cache.count() if "hit" in name]


@needs_sccache
@pytest.mark.slow
def test_sccache_sees_edits_of_each_pass(
    source: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_sccache(tmp_path_factory.mktemp("sccache"), monkeypatch):
        check_edits(source, "sccache")


WORDS: Final = r"""
#pragma nv_diag_suppress 177
struct __device_builtin__ __builtin_align__(16) four { float x, y, z, w; };
#if __CUDA_ARCH_HAS_FEATURE__(SM90_ALL) || __CUDA_HAS_ARCH_SPECIFIC(90)
#error "no feature is expected"
#endif
#if !__NVCC_DIAG_PRAGMA_SUPPORT__
#error "nvcc defines it"
#endif
extern __host__ __cudart_builtin__ cudaError_t CUDARTAPI unused(int);
static __inline__ __host__ __device__ __nv_pure__ float get(const four& f) { return f.w; }
__global__ void __launch_bounds__(64) k(four f, float* p) { *p = get(f) + alignof(four); }
int main()
{
    float* p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(four{1, 2, 3, 4}, p);
    cudaDeviceSynchronize();
#if defined(__CUDACC_RDC__) && defined(__CUDACC_DEBUG__)
    return *p != 20;
#else
    return 1;
#endif
}
"""


def test_sources_use_words_of_vendor_headers(source: Path) -> None:
    (source / "words.cu").write_text(WORDS)
    options = ("-arch=native", "-rdc=true", "-G", "-Xcompiler", "-Wall,-Werror")

    succeed(run_kbuild("nvcc", "--backend=cpu", *options, "words.cu", "-o", "words", cwd=source))
    succeed(run(source / "words"))
