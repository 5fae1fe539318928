/* bfloat16 with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_BF16_H
#define KBUILD_CPU_CUDA_BF16_H

#include "cuda_fp16.h"

#pragma GCC system_header

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

#define KBUILD_SMALL __nv_bfloat16
#define KBUILD_SMALL2 __nv_bfloat162
#define KBUILD_SMALL_RAW __nv_bfloat16_raw
#define KBUILD_SMALL2_RAW __nv_bfloat162_raw
#define KBUILD_SMALL_FORMAT kbuild_small::bfloat16_format
#define KBUILD_SMALL_OTHER __half
#define KBUILD_SMALL_NAME(prefix, suffix) prefix##bfloat16##suffix
#define KBUILD_SMALL_NAME2(prefix, infix, suffix) prefix##bfloat16##infix##bfloat16##suffix
#if !defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define KBUILD_SMALL_HAS_CONVERSIONS 1
#else
#define KBUILD_SMALL_HAS_CONVERSIONS 0
#endif
#if !defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define KBUILD_SMALL_HAS_OPERATORS 1
#else
#define KBUILD_SMALL_HAS_OPERATORS 0
#endif
#if !defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define KBUILD_SMALL2_HAS_OPERATORS 1
#else
#define KBUILD_SMALL2_HAS_OPERATORS 0
#endif
#include "kbuild_cpu/small_floats/define.h"

/* A float holds the numbers of both formats. */
#if !defined(__CUDA_NO_HALF_CONVERSIONS__)
__half::__half(const __nv_bfloat16 __value)
    : __half(kbuild_small::widen<kbuild_small::bfloat16_format>(__value)) {}
#endif
#if !defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
__nv_bfloat16::__nv_bfloat16(const __half __value)
    : __nv_bfloat16(kbuild_small::widen<kbuild_small::half_format>(__value)) {}
#endif

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3F80)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7F7F)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7F80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7FFF)

/* Programs check these macros to find out whether the types exist. */
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#endif
#endif
