/* The formats with 8, 6, and 4 bits, as functions on bits and as classes that the vendor's classes
 * derive from. */
#ifndef KBUILD_CPU_SMALL_FLOATS_BYTE_FORMATS_H
#define KBUILD_CPU_SMALL_FLOATS_BYTE_FORMATS_H

#pragma GCC system_header

namespace kbuild_small {

/* What numbers, pairs of numbers, and four numbers are stored in.  Those with 6 bits take a byte. */
struct byte_storage {
    static constexpr int width = 8;
    typedef unsigned char one;
    typedef unsigned short two;
    typedef unsigned int four;
};
struct nibble_storage {
    static constexpr int width = 4;
    typedef unsigned char one;
    typedef unsigned char two;
    typedef unsigned short four;
};

/* Returns a number with these bits of exponent and fraction. */
template <int __Fraction, int __Bias>
KBUILD_SMALL_FUNCTION float widen_byte(unsigned int __size, bool __is_negative) {
    const float __unit = 1.0f / static_cast<float>(1 << (__Bias - 1 + __Fraction));
    const float __small = static_cast<float>(static_cast<int>(__size)) * __unit;
    const unsigned int __bias = static_cast<unsigned int>(127 - __Bias) << 23;
    const float __normal = cast_bits<float>((__size << (23 - __Fraction)) + __bias);
    const float __made = __size >> __Fraction ? __normal : __small;
    return __is_negative ? -__made : __made;
}

/* A format with NaNs.  Larger numbers than __Largest become it or __Overflow. */
template <int __Fraction, int __Bias, unsigned int __Largest, unsigned int __Overflow>
struct fp8_format : byte_storage {
    static inline unsigned char encode(float __x, bool __saturates = true) {
        const unsigned int __bits = cast_bits<unsigned int>(__x);
        const unsigned int __size = __bits & 0x7FFFFFFF;
        if (__size > 0x7F800000) return 0x7F;
        unsigned int __made = narrow_size<__Fraction, __Bias>(__size, round_nearest, false);
        if (__made > __Largest) __made = __saturates ? __Largest : __Overflow;
        return static_cast<unsigned char>(__made | (__bits >> 24 & 0x80));
    }
    static inline float decode(unsigned int __bits) {
        const unsigned int __size = __bits & 0x7F;
        const float __value = widen_byte<__Fraction, __Bias>(__size, __bits & 0x80);
        if (__size <= __Largest) return __value;
        const unsigned int __infinity = 0x7F800000u | (__bits & 0x80) << 24;
        return cast_bits<float>(__size == __Overflow && __Overflow < 0x7F ? __infinity
                                                                          : 0x7FFFFFFFu);
    }
    static inline bool is_nonzero(unsigned char __bits) { return (__bits & 0x7F) != 0; }
};
typedef fp8_format<3, 7, 0x7E, 0x7F> e4m3_format;
typedef fp8_format<2, 15, 0x7B, 0x7C> e5m2_format;

/* A format with finite numbers only.  Larger numbers become the largest one, as does a NaN. */
template <int __Fraction, int __Bias, unsigned int __Largest, class __Storage>
struct finite_format : __Storage {
    static inline unsigned char encode(float __x, rounding __mode) {
        const unsigned int __bits = cast_bits<unsigned int>(__x);
        const unsigned int __size = __bits & 0x7FFFFFFF;
        if (__size > 0x7F800000) return __Largest;
        const unsigned int __made = narrow_size<__Fraction, __Bias>(__size, __mode, __bits >> 31);
        const unsigned int __sign = __bits >> 31 ? __Largest + 1 : 0;
        return static_cast<unsigned char>((__made > __Largest ? __Largest : __made) | __sign);
    }
    static inline unsigned char encode(float __x) { return encode(__x, round_nearest); }
    static inline float decode(unsigned int __bits) {
        return widen_byte<__Fraction, __Bias>(__bits & __Largest, __bits & (__Largest + 1));
    }
    static inline bool is_nonzero(unsigned char __bits) { return (__bits & __Largest) != 0; }
};
typedef finite_format<3, 1, 0x1F, byte_storage> e2m3_format;
typedef finite_format<2, 3, 0x1F, byte_storage> e3m2_format;
typedef finite_format<1, 1, 0x7, nibble_storage> e2m1_format;

/* Powers of two.  There is no sign, and no zero. */
struct e8m0_format : byte_storage {
    static inline unsigned char encode(float __x, bool __saturates = true, bool __is_up = true) {
        const unsigned int __size = cast_bits<unsigned int>(__x) & 0x7FFFFFFF;
        const bool __is_inexact =
            (__size & 0x7FFFFF) != 0 && __size > 0x400000 && __size < 0x7F800000;
        const unsigned int __made = (__size >> 23) + (__is_up && __is_inexact);
        const bool __is_limited = __saturates && __size <= 0x7F800000 && __made > 0xFE;
        return static_cast<unsigned char>(__is_limited ? 0xFE : __made);
    }
    static inline float decode(unsigned int __bits) {
        const unsigned int __byte = __bits & 0xFF;
        return cast_bits<float>(__byte == 0xFF ? 0x7FFFFFFFu
                                : __byte == 0  ? 0x400000u
                                               : __byte << 23);
    }
    static inline bool is_nonzero(unsigned char) { return true; }
};

KBUILD_SMALL_FUNCTION float widen(const __half &__x) { return widen<half_format>(__x); }
KBUILD_SMALL_FUNCTION float widen(const __nv_bfloat16 &__x) { return widen<bfloat16_format>(__x); }

/* Two numbers.  The first one is in the lower bits. */
template <class __Format>
KBUILD_SMALL_FUNCTION typename __Format::two encode_pair(float __low, float __high) {
    return static_cast<typename __Format::two>(__Format::encode(__low) | __Format::encode(__high)
                                                                             << __Format::width);
}
template <class __Format>
KBUILD_SMALL_FUNCTION float2 decode_pair(unsigned int __bits) {
    return make_float2(__Format::decode(__bits), __Format::decode(__bits >> __Format::width));
}

template <class __Format>
struct fp8 {
    typename __Format::one __x;

    fp8() = default;
#if !defined(__CUDA_NO_FP8_CONVERSIONS__)
    KBUILD_SMALL_MEMBER explicit fp8(const __half __f) : __x(__Format::encode(widen(__f))) {}
    KBUILD_SMALL_MEMBER explicit fp8(const __nv_bfloat16 __f) : __x(__Format::encode(widen(__f))) {}
    KBUILD_SMALL_MEMBER explicit fp8(const float __f) : __x(__Format::encode(__f)) {}
#define KBUILD_SMALL_FROM(type) \
    KBUILD_SMALL_MEMBER explicit fp8(const type __f) : __x(__Format::encode(round_to_odd(__f))) {}
    KBUILD_SMALL_FROM(double)
    KBUILD_SMALL_SOURCES(KBUILD_SMALL_FROM)
#undef KBUILD_SMALL_FROM
#if !defined(__CUDA_NO_FP8_CONVERSION_OPERATORS__)
    KBUILD_SMALL_MEMBER explicit operator float() const { return __Format::decode(__x); }
    KBUILD_SMALL_MEMBER explicit operator double() const { return __Format::decode(__x); }
    KBUILD_SMALL_MEMBER explicit operator __half() const {
        return __float2half_rn(__Format::decode(__x));
    }
    KBUILD_SMALL_MEMBER explicit operator __nv_bfloat16() const {
        return __float2bfloat16_rn(__Format::decode(__x));
    }
#define KBUILD_SMALL_TO(integer) \
    KBUILD_SMALL_MEMBER explicit operator integer() const { \
        return to_integer<integer>(__Format::decode(__x), round_zero); \
    }
    KBUILD_SMALL_TARGETS(KBUILD_SMALL_TO)
#undef KBUILD_SMALL_TO
    KBUILD_SMALL_MEMBER explicit operator bool() const { return __Format::is_nonzero(__x); }
#endif
#endif
};

template <class __Format>
struct __attribute__((aligned(sizeof(typename __Format::two)))) fp8x2 {
    typename __Format::two __x;

    fp8x2() = default;
#if !defined(__CUDA_NO_FP8_CONVERSIONS__)
    KBUILD_SMALL_MEMBER explicit fp8x2(const __half2 __f)
        : __x(encode_pair<__Format>(widen(__f.x), widen(__f.y))) {}
    KBUILD_SMALL_MEMBER explicit fp8x2(const __nv_bfloat162 __f)
        : __x(encode_pair<__Format>(widen(__f.x), widen(__f.y))) {}
    KBUILD_SMALL_MEMBER explicit fp8x2(const float2 __f)
        : __x(encode_pair<__Format>(__f.x, __f.y)) {}
    KBUILD_SMALL_MEMBER explicit fp8x2(const double2 __f)
        : __x(encode_pair<__Format>(round_to_odd(__f.x), round_to_odd(__f.y))) {}
#if !defined(__CUDA_NO_FP8_CONVERSION_OPERATORS__)
    KBUILD_SMALL_MEMBER explicit operator float2() const { return decode_pair<__Format>(__x); }
    KBUILD_SMALL_MEMBER explicit operator __half2() const {
        return __float22half2_rn(decode_pair<__Format>(__x));
    }
#endif
#endif
};

template <class __Format>
struct __attribute__((aligned(sizeof(typename __Format::four)))) fp8x4 {
    typename __Format::four __x;

    fp8x4() = default;
#if !defined(__CUDA_NO_FP8_CONVERSIONS__)
    KBUILD_SMALL_MEMBER explicit fp8x4(const __half2 __low, const __half2 __high)
        : fp8x4(fp8x2<__Format>(__low), fp8x2<__Format>(__high)) {}
    KBUILD_SMALL_MEMBER explicit fp8x4(const __nv_bfloat162 __low, const __nv_bfloat162 __high)
        : fp8x4(fp8x2<__Format>(__low), fp8x2<__Format>(__high)) {}
    KBUILD_SMALL_MEMBER explicit fp8x4(const float4 __f)
        : fp8x4(fp8x2<__Format>(make_float2(__f.x, __f.y)),
                fp8x2<__Format>(make_float2(__f.z, __f.w))) {}
    KBUILD_SMALL_MEMBER explicit fp8x4(const double4 __f)
        : fp8x4(fp8x2<__Format>(make_double2(__f.x, __f.y)),
                fp8x2<__Format>(make_double2(__f.z, __f.w))) {}
#if !defined(__CUDA_NO_FP8_CONVERSION_OPERATORS__)
    KBUILD_SMALL_MEMBER explicit operator float4() const {
        const float2 __low = decode_pair<__Format>(__x);
        const float2 __high =
            decode_pair<__Format>(static_cast<unsigned int>(__x) >> 2 * __Format::width);
        return make_float4(__low.x, __low.y, __high.x, __high.y);
    }
#endif

private:
    KBUILD_SMALL_MEMBER fp8x4(const fp8x2<__Format> __low, const fp8x2<__Format> __high)
        : __x(static_cast<typename __Format::four>(__low.__x | static_cast<unsigned int>(__high.__x)
                                                                   << 2 * __Format::width)) {}
#endif
};

}  // namespace kbuild_small

#endif
