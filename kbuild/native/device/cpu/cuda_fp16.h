/* Half precision with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_FP16_H
#define KBUILD_CPU_CUDA_FP16_H

#pragma GCC system_header

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus)

/* As NVIDIA's. */
#include <cstring>
#include <utility>

#include "kbuild_cpu/vector_types.h"
#include "kbuild_cpu/small_floats/formats.h"
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "kbuild_cpu/atomics.h"
#include "kbuild_cpu/warp.h"
#endif

#define KBUILD_SMALL __half
#define KBUILD_SMALL2 __half2
#define KBUILD_SMALL_RAW __half_raw
#define KBUILD_SMALL2_RAW __half2_raw
#define KBUILD_SMALL_FORMAT kbuild_small::half_format
#define KBUILD_SMALL_OTHER __nv_bfloat16
#define KBUILD_SMALL_NAME(prefix, suffix) prefix##half##suffix
#define KBUILD_SMALL_NAME2(prefix, infix, suffix) prefix##half##infix##half##suffix
#if !defined(__CUDA_NO_HALF_CONVERSIONS__)
#define KBUILD_SMALL_HAS_CONVERSIONS 1
#else
#define KBUILD_SMALL_HAS_CONVERSIONS 0
#endif
#if !defined(__CUDA_NO_HALF_OPERATORS__)
#define KBUILD_SMALL_HAS_OPERATORS 1
#else
#define KBUILD_SMALL_HAS_OPERATORS 0
#endif
#if !defined(__CUDA_NO_HALF2_OPERATORS__)
#define KBUILD_SMALL2_HAS_OPERATORS 1
#else
#define KBUILD_SMALL2_HAS_OPERATORS 0
#endif
#include "kbuild_cpu/small_floats/define.h"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __half nv_half;
typedef __half2 nv_half2;

#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFF)
#define CUDART_INF_FP16 __ushort_as_half(0x7C00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFF)

/* Programs check these macros to find out whether the types exist. */
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#endif
#endif
