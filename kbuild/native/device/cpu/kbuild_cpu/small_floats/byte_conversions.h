/* Definitions of the functions and classes of the formats that fit in a byte. */
#ifndef KBUILD_CPU_SMALL_FLOATS_BYTE_CONVERSIONS_H
#define KBUILD_CPU_SMALL_FLOATS_BYTE_CONVERSIONS_H

#pragma GCC system_header

#define KBUILD_SMALL_WIDEN_HALF(bits) kbuild_small::half_format::widen(bits)
#define KBUILD_SMALL_WIDEN_BFLOAT16(bits) kbuild_small::bfloat16_format::widen(bits)

/* A conversion of a number or of a pair, with two options, by the conversion of a float. */
#define KBUILD_SMALL_NARROW(name, type, number, first, second, value) \
    KBUILD_SMALL_FUNCTION __nv_##number##_storage_t name(const type __x, const first __first, \
                                                         const second __second) { \
        return __nv_cvt_float_to_##number(value, __first, __second); \
    }
#define KBUILD_SMALL_NARROW2(name, type, number, pair, width, first, second, low, high) \
    KBUILD_SMALL_FUNCTION __nv_##pair##_storage_t name(const type __x, const first __first, \
                                                       const second __second) { \
        return static_cast<__nv_##pair##_storage_t>( \
            __nv_cvt_float_to_##number(low, __first, __second) | \
            __nv_cvt_float_to_##number(high, __first, __second) << width); \
    }

/* The conversions to a format from double, from half precision, and from bfloat16. */
#define KBUILD_SMALL_FROM_DOUBLE(number, pair, width, first, second) \
    KBUILD_SMALL_NARROW2(__nv_cvt_float2_to_##pair, float2, number, pair, width, first, second, \
                         __x.x, __x.y) \
    KBUILD_SMALL_NARROW(__nv_cvt_double_to_##number, double, number, first, second, \
                        kbuild_small::round_to_odd(__x)) \
    KBUILD_SMALL_NARROW2(__nv_cvt_double2_to_##pair, double2, number, pair, width, first, second, \
                         kbuild_small::round_to_odd(__x.x), kbuild_small::round_to_odd(__x.y))
#define KBUILD_SMALL_FROM_HALF(number, pair, width, first, second) \
    KBUILD_SMALL_NARROW(__nv_cvt_halfraw_to_##number, __half_raw, number, first, second, \
                        KBUILD_SMALL_WIDEN_HALF(__x.x)) \
    KBUILD_SMALL_NARROW2(__nv_cvt_halfraw2_to_##pair, __half2_raw, number, pair, width, first, \
                         second, KBUILD_SMALL_WIDEN_HALF(__x.x), KBUILD_SMALL_WIDEN_HALF(__x.y))
#define KBUILD_SMALL_FROM_BFLOAT16(name2, number, pair, width, first, second) \
    KBUILD_SMALL_NARROW(__nv_cvt_bfloat16raw_to_##number, __nv_bfloat16_raw, number, first, \
                        second, KBUILD_SMALL_WIDEN_BFLOAT16(__x.x)) \
    KBUILD_SMALL_NARROW2(name2, __nv_bfloat162_raw, number, pair, width, first, second, \
                         KBUILD_SMALL_WIDEN_BFLOAT16(__x.x), KBUILD_SMALL_WIDEN_BFLOAT16(__x.y))

/* The conversions from one of two formats to half precision. */
#define KBUILD_SMALL_TO_HALF(number, pair, width, interpretation, first_kind, first, second) \
    KBUILD_SMALL_FUNCTION __half_raw __nv_cvt_##number##_to_halfraw( \
        const __nv_##number##_storage_t __x, const interpretation __kind) { \
        return __float2half_rn(__kind == first_kind ? kbuild_small::first::decode(__x) \
                                                    : kbuild_small::second::decode(__x)); \
    } \
    KBUILD_SMALL_FUNCTION __half2_raw __nv_cvt_##pair##_to_halfraw2( \
        const __nv_##pair##_storage_t __x, const interpretation __kind) { \
        return __half2_raw{ \
            __nv_cvt_##number##_to_halfraw(static_cast<__nv_##number##_storage_t>(__x), __kind).x, \
            __nv_cvt_##number##_to_halfraw(static_cast<__nv_##number##_storage_t>(__x >> width), \
                                           __kind) \
                .x}; \
    }

/* A class of the vendor. */
#define KBUILD_SMALL_BYTE_CLASS(name, base, format) \
    struct name : kbuild_small::base<kbuild_small::format> { \
        using kbuild_small::base<kbuild_small::format>::base; \
        name() = default; \
    };

#endif
