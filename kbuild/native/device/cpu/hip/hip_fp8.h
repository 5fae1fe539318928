/* 8-bit floating-point types with HIP's names. */
#ifndef KBUILD_CPU_HIP_FP8_H
#define KBUILD_CPU_HIP_FP8_H

#include "../cuda_fp8.h"

#pragma GCC system_header

typedef __nv_fp8_storage_t __hip_fp8_storage_t;
typedef __nv_fp8x2_storage_t __hip_fp8x2_storage_t;
typedef __nv_fp8x4_storage_t __hip_fp8x4_storage_t;

typedef enum __hip_saturation_t { __HIP_NOSAT, __HIP_SATFINITE } __hip_saturation_t;
typedef enum __hip_fp8_interpretation_t {
    __HIP_E4M3_FNUZ,
    __HIP_E5M2_FNUZ,
    __HIP_E4M3,
    __HIP_E5M2
} __hip_fp8_interpretation_t;

#if defined(__cplusplus)

namespace kbuild_small {

/* A format without infinities and without a negative zero, whose bits are the NaN. */
template <int __Fraction, int __Bias>
struct fnuz_format : byte_storage {
    static inline unsigned char encode(float __x, bool __saturates = true) {
        const unsigned int __bits = cast_bits<unsigned int>(__x);
        const unsigned int __size = __bits & 0x7FFFFFFF;
        if (__size > 0x7F800000) return 0x80;
        const unsigned int __made = narrow_size<__Fraction, __Bias>(__size, round_nearest, false);
        if (__made > 0x7F && !__saturates) return 0x80;
        const unsigned int __sign = __made ? __bits >> 24 & 0x80 : 0;
        return static_cast<unsigned char>((__made > 0x7F ? 0x7F : __made) | __sign);
    }
    static inline float decode(unsigned int __bits) {
        const float __value = widen_byte<__Fraction, __Bias>(__bits & 0x7F, __bits & 0x80);
        return (__bits & 0xFF) == 0x80 ? cast_bits<float>(0x7FFFFFFFu) : __value;
    }
    static inline bool is_nonzero(unsigned char __bits) { return __bits != 0; }
};
typedef fnuz_format<3, 8> e4m3_fnuz_format;
typedef fnuz_format<2, 16> e5m2_fnuz_format;

}  // namespace kbuild_small

typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8x2_e4m3 __hip_fp8x2_e4m3;
typedef __nv_fp8x4_e4m3 __hip_fp8x4_e4m3;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
typedef __nv_fp8x2_e5m2 __hip_fp8x2_e5m2;
typedef __nv_fp8x4_e5m2 __hip_fp8x4_e5m2;
KBUILD_SMALL_BYTE_CLASS(__hip_fp8_e4m3_fnuz, fp8, e4m3_fnuz_format)
KBUILD_SMALL_BYTE_CLASS(__hip_fp8x2_e4m3_fnuz, fp8x2, e4m3_fnuz_format)
KBUILD_SMALL_BYTE_CLASS(__hip_fp8x4_e4m3_fnuz, fp8x4, e4m3_fnuz_format)
KBUILD_SMALL_BYTE_CLASS(__hip_fp8_e5m2_fnuz, fp8, e5m2_fnuz_format)
KBUILD_SMALL_BYTE_CLASS(__hip_fp8x2_e5m2_fnuz, fp8x2, e5m2_fnuz_format)
KBUILD_SMALL_BYTE_CLASS(__hip_fp8x4_e5m2_fnuz, fp8x4, e5m2_fnuz_format)

KBUILD_SMALL_FUNCTION __hip_fp8_storage_t __hip_cvt_float_to_fp8(
    const float __x, const __hip_saturation_t __saturate, const __hip_fp8_interpretation_t __kind) {
    const bool __saturates = __saturate == __HIP_SATFINITE;
    return __kind == __HIP_E4M3_FNUZ   ? kbuild_small::e4m3_fnuz_format::encode(__x, __saturates)
           : __kind == __HIP_E5M2_FNUZ ? kbuild_small::e5m2_fnuz_format::encode(__x, __saturates)
           : __kind == __HIP_E4M3      ? kbuild_small::e4m3_format::encode(__x, __saturates)
                                       : kbuild_small::e5m2_format::encode(__x, __saturates);
}
KBUILD_SMALL_FUNCTION __hip_fp8x2_storage_t
__hip_cvt_float2_to_fp8x2(const float2 __x, const __hip_saturation_t __saturate,
                          const __hip_fp8_interpretation_t __kind) {
    return static_cast<__hip_fp8x2_storage_t>(__hip_cvt_float_to_fp8(__x.x, __saturate, __kind) |
                                              __hip_cvt_float_to_fp8(__x.y, __saturate, __kind)
                                                  << 8);
}
KBUILD_SMALL_FUNCTION __hip_fp8_storage_t
__hip_cvt_double_to_fp8(const double __x, const __hip_saturation_t __saturate,
                        const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float_to_fp8(kbuild_small::round_to_odd(__x), __saturate, __kind);
}
KBUILD_SMALL_FUNCTION __hip_fp8x2_storage_t
__hip_cvt_double2_to_fp8x2(const double2 __x, const __hip_saturation_t __saturate,
                           const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float2_to_fp8x2(
        make_float2(kbuild_small::round_to_odd(__x.x), kbuild_small::round_to_odd(__x.y)),
        __saturate, __kind);
}
KBUILD_SMALL_FUNCTION __hip_fp8_storage_t
__hip_cvt_halfraw_to_fp8(const __half_raw __x, const __hip_saturation_t __saturate,
                         const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float_to_fp8(KBUILD_SMALL_WIDEN_HALF(__x.x), __saturate, __kind);
}
KBUILD_SMALL_FUNCTION __hip_fp8_storage_t
__hip_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw __x, const __hip_saturation_t __saturate,
                             const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float_to_fp8(KBUILD_SMALL_WIDEN_BFLOAT16(__x.x), __saturate, __kind);
}
KBUILD_SMALL_FUNCTION __half_raw __hip_cvt_fp8_to_halfraw(const __hip_fp8_storage_t __x,
                                                          const __hip_fp8_interpretation_t __kind) {
    return __float2half_rn(__kind == __HIP_E4M3_FNUZ   ? kbuild_small::e4m3_fnuz_format::decode(__x)
                           : __kind == __HIP_E5M2_FNUZ ? kbuild_small::e5m2_fnuz_format::decode(__x)
                           : __kind == __HIP_E4M3      ? kbuild_small::e4m3_format::decode(__x)
                                                       : kbuild_small::e5m2_format::decode(__x));
}
/* Pairs: the first number is in the low byte. */
KBUILD_SMALL_FUNCTION __hip_fp8x2_storage_t
__hip_cvt_halfraw2_to_fp8x2(const __half2_raw __x, const __hip_saturation_t __saturate,
                            const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float2_to_fp8x2(
        make_float2(KBUILD_SMALL_WIDEN_HALF(__x.x), KBUILD_SMALL_WIDEN_HALF(__x.y)), __saturate,
        __kind);
}
KBUILD_SMALL_FUNCTION __hip_fp8x2_storage_t
__hip_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw __x, const __hip_saturation_t __saturate,
                                const __hip_fp8_interpretation_t __kind) {
    return __hip_cvt_float2_to_fp8x2(
        make_float2(KBUILD_SMALL_WIDEN_BFLOAT16(__x.x), KBUILD_SMALL_WIDEN_BFLOAT16(__x.y)),
        __saturate, __kind);
}
KBUILD_SMALL_FUNCTION __half2_raw __hip_cvt_fp8x2_to_halfraw2(
    const __hip_fp8x2_storage_t __x, const __hip_fp8_interpretation_t __kind) {
    __half2_raw __result;
    __result.x = __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(__x & 0xFF), __kind).x;
    __result.y = __hip_cvt_fp8_to_halfraw(static_cast<__hip_fp8_storage_t>(__x >> 8), __kind).x;
    return __result;
}

#endif
#endif
