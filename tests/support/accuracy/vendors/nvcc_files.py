"""Objects, libraries, and programs that nvcc compiles from small sources."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case
from support.accuracy.tools import find_shared_runtime, find_static_runtime
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS

# Compiler options add definitions.
KERNELS: Final = """\
#ifndef EXPORTED
#define EXPORTED
#endif
#ifndef ABSENT
#define ABSENT 0
#endif
struct Step { float by; };
#if defined(__CUDA_ARCH__) && defined(WIDE) && __CUDA_ARCH__ >= WIDE
struct Steps { Step all[3]; };
#else
struct Steps { Step all[2]; };
#endif
__global__ void EXPORTED scale(float* p, float a) { *p *= a; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ != ABSENT
__global__ void fill(int* p) { *p = 1; }
#endif
__global__ void walk(float* p, Steps s) { *p += s.all[1].by; }
#ifdef KEEPS
extern "C" void __wrap___cudaUnregisterFatBinary(void**) {}
#endif
#ifndef __CUDA_ARCH__
void call(float* p, int* q) {
  scale<<<1, 1>>>(p, 2);
  fill<<<1, 1>>>(q);
  walk<<<1, 1>>>(p, Steps{});
}
#endif
"""
EXPORTED: Final = '-DEXPORTED=__attribute__((visibility("default")))'
NO_KERNELS: Final = "int answer() { return 42; }\n"
# Launches the kernel by its address, through the runtime's C interface.
LAUNCHER: Final = """\
extern "C" int cudaLaunchKernel(const void*, ...);
void scale(float*, float);
int main() { return cudaLaunchKernel((const void*)scale); }
"""
SM_80: Final = "-gencode=arch=compute_80,code=sm_80"
SM_90: Final = "-gencode=arch=compute_90,code=sm_90"
PTX_90: Final = "-gencode=arch=compute_90,code=compute_90"
SCALE: Final = "_Z5scalePff"
_OF_STATIC_RUNTIME: Final = ("-lrt", "-lpthread", "-ldl")


def compile_cuda(
    build_env: BuildEnv, name: str, *options: str, source: str = "kernels", text: str = KERNELS
) -> Path:
    """Return the output of nvcc with these options, which include ``-c`` or another phase."""
    path = build_env.text(f"nvcc/{source}.cu", text)
    common = ("-std=c++17", "-Xcompiler", "-fPIC", *SMALL_CUDA_HEADERS)
    words = (NVCC, *common, *options, path, "-o")
    return build_env.call(f"nvcc/{name}", *words)


def link_device_code(build_env: BuildEnv, name: str, *words: object) -> Path:
    """Return the output of nvcc's device linker for relocatable objects."""
    return build_env.call(f"nvcc/{name}.o", NVCC, "-dlink", "-Xcompiler", "-fPIC", *words, "-o")


def load_object(build_env: BuildEnv, name: str = "kernels", *options: str) -> Path:
    """Return an object, by default with machine code and PTX."""
    architectures = () if any("-arch" in o or "-gencode" in o for o in options) else (SM_90, PTX_90)
    return compile_cuda(build_env, f"{name}.o", "-c", *architectures, *options)


def load_exporting_object(build_env: BuildEnv) -> Path:
    return load_object(build_env, "exporting", EXPORTED)


def load_empty_object(build_env: BuildEnv) -> Path:
    return compile_cuda(build_env, "empty.o", "-c", SM_90, PTX_90, source="empty", text=NO_KERNELS)


def link_library(build_env: BuildEnv, name: str, *words: object, is_static: bool = False) -> Path:
    """Return a library linked by g++, with the shared or the static runtime."""
    return build_env.call(
        f"nvcc/{name}.so", "g++", "-shared", *words, *runtime_words(is_static=is_static), "-o"
    )


def link_launcher(build_env: BuildEnv, name: str, *words: object, is_static: bool = False) -> Path:
    """Return a program that launches a kernel of another file."""
    source = build_env.text("nvcc/launcher.cpp", LAUNCHER)
    # A library among the words can need the shared runtime.
    runtime = (
        *runtime_words(is_static=is_static),
        f"-Wl,-rpath-link,{find_shared_runtime().parent}",
    )
    return build_env.call(f"nvcc/{name}", "g++", source, *words, *runtime, "-o")


def runtime_words(*, is_static: bool = False) -> tuple[object, ...]:
    if is_static:
        return (find_static_runtime(), *_OF_STATIC_RUNTIME)
    return (find_shared_runtime(),)


def load_cuda_library(build_env: BuildEnv) -> Path:
    """Return the library that most mutations start from."""
    return link_library(build_env, "libkernels", load_object(build_env))


def cuda_library(build_env: BuildEnv) -> Case:
    return Case(paths=(load_cuda_library(build_env),))


def load_exporting_library(build_env: BuildEnv, *, is_static: bool = False) -> Path:
    """Return a library whose kernels other files can launch."""
    name = "libexporting-static" if is_static else "libexporting"
    return link_library(build_env, name, load_exporting_object(build_env), is_static=is_static)


def fat_binary(name: str, *options: str) -> Build:
    """Return a bare fat binary with the kernels."""
    return lambda w: Case(paths=(compile_cuda(w, f"{name}.fatbin", "-fatbin", *options),))
