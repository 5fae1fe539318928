/* The prelude of mixed sources, which contain kernels, host code, and launches.
 *
 * The backend includes this header when it preprocesses a source for either pass.  The qualifiers
 * become words that survive preprocessing, so that kbuild finds what the user marked.  The headers
 * of this directory do not contain these words. */
#ifndef KBUILD_CPU_MIXED_H
#define KBUILD_CPU_MIXED_H

#pragma GCC system_header

#define KBUILD_MIXED 1

/* What sources test to find out whether nvcc compiles them.  The device pass also defines
 * __CUDA_ARCH__. */
#define __CUDACC__ 1
#define __NVCC__ 1
#include "kbuild_cpu/host/cuda_version.h"
#define __CUDACC_VER_MAJOR__ KBUILD_CUDA_VERSION
#define __CUDACC_VER_MINOR__ KBUILD_CUDA_MINOR_VERSION
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

/* The one architecture, in both passes. */
#if !defined(__CUDA_ARCH_LIST__)
#define __CUDA_ARCH_LIST__ 800
#endif

#include "kbuild_cpu/language.h"
#include "library_types.h"

#include <kbuild/chevron.hpp>
#include <stdlib.h>

#undef __global__
#undef __device__
#undef __constant__
#undef __managed__
#undef __host__
#undef __launch_bounds__
#undef __cluster_dims__
#undef __grid_constant__

#define __global__ __kbuild_global__
#define __device__ __kbuild_device__
#define __constant__ __kbuild_constant__
#define __managed__ __kbuild_managed__
#define __host__ __kbuild_host__
#define __launch_bounds__(...) __kbuild_launch_bounds__(__VA_ARGS__)
#define __cluster_dims__(...) __kbuild_cluster_dims__(__VA_ARGS__)
#define __grid_constant__ __kbuild_grid_constant__

/* kbuild does not know which compiler preprocesses the text. */
#if defined(__clang__)
typedef int __kbuild_clang__;
#endif

#if !defined(__CUDA_ARCH__)
namespace kbuild_cpu {

/* The function of the C library.  <stdio.h> would declare it, and others, for the source, too. */
extern "C" int dprintf(int __file, const char *__format, ...);

/* In host code, every __device__ function ends the program, because it has no other code there. */
[[noreturn]] inline void stop_host(const char *__function) {
    dprintf(2, "kbuild: host code called the __device__ function '%s'\n", __function);
    abort();
}

}  // namespace kbuild_cpu
#endif

#endif
