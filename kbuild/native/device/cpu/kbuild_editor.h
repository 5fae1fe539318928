/* The prelude with which clang reads sources for editors, as CUDA for the host; see backends/editor.py.
 *
 * clang is stricter than nvcc about which functions a kernel can call, and it cannot read the headers of
 * every toolkit. So this header declares the host API and the device language with the CPU backend's
 * headers, for sources of other backends, too. Their own headers then declare nothing. */
#ifndef KBUILD_EDITOR_H
#define KBUILD_EDITOR_H

#pragma GCC system_header

/* Linked runtimes define the macros of their backends, whose headers do not come next. */
#undef KBUILD_BACKEND_CPU
#undef KBUILD_BACKEND_CUDA
#undef KBUILD_BACKEND_HIP
#define KBUILD_BACKEND_CPU 1

/* The words of kbuild_cpu_mixed.h and annotations.h. */
#define __kbuild_global__ __attribute__((global))
#define __kbuild_device__ __attribute__((device))
#define __kbuild_constant__ __attribute__((constant))
#define __kbuild_managed__ __attribute__((device))
#define __kbuild_host__ __attribute__((host))
#define __kbuild_shared__ __attribute__((shared))
#define __kbuild_launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __kbuild_grid_constant__
#define __kbuild_needs_block__
#define __kbuild_call_needs_block__
#define __kbuild_yields__
#define __kbuild_block_barrier__
#define __kbuild_warp_barrier__
#define __kbuild_block_operation__
#define __kbuild_warp_operation__
#define __kbuild_warp_function__
#define __kbuild_block_primitive__
#define __kbuild_warp_primitive__

/* clang's own <new> and <algorithm> use the qualifiers. */
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))

/* Kernels call functions of the C library. libstdc++'s <math.h> would include <cmath>, and with it headers
 * whose functions headers of the host overload. */
#include <cstddef>
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#pragma clang force_cuda_host_device end

/* What kbuild's headers include of the C++ library. */
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#undef __host__
#undef __device__

#pragma clang force_cuda_host_device begin
#include "kbuild_cpu_mixed.h"

#include "cooperative_groups.h"
#include "cooperative_groups/memcpy_async.h"
#include "cooperative_groups/reduce.h"
#include "cooperative_groups/scan.h"
#include "cuComplex.h"
#include "cuda/atomic"
#include "cuda/barrier"
#include "cuda/pipeline"
#include "cuda_awbarrier.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp4.h"
#include "cuda_fp6.h"
#include "cuda_fp8.h"
#include "cuda_pipeline.h"
#include "math_constants.h"
#include "mma.h"

/* What clang calls for a launch: the first one for CUDA before 9.2, and without a toolkit. */
extern "C" int cudaConfigureCall(dim3 __grid, dim3 __block, size_t __shared_bytes = 0,
                                 cudaStream_t __stream = nullptr);
extern "C" int __cudaPushCallConfiguration(dim3 __grid, dim3 __block, size_t __shared_bytes = 0,
                                           cudaStream_t __stream = nullptr);
#pragma clang force_cuda_host_device end

/* The headers of a toolkit include each other from their own directory. These macros keep them from
 * declaring again what this header declares. */
#define CU_COMPLEX_H_
#define CU_UUID_HAS_BEEN_DEFINED
#define _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC
#define _COOPERATIVE_GROUPS_REDUCE_H
#define _COOPERATIVE_GROUPS_SCAN_H
#define _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_
#define __BUILTIN_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __COMMON_FUNCTIONS_H__
#define __CUDA_BF16_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_FP16_H__
#define __CUDA_FP4_H__
#define __CUDA_FP6_H__
#define __CUDA_FP8_H__
#define __CUDA_MMA_H__
#define __CUDA_PROFILER_API_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __HOST_CONFIG_H__
#define __HOST_DEFINES_H__
#define __MATH_CONSTANTS_H__
#define __MATH_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_TYPES_H__

#endif
