/* The device language for kernel sources that are compiled as C++ for the CPU.
 *
 * The backend includes this header at the start of every kernel source, so that sources do not
 * need to include anything.  cuda_runtime.h and hip/hip_runtime.h in this directory include it as
 * well.  CPU device code is plain C++, and each header below provides one part of the device
 * language. */
#ifndef KBUILD_CPU_DEVICE_H
#define KBUILD_CPU_DEVICE_H

#pragma GCC system_header

#if !defined(__cplusplus) || __cplusplus < 201703L
#error "kbuild: the cpu backend requires C++17 or later for kernel sources"
#endif

#if !defined(KBUILD_MIXED)
#define KBUILD_DEVICE_CODE 1
#endif

#include <kbuild/kernel.h>

/* The backend defines KBUILD_WITHOUT_<PART> for the parts that a source does not use, because compilers
 * need longer for them than for most kernels; see backends/cpu/mixed/parts.py. */
#include "kbuild_cpu/qualifiers.h"
#include "kbuild_cpu/vector_types.h"
#include "kbuild_cpu/builtins.h"
#include "kbuild_cpu/barrier.h"
#include "kbuild_cpu/shared_memory.h"
#include "kbuild_cpu/threads.h"
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include "kbuild_cpu/regions/regions.h"
#include "kbuild_cpu/regions/number_objects.h"
#include "kbuild_cpu/regions/ranges.h"
#endif
#include "kbuild_cpu/clock.h"
#include "kbuild_cpu/library.h"
#include "kbuild_cpu/math/min_max.h"
#if !defined(KBUILD_WITHOUT_MATH)
#include "kbuild_cpu/math/elementary.h"
#include "kbuild_cpu/math/special.h"
#endif
#if !defined(KBUILD_WITHOUT_ATOMICS)
#include "kbuild_cpu/atomics.h"
#include "kbuild_cpu/atomics/builtins.h"
#include "kbuild_cpu/cache_hints.h"
#endif
#if !defined(KBUILD_WITHOUT_WARP)
#include "kbuild_cpu/warp.h"
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include "kbuild_cpu/regions/warp.h"
#endif
#endif
#if !defined(KBUILD_WITHOUT_INTRINSICS)
#include "kbuild_cpu/clusters.h"
#include "kbuild_cpu/ptx.h"
#include "kbuild_cpu/math/fast.h"
#include "kbuild_cpu/math/rounding.h"
#include "kbuild_cpu/math/conversions.h"
#include "kbuild_cpu/math/simd.h"
#include "kbuild_cpu/math/dpx.h"
#include "kbuild_cpu/bits.h"
#include "kbuild_cpu/integers.h"
#include "kbuild_cpu/conditions.h"
#include "kbuild_cpu/unsupported.h"
#endif
#if !defined(KBUILD_WITHOUT_TEXTURES)
#include "kbuild_cpu/textures/textures.h"
#include "kbuild_cpu/textures/surfaces.h"
#endif

/* In the source, and in what it includes, declarations keep their qualifiers as words, as in mixed
 * sources; see mixed/kernel_source.h. */
#if defined(KBUILD_MARK_KERNELS)
#undef __device__
#undef __constant__
#undef __managed__
#undef __host__
#define __device__ __kbuild_device__
#define __constant__ __kbuild_constant__
#define __managed__ __kbuild_managed__
#define __host__ __kbuild_host__
#endif

#if defined(__clang__)
typedef int __kbuild_clang__;
#endif

#endif
