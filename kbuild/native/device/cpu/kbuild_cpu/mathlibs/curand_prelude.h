/* What NVIDIA's curand_kernel.h needs before it, on the CPU. Kernels and host code run the same branches of
 * it, those for hosts, so its tables must be accessible to both. */
#ifndef KBUILD_CPU_MATHLIBS_CURAND_PRELUDE_H
#define KBUILD_CPU_MATHLIBS_CURAND_PRELUDE_H

#include "../../cuda_runtime.h"
#include "../../library_types.h"

#pragma GCC system_header

#if !defined(__NV_SILENCE_DEPRECATION_BEGIN)
#define __NV_SILENCE_DEPRECATION_BEGIN \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define __NV_SILENCE_DEPRECATION_END _Pragma("GCC diagnostic pop")
#endif

/* These two headers contain tables only, which begin with `inline`. */
#pragma push_macro("inline")
#define inline static __managed__
#include <curand_mrg32k3a.h>
#include <curand_precalc.h>
#undef inline
#pragma pop_macro("inline")

/* Without this macro, the header declares variables of device code itself. Plain C++ has no others. */
#if !defined(__CUDA_ARCH__) && (defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE))
#define __CUDA_ARCH__ 800
#include <curand_mtgp32_kernel.h>
#undef __CUDA_ARCH__
#endif

#endif
