"""Kernels whose resources depend on the options that they are compiled with."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.formats.elf.file import Elf
from support.accuracy.build_env import BuildEnv
from support.files.mutations import patch, section_range
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS

CUDA: Final = """\
__global__ void plain(float* p) { p[threadIdx.x] *= 2; }
__global__ void __launch_bounds__(BOUND) crowded(float* p) {
  float r[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) r[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i)
#pragma unroll
    for (int j = 0; j < 96; j += 17) r[i] = r[i] * r[j] + r[(i + j) % 96];
#pragma unroll
  for (int i = 0; i < 96; ++i) p[i * 1024 + threadIdx.x] = r[i];
}
#ifdef STACK
__global__ void stack(float* p, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = p[i];
  for (int i = 0; i < n; ++i) a[(i * 7 + n) % 64] += a[i % 61];
  p[threadIdx.x] = a[n];
}
#endif
__global__ void tile(float* p) {
  __shared__ float s[12288];
  s[threadIdx.x] = p[threadIdx.x]; __syncthreads();
  p[threadIdx.x] = s[12287 - threadIdx.x];
}
"""
HIP: Final = """\
#ifndef FLOATS
#define FLOATS 16384
#endif
__attribute__((global)) void plain(float* p) { p[0] = 2; }
#ifdef EXTRA
__attribute__((global)) void extra(float* p) { p[0] = 3; }
#endif
__attribute__((global, amdgpu_num_vgpr(VGPRS))) void crowded(float* p) {
  float r[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) r[i] = p[i * 64];
  __builtin_amdgcn_s_barrier();
#pragma unroll
  for (int i = 0; i < 64; ++i)
#pragma unroll
    for (int j = 0; j < 64; j += 17) r[i] = r[i] * r[j] + r[(i + j) % 64];
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i * 64] = r[i];
}
__attribute__((global)) void tile(float* p) {
  static __attribute__((shared)) float s[FLOATS];
  s[(int)p[0]] = p[1]; __builtin_amdgcn_s_barrier(); p[2] = s[(int)p[3]];
}
"""
# The limits of 48 KiB and 64 KiB. A broken image requests more.
_TILE: Final = "_Z4tilePf"
_CLANG: Final = "clang-19"
_NVCC: Final = (NVCC, *SMALL_CUDA_HEADERS)


def compile_cuda(
    build_env: BuildEnv, *options: str, bound: int = 128, suffix: str = "fatbin"
) -> Path:
    """Return a fat binary, or the output of another nvcc option with that name."""
    source = build_env.text("resources/k.cu", CUDA)
    words = (f"-{suffix}", "-std=c++17", f"-DBOUND={bound}", *options)
    return build_env.call(f"resources/{_name(words)}/k.{suffix}", *_NVCC, *words, source, "-o")


def compile_hip(build_env: BuildEnv, *options: str, vgprs: int = 256, arch: str = "gfx90a") -> Path:
    """Return a bundle by clang, with any number of registers."""
    source = build_env.text("resources/k.hip", HIP)
    flags = ("-x", "hip", "--offload-device-only", "-nogpulib", "-nogpuinc")
    words = ("-O2", f"-DVGPRS={vgprs}", f"--offload-arch={arch}", *options)
    name = f"resources/{_name(words)}/k.hipfb"
    return build_env.call(name, _CLANG, *flags, *words, "-c", source, "-o")


def _name(words: tuple[str, ...]) -> str:
    """Return the name of a directory for one set of options."""
    return "with" + re.sub(r"[^\w.+-]", "_", "".join(words))


def compile_cubin(build_env: BuildEnv) -> Path:
    return compile_cuda(build_env, "-arch=sm_90", suffix="cubin")


def compile_code_object(build_env: BuildEnv, *, vgprs: int = 256) -> Path:
    return compile_hip(build_env, "--no-gpu-bundle-output", vgprs=vgprs)


def write_ptx(build_env: BuildEnv, version: str) -> Path:
    """Return PTX as the toolkit of that version would have written it."""
    whole = compile_cuda(build_env, "-arch=compute_90", suffix="ptx")

    def edit(data: bytes) -> bytes:
        text, count = re.subn(r"(?m)^\.version .*$", f".version {version}", data.decode())
        assert count == 1
        return text.encode()

    return build_env.edit(f"ptx-{version}", whole, edit)


def enlarge_shared(data: bytes) -> bytes:
    """Request four bytes more shared memory than the limit."""
    (section,) = Elf(data).sections_named(f".nv.shared.{_TILE}")
    (headers,) = struct.unpack_from("<Q", data, 40)
    return patch(data, headers + 64 * section.index + 32, struct.pack("<Q", section.size + 4))


def enlarge_block(data: bytes) -> bytes:
    """Declare launch bounds of 1024 threads for code that was compiled for 128."""
    # EIATTR_MAX_THREADS, 12 bytes, from __launch_bounds__(128).
    old = bytes((4, 5, 12, 0)) + struct.pack("<3I", 128, 1, 1)
    assert data.count(old) == 1
    return data.replace(old, bytes((4, 5, 12, 0)) + struct.pack("<3I", 1024, 1, 1))


def enlarge_lds(data: bytes) -> bytes:
    """Request four bytes more shared memory than the limit of an AMD device."""
    # The metadata is MessagePack: a string, followed by a 32-bit number.
    old = b".group_segment_fixed_size\xce" + struct.pack(">I", 65536)
    assert data.count(old) == 1
    data = data.replace(old, old[:-4] + struct.pack(">I", 65540))
    # The descriptors of the kernels, 64 bytes each, start with the same number.
    place = section_range(data, ".rodata")
    (descriptor,) = (
        at
        for at in range(place.start, place.stop, 64)
        if data[at : at + 4] == struct.pack("<I", 65536)
    )
    return patch(data, descriptor, struct.pack("<I", 65540))


def claim_spills(data: bytes) -> bytes:
    """Make the metadata of every kernel state seven spilled registers."""
    key = b".vgpr_spill_count"
    assert data.count(key + b"\0") == 3
    return data.replace(key + b"\0", key + b"\7")


def edited(
    name: str, compile_sound: Callable[[BuildEnv], Path], edit: Callable[[bytes], bytes]
) -> Callable[[BuildEnv], Path]:
    return lambda build_env: build_env.edit(name, compile_sound(build_env), edit)
