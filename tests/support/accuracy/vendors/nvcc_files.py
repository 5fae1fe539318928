"""What nvcc makes of small sources: objects, libraries and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.accuracy.build_env import Workshop
from support.accuracy.model import Build, Case
from support.accuracy.tools import find_shared_runtime, find_static_runtime
from support.tools.nvidia_compiler import NVCC

# A definition more is an option of the compiler.
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
# Takes the kernel's address and launches it by the runtime's C interface.
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
    workshop: Workshop, name: str, *options: str, source: str = "kernels", text: str = KERNELS
) -> Path:
    """What nvcc writes with these options; ``-c`` or another of its phases is one of them."""
    path = workshop.text(f"nvcc/{source}.cu", text)
    words = (NVCC, "-std=c++17", "-Xcompiler", "-fPIC", *options, path, "-o")
    return workshop.call(f"nvcc/{name}", *words)


def link_device_code(workshop: Workshop, name: str, *words: object) -> Path:
    """What nvcc's device linker makes of relocatable objects."""
    return workshop.call(f"nvcc/{name}.o", NVCC, "-dlink", "-Xcompiler", "-fPIC", *words, "-o")


def load_object(workshop: Workshop, name: str = "kernels", *options: str) -> Path:
    """An object with machine code and PTX, unless the options say otherwise."""
    architectures = () if any("-arch" in o or "-gencode" in o for o in options) else (SM_90, PTX_90)
    return compile_cuda(workshop, f"{name}.o", "-c", *architectures, *options)


def load_exporting_object(workshop: Workshop) -> Path:
    return load_object(workshop, "exporting", EXPORTED)


def load_empty_object(workshop: Workshop) -> Path:
    return compile_cuda(workshop, "empty.o", "-c", SM_90, PTX_90, source="empty", text=NO_KERNELS)


def link_library(workshop: Workshop, name: str, *words: object, is_static: bool = False) -> Path:
    """A library of g++'s, linked to the shared runtime or with the static one in it."""
    return workshop.call(
        f"nvcc/{name}.so", "g++", "-shared", *words, *runtime_words(is_static=is_static), "-o"
    )


def link_launcher(workshop: Workshop, name: str, *words: object, is_static: bool = False) -> Path:
    """A program that launches a kernel of another file."""
    source = workshop.text("nvcc/launcher.cpp", LAUNCHER)
    runtime = runtime_words(is_static=is_static)
    return workshop.call(f"nvcc/{name}", "g++", source, *words, *runtime, "-o")


def runtime_words(*, is_static: bool = False) -> tuple[object, ...]:
    if is_static:
        return (find_static_runtime(), *_OF_STATIC_RUNTIME)
    return (find_shared_runtime(),)


def load_cuda_library(workshop: Workshop) -> Path:
    """The library that most mutations start from."""
    return link_library(workshop, "libkernels", load_object(workshop))


def cuda_library(workshop: Workshop) -> Case:
    return Case(paths=(load_cuda_library(workshop),))


def load_exporting_library(workshop: Workshop, *, is_static: bool = False) -> Path:
    """A library that lets others launch its kernels."""
    name = "libexporting-static" if is_static else "libexporting"
    return link_library(workshop, name, load_exporting_object(workshop), is_static=is_static)


def fat_binary(name: str, *options: str) -> Build:
    """A bare fat binary of the kernels."""
    return lambda w: Case(paths=(compile_cuda(w, f"{name}.fatbin", "-fatbin", *options),))
