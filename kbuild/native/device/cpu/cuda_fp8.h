/* 8-bit floating-point types with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_FP8_H
#define KBUILD_CPU_CUDA_FP8_H

#include "cuda_bf16.h"

#pragma GCC system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

#include "kbuild_cpu/small_floats/byte_formats.h"
#include "kbuild_cpu/small_floats/byte_conversions.h"

KBUILD_SMALL_FUNCTION __nv_fp8_storage_t __nv_cvt_float_to_fp8(
    const float __x, const __nv_saturation_t __saturate, const __nv_fp8_interpretation_t __kind) {
    return __kind == __NV_E4M3
               ? kbuild_small::e4m3_format::encode(__x, __saturate == __NV_SATFINITE)
               : kbuild_small::e5m2_format::encode(__x, __saturate == __NV_SATFINITE);
}
KBUILD_SMALL_FROM_DOUBLE(fp8, fp8x2, 8, __nv_saturation_t, __nv_fp8_interpretation_t)
KBUILD_SMALL_FROM_HALF(fp8, fp8x2, 8, __nv_saturation_t, __nv_fp8_interpretation_t)
KBUILD_SMALL_FROM_BFLOAT16(__nv_cvt_bfloat16raw2_to_fp8x2, fp8, fp8x2, 8, __nv_saturation_t,
                           __nv_fp8_interpretation_t)
KBUILD_SMALL_TO_HALF(fp8, fp8x2, 8, __nv_fp8_interpretation_t, __NV_E4M3, e4m3_format, e5m2_format)

typedef __nv_fp8_storage_t __nv_e8m0_storage_t;
typedef __nv_fp8x2_storage_t __nv_e8m0x2_storage_t;

KBUILD_SMALL_FUNCTION __nv_fp8_storage_t __nv_cvt_float_to_e8m0(
    const float __x, const __nv_saturation_t __saturate, const enum cudaRoundMode __rounding) {
    return kbuild_small::e8m0_format::encode(__x, __saturate == __NV_SATFINITE,
                                             __rounding == cudaRoundPosInf);
}
KBUILD_SMALL_FROM_DOUBLE(e8m0, e8m0x2, 8, __nv_saturation_t, enum cudaRoundMode)
KBUILD_SMALL_FROM_BFLOAT16(__nv_cvt_bfloat162raw_to_e8m0x2, e8m0, e8m0x2, 8, __nv_saturation_t,
                           enum cudaRoundMode)
KBUILD_SMALL_FUNCTION __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t __x) {
    return __float2bfloat16_rn(kbuild_small::e8m0_format::decode(__x));
}
KBUILD_SMALL_FUNCTION __nv_bfloat162_raw
__nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t __x) {
    return __float22bfloat162_rn(kbuild_small::decode_pair<kbuild_small::e8m0_format>(__x));
}

KBUILD_SMALL_BYTE_CLASS(__nv_fp8_e4m3, fp8, e4m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8x2_e4m3, fp8x2, e4m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8x4_e4m3, fp8x4, e4m3_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8_e5m2, fp8, e5m2_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8x2_e5m2, fp8x2, e5m2_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8x4_e5m2, fp8x4, e5m2_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8_e8m0, fp8, e8m0_format)
KBUILD_SMALL_BYTE_CLASS(__nv_fp8x4_e8m0, fp8x4, e8m0_format)

struct __nv_fp8x2_e8m0 : kbuild_small::fp8x2<kbuild_small::e8m0_format> {
    using kbuild_small::fp8x2<kbuild_small::e8m0_format>::fp8x2;
    __nv_fp8x2_e8m0() = default;
#if !defined(__CUDA_NO_FP8_CONVERSIONS__) && !defined(__CUDA_NO_FP8_CONVERSION_OPERATORS__)
    KBUILD_SMALL_MEMBER explicit operator __nv_bfloat162() const {
        return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
    }
#endif
};

/* Programs check these macros to find out whether the types exist. */
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#endif
#endif
