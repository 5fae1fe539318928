/* 8-bit floating-point types with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUDA_FP8_H
#define KBUILD_CPU_CUDA_FP8_H

#include "cuda_bf16.h"
#include "device_types.h"

#pragma GCC system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

#include "kbuild_cpu/small_floats/eight_bits.h"

KBUILD_SMALL_FUNCTION __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float __x,
                                                               const __nv_saturation_t __saturate,
                                                               const __nv_fp8_interpretation_t __kind) {
    return __kind == __NV_E4M3 ? kbuild_cpu::e4m3_format::encode(__x, __saturate == __NV_SATFINITE)
                               : kbuild_cpu::e5m2_format::encode(__x, __saturate == __NV_SATFINITE);
}
KBUILD_SMALL_FUNCTION __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t __x,
                                                         const __nv_fp8_interpretation_t __kind) {
    return __float2half_rn(__kind == __NV_E4M3 ? kbuild_cpu::e4m3_format::decode(__x)
                                               : kbuild_cpu::e5m2_format::decode(__x));
}
KBUILD_SMALL_FUNCTION __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t __x,
                                                             const __nv_fp8_interpretation_t __kind) {
    const __half_raw __low = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(__x), __kind);
    const __half_raw __high = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(__x >> 8), __kind);
    return __half2_raw{__low.x, __high.x};
}

KBUILD_SMALL_FUNCTION __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float __x,
                                                                const __nv_saturation_t __saturate,
                                                                const enum cudaRoundMode __rounding) {
    return kbuild_cpu::e8m0_format::encode(__x, __saturate == __NV_SATFINITE,
                                           __rounding == cudaRoundPosInf);
}
KBUILD_SMALL_FUNCTION __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t __x) {
    return __float2bfloat16_rn(kbuild_cpu::e8m0_format::decode(__x));
}
KBUILD_SMALL_FUNCTION __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t __x) {
    return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(__x)).x,
                              __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(__x >> 8)).x};
}

/* The conversions from other types and from pairs: their names, types, and numbers as float. */
#define KBUILD_SMALL_NARROW(name, type, target, option, value)                                   \
    KBUILD_SMALL_FUNCTION __nv_fp8_storage_t name(const type __x, const __nv_saturation_t __saturate, \
                                                  option __option) {                              \
        return __nv_cvt_float_to_##target(value, __saturate, __option);                           \
    }
#define KBUILD_SMALL_NARROW2(name, type, target, option, low, high)                              \
    KBUILD_SMALL_FUNCTION __nv_fp8x2_storage_t name(                                              \
        const type __x, const __nv_saturation_t __saturate, option __option) {                    \
        return static_cast<__nv_fp8x2_storage_t>(                                                 \
            __nv_cvt_float_to_##target(low, __saturate, __option) |                               \
            __nv_cvt_float_to_##target(high, __saturate, __option) << 8);                         \
    }
#define KBUILD_SMALL_HALF(bits) kbuild_cpu::half_format::widen(bits)
#define KBUILD_SMALL_BFLOAT16(bits) kbuild_cpu::bfloat16_format::widen(bits)
#define KBUILD_SMALL_KIND const __nv_fp8_interpretation_t
#define KBUILD_SMALL_MODE const enum cudaRoundMode
KBUILD_SMALL_NARROW2(__nv_cvt_float2_to_fp8x2, float2, fp8, KBUILD_SMALL_KIND, __x.x, __x.y)
KBUILD_SMALL_NARROW(__nv_cvt_double_to_fp8, double, fp8, KBUILD_SMALL_KIND, kbuild_cpu::round_to_odd(__x))
KBUILD_SMALL_NARROW2(__nv_cvt_double2_to_fp8x2, double2, fp8, KBUILD_SMALL_KIND,
                     kbuild_cpu::round_to_odd(__x.x), kbuild_cpu::round_to_odd(__x.y))
KBUILD_SMALL_NARROW(__nv_cvt_halfraw_to_fp8, __half_raw, fp8, KBUILD_SMALL_KIND, KBUILD_SMALL_HALF(__x.x))
KBUILD_SMALL_NARROW2(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, fp8, KBUILD_SMALL_KIND,
                     KBUILD_SMALL_HALF(__x.x), KBUILD_SMALL_HALF(__x.y))
KBUILD_SMALL_NARROW(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, fp8, KBUILD_SMALL_KIND,
                    KBUILD_SMALL_BFLOAT16(__x.x))
KBUILD_SMALL_NARROW2(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, fp8, KBUILD_SMALL_KIND,
                     KBUILD_SMALL_BFLOAT16(__x.x), KBUILD_SMALL_BFLOAT16(__x.y))
KBUILD_SMALL_NARROW2(__nv_cvt_float2_to_e8m0x2, float2, e8m0, KBUILD_SMALL_MODE, __x.x, __x.y)
KBUILD_SMALL_NARROW(__nv_cvt_double_to_e8m0, double, e8m0, KBUILD_SMALL_MODE, kbuild_cpu::round_to_odd(__x))
KBUILD_SMALL_NARROW2(__nv_cvt_double2_to_e8m0x2, double2, e8m0, KBUILD_SMALL_MODE,
                     kbuild_cpu::round_to_odd(__x.x), kbuild_cpu::round_to_odd(__x.y))
KBUILD_SMALL_NARROW(__nv_cvt_bfloat16raw_to_e8m0, __nv_bfloat16_raw, e8m0, KBUILD_SMALL_MODE,
                    KBUILD_SMALL_BFLOAT16(__x.x))
KBUILD_SMALL_NARROW2(__nv_cvt_bfloat162raw_to_e8m0x2, __nv_bfloat162_raw, e8m0, KBUILD_SMALL_MODE,
                     KBUILD_SMALL_BFLOAT16(__x.x), KBUILD_SMALL_BFLOAT16(__x.y))
#undef KBUILD_SMALL_MODE
#undef KBUILD_SMALL_KIND
#undef KBUILD_SMALL_BFLOAT16
#undef KBUILD_SMALL_HALF
#undef KBUILD_SMALL_NARROW2
#undef KBUILD_SMALL_NARROW

#define KBUILD_SMALL_EIGHT_BITS(name, base, format)   \
    struct name : kbuild_cpu::base<format> {          \
        using kbuild_cpu::base<format>::base;         \
        name() = default;                             \
    };
KBUILD_SMALL_EIGHT_BITS(__nv_fp8_e4m3, fp8, kbuild_cpu::e4m3_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8x2_e4m3, fp8x2, kbuild_cpu::e4m3_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8x4_e4m3, fp8x4, kbuild_cpu::e4m3_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8_e5m2, fp8, kbuild_cpu::e5m2_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8x2_e5m2, fp8x2, kbuild_cpu::e5m2_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8x4_e5m2, fp8x4, kbuild_cpu::e5m2_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8_e8m0, fp8, kbuild_cpu::e8m0_format)
KBUILD_SMALL_EIGHT_BITS(__nv_fp8x4_e8m0, fp8x4, kbuild_cpu::e8m0_format)
#undef KBUILD_SMALL_EIGHT_BITS

struct __nv_fp8x2_e8m0 : kbuild_cpu::fp8x2<kbuild_cpu::e8m0_format> {
    using kbuild_cpu::fp8x2<kbuild_cpu::e8m0_format>::fp8x2;
    __nv_fp8x2_e8m0() = default;
#if !defined(__CUDA_NO_FP8_CONVERSIONS__) && !defined(__CUDA_NO_FP8_CONVERSION_OPERATORS__)
    KBUILD_SMALL_MEMBER explicit operator __nv_bfloat162() const {
        return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
    }
#endif
};

/* Programs ask for these to find out whether the types exist. */
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#endif
#endif
