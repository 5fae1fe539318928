"""Files that clang compiles from CUDA and HIP sources without vendor headers, and hipcc with them.

The declarations are those that launches need; clang 19 does not compile the headers of CUDA 13.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.tools import find_hip_tools, find_shared_runtime, find_toolkit
from support.commands import run, succeed
from support.tools.amd_tools import SMALL_HEADERS

CLANG: Final = "clang++-19"
# Without this variable, hipcc uses any nvcc on PATH.
HIPCC: Final = ("env", "HIP_PLATFORM=amd", "hipcc")
_DECLARATIONS: Final = """\
typedef __SIZE_TYPE__ size_t;
struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device)) dim3(unsigned v) : x(v), y(1), z(1) {}
  __attribute__((host, device)) dim3() : dim3(1) {}
};
#define __global__ __attribute__((global))
#if defined(__HIP__)
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
extern "C" int __hipPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, size_t*, void*);
#else
extern "C" int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, struct CUstream_st*);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);
extern "C" int __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
#endif
"""
# Two equal kernels, like instances of a template. Compiler options add definitions.
KERNELS: Final = """\
__global__ void scale(float* p, float a) { *p *= a; }
__global__ void shrink(float* p, float a) { *p /= a; }
void call(float* p) {
  scale<<<1, 1>>>(p, 2);
  shrink<<<1, 1>>>(p, 2);
}
#if defined(LACKS) && defined(__gfx1030__)
#elif !defined(DEVICE_ONLY) || defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
__global__ void fill(int* p) { *p = 1; }
#endif
"""
NO_KERNELS: Final = "int answer() { return 42; }\n"
_HEADER: Final = "#include <hip/hip_runtime.h>\n"
SM_80: Final = "--cuda-gpu-arch=sm_80"
# Makes clang accept the toolkit's version. Its own headers are not needed.
_CUDA: Final = (
    *("-x", "cuda", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version"),
    *("-Xclang", "-target-sdk-version=12.3", "-fPIC", "-O2"),
)
# The version that Debian's runtime knows; see KB413.
_VERSION: Final = "-mcode-object-version=4"
_HIP: Final = ("-x", "hip", "-nogpulib", "-nogpuinc", "-fPIC", "-O2", _VERSION)
GFX90A: Final = "--offload-arch=gfx90a"


def compile_cuda(build_env: BuildEnv, name: str, *options: str, text: str = KERNELS) -> Path:
    """Return the output of clang as a CUDA compiler with these options."""
    source = build_env.text(f"clang/cuda-{len(text)}/kernels.cu", _DECLARATIONS + text)
    words = (CLANG, f"--cuda-path={find_toolkit()}", *_CUDA, *options, source, "-o")
    return build_env.call(f"clang/{name}", *words)


def load_cuda_object(
    build_env: BuildEnv, name: str, *options: str, device_text: str = KERNELS
) -> Path:
    """Return an object that clang compiles around a fat binary by the toolkit.

    This takes three steps, because clang 19 calls fatbinary with `--image=`, which CUDA 13 lacks.
    """
    fat_binary = pack_cuda(build_env, device_text)
    embed = ("--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(fat_binary))
    return compile_cuda(build_env, f"cuda-{name}.o", "-c", *embed, *options)


def pack_cuda(build_env: BuildEnv, text: str = KERNELS) -> Path:
    """Return a fat binary with one cubin and one PTX that clang compiled."""
    device = ("--cuda-device-only", SM_80)
    cubin = compile_cuda(build_env, f"{len(text)}.cubin", *device, "-c", text=text)
    ptx = compile_cuda(build_env, f"{len(text)}.ptx", *device, "-S", text=text)
    images = (f"kind=elf,sm=80,file={cubin}", f"kind=ptx,sm=80,file={ptx}")

    def make(path: Path) -> None:
        words = (f"--image3={image}" for image in images)
        succeed(run(find_toolkit() / "bin" / "fatbinary", "-64", f"--create={path}", *words))

    return build_env.file(f"clang/{len(text)}.fatbin", make)


def link_cuda(build_env: BuildEnv, name: str, *words: object) -> Path:
    return build_env.call(
        f"clang/cuda/{name}.so", CLANG, "-shared", *words, find_shared_runtime(), "-o"
    )


def compile_hip(build_env: BuildEnv, name: str, *options: str, text: str = KERNELS) -> Path:
    """Return the output of clang as a HIP compiler with these options."""
    source = build_env.text(f"clang/hip-{len(text)}/kernels.hip", _DECLARATIONS + text)
    architectures = () if any("-arch" in option for option in options) else (GFX90A,)
    words = (CLANG, *_HIP, *architectures, *options, source, "-o")
    return build_env.call(f"clang/{name}", *words)


def load_hip_object(build_env: BuildEnv, name: str = "kernels", *options: str) -> Path:
    return compile_hip(build_env, f"hip-{name}.o", "-c", *options)


def link_hip(build_env: BuildEnv, name: str, *words: object) -> Path:
    """Return a library that is linked to Debian's or AMD's runtime."""
    return build_env.call(f"hip/{name}.so", "g++", "-shared", *words, "-lamdhip64", "-o")


def link_hip_code(build_env: BuildEnv, name: str, *words: object) -> Path:
    """Return a library whose device code clang links, too."""
    link = (CLANG, "--hip-link", "-shared", "-nogpulib", "-Wno-unused-command-line-argument")
    return build_env.call(f"hip/{name}.so", *link, *words, "-o")


def link_by_hipcc(build_env: BuildEnv, name: str, *words: object) -> Path:
    """Return a library whose device code hipcc links. Callers must require "hip lld"."""
    link = (*HIPCC, f"-B{find_hip_tools()}", "--hip-link", "-shared")
    return build_env.call(f"hip/{name}.so", *link, *words, "-o")


def call_hipcc(build_env: BuildEnv, name: str, *options: str) -> Path:
    """Return the kernels compiled by hipcc. Plain objects have AMD's own header."""
    source = build_env.text("hip/kernels.hip", _HEADER + KERNELS)
    architectures = () if any("-arch" in option for option in options) else (GFX90A,)
    headers = () if options == ("-c",) else SMALL_HEADERS
    words = (*HIPCC, *architectures, "-fPIC", *headers, *options, source, "-o")
    return build_env.call(f"hip/{name}", *words)
