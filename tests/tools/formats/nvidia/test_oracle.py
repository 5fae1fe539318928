"""Compares the readers with NVIDIA's tools on the output of NVIDIA's compilers."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.formats.elf.file import Elf
from kbuild.formats.nvidia.cubin.facts import CubinFacts
from kbuild.formats.nvidia.cubin.reader import read_cubin
from kbuild.formats.nvidia.fatbin.containers import (
    WRAPPER_SECTION,
    read_containers,
    read_wrappers,
)
from kbuild.formats.nvidia.fatbin.entry import Entry
from kbuild.formats.nvidia.fatbin.payload import read_images
from kbuild.formats.nvidia.ptx.facts import PtxFacts
from kbuild.formats.nvidia.ptx.reader import read_ptx
from kbuild.formats.nvidia.ptxas_log import read_log
from kbuild.model import Problem
from support.tools.nvidia_compiler import SMALL_CUDA_HEADERS
from support.tools.nvidia_tools import (
    DumpedImage,
    Usage,
    dump_images,
    dump_usage,
    find_tool,
    require_tool,
    run,
)

SOURCE = r"""
#include <cstdio>
#ifdef WITH_SMALL_HEADERS
extern "C" __host__ __device__ __device_builtin__ int printf(const char*, ...);
extern "C" __host__ __device__ __device_builtin__ float sinf(float) noexcept;
#endif
struct __align__(16) Vector { float x[12]; };
struct alignas(64) Aligned { char c[72]; };
struct Huge { char b[5000]; };
struct Big { double x[5]; char c; };
__constant__ double table[7];
static __constant__ char small[3];
__device__ __managed__ double shared_with_host;
__device__ float* pointer;
__device__ unsigned grid[3][5] = {{1}};
static __device__ int hidden = 1;
namespace ns { __device__ Vector v; __constant__ int c = 4; }
extern __shared__ int dynamic[];

__device__ int recurse(int n, int* p) {
  if (n < 2) return p[n];
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = recurse(n - 1 - i % 2, p) + i;
  return a[n % 8];
}
__device__ __noinline__ int callee(int n, int* p) {
  int a[64];
  for (int i = 0; i < 64; ++i) a[i] = p[i] * n;
  return a[n & 63];
}
__global__ void recursive(int n, int* p) { *p = recurse(n, p); }
__global__ void calls(int* p) { *p = callee(*p, p); }
__global__ void huge(Huge h, int* p, int i) { *p = h.b[i]; }
__global__ void aligned(int i, Aligned a, char* p) { *p = a.c[i]; }
__global__ void __launch_bounds__(128, 2) prints(Vector v, char c, short s, float* p) {
  printf("%d %f\n", c + s, v.x[threadIdx.x % 12]);
  *p = sinf(*p * 1e10f) + small[0];
}
__global__ void none() {}
__global__ void __launch_bounds__(256) reduce(const double* a, double* o, Big b, char c) {
  __shared__ double s[150];
  s[threadIdx.x % 150] = a[threadIdx.x];
  __syncthreads();
  *o = s[(threadIdx.x + 1) % 150] + b.x[threadIdx.x % 5] + c + table[c & 3];
}
__global__ void shares(int* p) {
  __shared__ float s[33];
  s[threadIdx.x] = p[threadIdx.x] + hidden;
  dynamic[threadIdx.x] = p[0] + ns::c;
  __syncthreads();
  p[1] = dynamic[3] + s[2] + grid[1][1];
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1) clustered(int* p) { *p = 1; }
#endif
__global__ void barriers(int* p) {
  asm volatile("bar.sync 3, 64;");
  *p = 1;
  asm volatile("bar.sync 5, 64;");
}
__global__ void __launch_bounds__(1024, 2) spills(float* p) {
  float a[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = p[i * threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k)
#pragma unroll
    for (int i = 0; i < 64; ++i) a[i] += a[(i * 7 + k) % 64] * p[k];
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i * threadIdx.x] = a[i];
}
static __global__ void internal(int* p) { *p = 1; }
namespace { __global__ void anonymous(int* p) { *p = 2; } }
template <class T, int N> __global__ void templated(T* p) { p[0] = N; }
void launch() {
  internal<<<1, 1>>>(nullptr);
  anonymous<<<1, 1>>>(nullptr);
  templated<int, 3><<<1, 1>>>(nullptr);
  templated<float, 4><<<1, 1>>>(nullptr);
}
"""
AMPERE = "arch=compute_80,code=[sm_80,compute_80]"
HOPPER = "arch=compute_90a,code=sm_90a"
BLACKWELL = "arch=compute_100f,code=[sm_100f,compute_100f]"
ALL = (AMPERE, HOPPER, BLACKWELL)
# The other modes are not about what CUDA's headers contain.
WITH_ALL_HEADERS = {"default", "object"}
SMALL_HEADERS = (*SMALL_CUDA_HEADERS, "-DWITH_SMALL_HEADERS")
# Compression is the same for all architectures, so most modes have only one.
MODES = {
    "default": (*ALL, "--compress-mode=default", "--fatbin"),
    **{
        mode: (AMPERE, "--compress-mode=" + mode, "--fatbin")
        for mode in ("none", "speed", "balance", "size")
    },
    "all-compressed": (AMPERE, "-Xfatbin=-compress-all", "--fatbin"),
    "debug": (AMPERE, HOPPER, "-G", "--fatbin"),
    "lines": (AMPERE, "-lineinfo", "--fatbin"),
    "object": (*ALL, "-c"),
    "relocatable": (*ALL, "-rdc=true", "-c"),
    "lto": ("arch=compute_90,code=lto_90", AMPERE, "-rdc=true", "-c"),
    "ptx-only": ("arch=compute_80,code=compute_80", "--fatbin"),
    "few-registers": (AMPERE, "-maxrregcount=32", "--fatbin"),
}


@dataclass(frozen=True, kw_only=True)
class Found:
    """The result of reading one image. The facts are None if it is neither ELF nor PTX."""

    container: int
    entry: Entry
    facts: CubinFacts | PtxFacts | None


def _contents(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    if not data.startswith(b"\x7fELF"):
        yield data
        return
    elf = Elf(data)
    for name in (".nv_fatbin", "__nv_relfatbin"):
        yield from map(elf.content, elf.sections_named(name))


def _read(path: Path) -> list[Found]:
    found = []
    for content in _contents(path):
        containers, problems = read_containers(content)
        assert problems == ()
        for number, container in enumerate(containers):
            for entry, image in read_images(container.entries, content):
                facts: CubinFacts | PtxFacts | None = None
                if entry.kind in {"elf", "ptx"}:
                    assert not isinstance(image, Problem), image
                    facts = read_cubin(image) if entry.kind == "elf" else read_ptx(image)
                    assert facts.problems == ()
                found.append(Found(container=number, entry=entry, facts=facts))
    return found


def _compare_headers(found: list[Found], dumped: list[DumpedImage]) -> None:
    kinds = {"elf": "elf", "ptx": "ptx", "ltoir": "nvvm"}
    ours = [
        (
            kinds[f.entry.kind],
            f"sm_{f.entry.arch_number}{f.entry.suffix}",
            f.entry.code_version,
            f.entry.payload.compression != "none",
            f.entry.is_debug,
            f.entry.identifier,
            f.entry.options.strip(),
        )
        for f in found
    ]
    theirs = [
        (
            d.kind,
            d.arch,
            d.code_version,
            d.is_compressed,
            d.is_debug,
            d.identifier,
            d.options.strip(),
        )
        for d in dumped
    ]
    assert sorted(ours) == sorted(theirs)


def _compare_kernels(facts: CubinFacts, dumped: DumpedImage, usage: dict[str, Usage]) -> None:
    assert {kernel.name for kernel in facts.kernels} == dumped.kernels
    # The output of the tool also lists variables in shared memory, and symbols of parameters.
    assert {(v.name, v.size) for v in facts.variables} <= dumped.variables
    for kernel in facts.kernels:
        assert kernel.params is not None
        params = {(p.index, p.offset, p.size) for p in kernel.params}
        assert params == dumped.params.get(kernel.name, set())
        assert kernel.max_threads == dumped.max_threads.get(kernel.name)
        shared = usage[kernel.name][2]
        if facts.arch_number >= 90 and not facts.is_relocatable:
            # The tool includes the memory that the system reserves.
            shared = max(shared - 1024, 0)
        theirs = (*usage[kernel.name][:2], shared, *usage[kernel.name][3:])
        # The tool shows zero if the linker has not decided yet.
        stack = 0 if facts.is_relocatable else kernel.stack_bytes
        assert theirs == (
            kernel.registers,
            stack,
            kernel.shared_bytes,
            kernel.local_bytes,
            kernel.constant_bytes,
        )
        if kernel.params and kernel.params_offset is not None:
            assert max(p.offset + p.size for p in kernel.params) == kernel.params_size
            assert kernel.params_offset + kernel.params_size == kernel.constant_bytes


def _compare(cuobjdump: str, path: Path) -> list[Found]:
    found = _read(path)
    dumped = dump_images(cuobjdump, path)
    _compare_headers(found, dumped)
    cubins = [f for f in found if isinstance(f.facts, CubinFacts)]
    of_elf = [d for d in dumped if d.kind == "elf"]
    usages = dump_usage(cuobjdump, path) if of_elf else []
    for one, other, usage in zip(cubins, of_elf, usages, strict=True):
        assert isinstance(one.facts, CubinFacts)
        assert one.facts.arch == one.entry.arch
        _compare_kernels(one.facts, other, usage)
    return found


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nvidia") / "kernels.cu"
    path.write_text(SOURCE)
    return path


def _compile(
    source: Path, output: Path, *options: str, headers: tuple[str, ...] = SMALL_HEADERS
) -> str:
    codes = [f"-gencode={option}" for option in options if option.startswith("arch=")]
    others = [option for option in options if not option.startswith("arch=")]
    nvcc = require_tool("nvcc")
    return run(nvcc, "-std=c++17", *headers, *codes, *others, "-o", output, source)


# Each has a format that the others have not: of an object, of compressed images, and of PTX.
USUAL_MODES = {"object", "size", "lto", "debug"}


@pytest.mark.parametrize(
    "mode", [pytest.param(m, marks=() if m in USUAL_MODES else pytest.mark.slow) for m in MODES]
)
def test_every_mode_matches_cuobjdump(mode: str, source: Path, tmp_path: Path) -> None:
    output = tmp_path / "kernels.o"
    headers = () if mode in WITH_ALL_HEADERS else SMALL_HEADERS
    _compile(source, output, *MODES[mode], headers=headers)
    _compare_ptx(_read(output))
    if mode in {"object", "relocatable"}:
        elf = Elf(output.read_bytes())
        (section,) = elf.sections_named(WRAPPER_SECTION)
        (wrapper,), problems = read_wrappers(elf.content(section))
        assert (wrapper.version, problems) == (1, ())
    assert _compare(require_tool("cuobjdump"), output)


def _compare_ptx(found: list[Found]) -> None:
    """Check that the PTX and the cubin of one architecture give the same facts."""
    for one in found:
        facts = one.facts
        if not isinstance(facts, PtxFacts):
            continue
        assert facts.arch == one.entry.arch
        twins = [
            f.facts
            for f in found
            if isinstance(f.facts, CubinFacts)
            and f.facts.arch_number == one.entry.arch_number
            and f.container == one.container
        ]
        for cubin in twins:
            ours = {k.name: k for k in facts.kernels}
            assert ours.keys() == {k.name for k in cubin.kernels}
            for kernel in cubin.kernels:
                params = ours[kernel.name].params
                assert params is not None
                assert kernel.params is not None
                assert [p.size for p in params] == [p.size for p in kernel.params]
                if all(p.alignment <= 16 for p in params):
                    assert [p.offset for p in params] == [p.offset for p in kernel.params]
                assert ours[kernel.name].max_threads == kernel.max_threads
            names = {(v.name, v.kind, v.size) for v in cubin.variables}
            assert names == {(v.name, v.kind, v.size) for v in facts.variables}


@pytest.mark.slow
def test_images_equal_the_packed_files(source: Path, tmp_path: Path) -> None:
    fatbinary = require_tool("fatbinary")
    images = []
    for arch in ("80", "90a", "100f"):
        cubin = tmp_path / f"{arch}.cubin"
        _compile(source, cubin, "-cubin", f"-arch=sm_{arch}")
        images.append((arch, "elf", cubin))
    ptx = tmp_path / "80.ptx"
    _compile(source, ptx, "-ptx", "-arch=compute_80")
    images.append(("80", "ptx", ptx))
    specs = [f"--image3=kind={kind},sm={arch},file={path}" for arch, kind, path in images]
    ways: list[tuple[str, ...]] = [
        ("--compress-mode=none",),
        ("--compress-mode=size",),
        ("--compress-mode=speed",),
    ]
    if "--concat" in run(fatbinary, "--help"):
        ways += [("--concat", *way) for way in ways[1:]]
    for way in ways:
        output = tmp_path / "made.fatbin"
        run(fatbinary, f"--create={output}", "-64", "-ident=made.cu", *way, *specs)
        content = output.read_bytes()
        (container,), problems = read_containers(content)
        assert problems == ()
        made = {e.arch: i for e, i in read_images(container.entries, content)}
        for arch, kind, path in images:
            image = made[("sm_" if kind == "elf" else "compute_") + arch]
            assert not isinstance(image, Problem)
            if kind == "elf":
                data, packed = path.read_bytes(), bytes(image)
                # fatbinary 13.5 pads cubins to a multiple of 8 bytes.
                padding = packed[len(data) :]
                assert packed[: len(data)] == data
                assert padding in (b"", bytes(-len(data) % 8))
            else:
                # fatbinary removes comments.
                assert read_ptx(image) == read_ptx(path.read_bytes())
        if cuobjdump := find_tool("cuobjdump"):
            _compare(cuobjdump, output)


@pytest.mark.slow
def test_log_matches_the_cubin(source: Path, tmp_path: Path) -> None:
    for arch in ("80", "90a", "100f"):
        cubin = tmp_path / "log.cubin"
        log = _compile(source, cubin, "-cubin", f"-arch=sm_{arch}", "-Xptxas=-v")
        reported = {usage.name: usage for usage in read_log(log) if usage.is_entry}
        facts = read_cubin(cubin.read_bytes())
        assert reported.keys() == {kernel.name for kernel in facts.kernels}
        for kernel in facts.kernels:
            usage = reported[kernel.name]
            assert usage.arch == facts.arch
            assert usage.registers == kernel.registers
            assert usage.frame_bytes == kernel.frame_bytes
            assert (usage.shared_bytes or 0) == kernel.shared_bytes
            assert usage.barriers in {None, kernel.barriers}
            assert usage.constant_bytes in {None, kernel.constant_bytes}
        assert reported["_Z6spillsPf"].spill_bytes
        assert reported["_Z4nonev"].spill_bytes == 0
        assert any(usage.is_entry is False for usage in read_log(log))


@pytest.mark.slow
def test_damage_to_real_images_is_reported_without_raising(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "kernels.fatbin"
    _compile(source, output, AMPERE, BLACKWELL, "--fatbin")
    content = output.read_bytes()
    (container,), _ = read_containers(content)
    for entry, image in read_images(container.entries, content):
        assert not isinstance(image, Problem)
        for offset in range(0, len(image), len(image) // 200):
            damaged = bytearray(image)
            damaged[offset] ^= 0xFF
            for part in (damaged, image[:offset]):
                with contextlib.suppress(InputError):
                    read_cubin(bytes(part)) if entry.kind == "elf" else read_ptx(bytes(part))


WHEELS = ("xformers==0.0.35", "jax-cuda13-plugin==0.10.2")


@pytest.mark.slow
@pytest.mark.parametrize("wheel", WHEELS)
def test_public_wheel_matches_cuobjdump(wheel: str, tmp_path: Path) -> None:
    cuobjdump = require_tool("cuobjdump")
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
    finished = subprocess.run([*pip, "-d", tmp_path, wheel], capture_output=True, check=False)
    if finished.returncode:
        pytest.skip(f"cannot download {wheel}")
    (archive,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path)
    libraries = [path for path in tmp_path.rglob("*.so*") if any(_contents(path))]
    assert libraries
    for library in libraries:
        assert _compare(cuobjdump, library)
    shutil.rmtree(tmp_path)
