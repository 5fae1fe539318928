/* 6-bit floating-point types with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_FP6_H
#define KBUILD_CPU_CUDA_FP6_H

#include "cuda_fp8.h"

#pragma GCC system_header

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#if defined(__cplusplus)

KBUILD_SMALL_FUNCTION __nv_fp6_storage_t __nv_cvt_float_to_fp6(
    const float __x, const __nv_fp6_interpretation_t __kind, const enum cudaRoundMode __rounding) {
    const kbuild_small::rounding __mode =
        __rounding == cudaRoundZero ? kbuild_small::round_zero : kbuild_small::round_nearest;
    return __kind == __NV_E2M3 ? kbuild_small::e2m3_format::encode(__x, __mode)
                               : kbuild_small::e3m2_format::encode(__x, __mode);
}
KBUILD_SMALL_FROM_DOUBLE(fp6, fp6x2, 8, __nv_fp6_interpretation_t, enum cudaRoundMode)
KBUILD_SMALL_FROM_HALF(fp6, fp6x2, 8, __nv_fp6_interpretation_t, enum cudaRoundMode)
KBUILD_SMALL_FROM_BFLOAT16(__nv_cvt_bfloat16raw2_to_fp6x2, fp6, fp6x2, 8, __nv_fp6_interpretation_t,
                           enum cudaRoundMode)
KBUILD_SMALL_TO_HALF(fp6, fp6x2, 8, __nv_fp6_interpretation_t, __NV_E2M3, e2m3_format, e3m2_format)

KBUILD_SMALL_BYTE_CLASS(__nv_fp6_e2m3, fp8, e2m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp6x2_e2m3, fp8x2, e2m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp6x4_e2m3, fp8x4, e2m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp6_e3m2, fp8, e3m2_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp6x2_e3m2, fp8x2, e3m2_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp6x4_e3m2, fp8x4, e3m2_format)

/* Programs check these macros to find out whether the types exist. */
#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__

#endif
#endif
