/* 4-bit floating-point types with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_FP4_H
#define KBUILD_CPU_CUDA_FP4_H

#include "cuda_fp8.h"

#pragma GCC system_header

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#if defined(__cplusplus)

KBUILD_SMALL_FUNCTION __nv_fp4_storage_t __nv_cvt_float_to_fp4(
    const float __x, const __nv_fp4_interpretation_t, const enum cudaRoundMode __rounding) {
    const kbuild_small::rounding __mode =
        __rounding == cudaRoundZero ? kbuild_small::round_zero : kbuild_small::round_nearest;
    return kbuild_small::e2m1_format::encode(__x, __mode);
}
KBUILD_SMALL_FROM_DOUBLE(fp4, fp4x2, 4, __nv_fp4_interpretation_t, enum cudaRoundMode)
KBUILD_SMALL_FROM_HALF(fp4, fp4x2, 4, __nv_fp4_interpretation_t, enum cudaRoundMode)
KBUILD_SMALL_FROM_BFLOAT16(__nv_cvt_bfloat16raw2_to_fp4x2, fp4, fp4x2, 4, __nv_fp4_interpretation_t,
                           enum cudaRoundMode)
KBUILD_SMALL_TO_HALF(fp4, fp4x2, 4, __nv_fp4_interpretation_t, __NV_E2M1, e2m1_format, e2m1_format)

KBUILD_SMALL_BYTE_CLASS(__nv_fp4_e2m1, fp8, e2m1_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp4x2_e2m1, fp8x2, e2m1_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp4x4_e2m1, fp8x4, e2m1_format)

/* Programs check these macros to find out whether the types exist. */
#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__

#endif
#endif
