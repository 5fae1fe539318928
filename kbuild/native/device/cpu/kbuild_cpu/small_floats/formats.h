/* Conversions between float and the 16-bit formats, as functions on bits.
 *
 * For host code in C++11 and later, and for device code.  Conversions are portable integer code that
 * compilers can vectorize.  Where the processor converts half precision itself, it does. */
#ifndef KBUILD_CPU_SMALL_FLOATS_FORMATS_H
#define KBUILD_CPU_SMALL_FLOATS_FORMATS_H

#pragma GCC system_header

/* No object defines a symbol for these functions, as for the rest of the vendor's API. */
#define KBUILD_SMALL_FUNCTION static inline
#define KBUILD_SMALL_MEMBER __attribute__((always_inline, visibility("hidden")))

/* Expands to X(type) for each integer type that the vendor's classes convert to, or convert from.
 * clang-format would indent the types as calls. */
/* clang-format off */
#define KBUILD_SMALL_SOURCES(X) \
    X(short) X(unsigned short) X(int) X(unsigned int) X(long) X(unsigned long) X(long long) \
    X(unsigned long long)
#define KBUILD_SMALL_TARGETS(X) X(char) X(signed char) X(unsigned char) KBUILD_SMALL_SOURCES(X)
/* clang-format on */

/* The type with the processor's own conversions, if there is one. */
#if (defined(__F16C__) || defined(KBUILD_CPU_F16C)) && defined(__FLT16_MAX__)
#define KBUILD_SMALL_NATIVE_HALF _Float16
#elif defined(__aarch64__)
#define KBUILD_SMALL_NATIVE_HALF __fp16
#endif

namespace kbuild_small {

enum rounding { round_nearest, round_zero, round_down, round_up };

template <class __To, class __From>
KBUILD_SMALL_FUNCTION __To cast_bits(const __From &__from) {
    static_assert(sizeof(__To) == sizeof(__From),
                  "kbuild: a cast between types of different sizes");
    __To __to;
    __builtin_memcpy(&__to, &__from, sizeof __to);
    return __to;
}

/* Rounds to odd: to the neighbor whose last bit is set, unless the value is exact.  Rounding the
 * result again, to a format that has at least two bits less, then gives the same as rounding once. */
KBUILD_SMALL_FUNCTION float round_to_odd(double __x) {
    const float __near = static_cast<float>(__x);
    const double __back = __near;
    const unsigned int __bits = cast_bits<unsigned int>(__near);
    const bool __is_exact = !(__back < __x || __back > __x);
    const unsigned int __step = __builtin_fabs(__back) < __builtin_fabs(__x) ? 1u : -1u;
    return cast_bits<float>(__bits + (__is_exact || (__bits & 1) ? 0u : __step));
}

/* Converts integers to float, rounding to odd. */
KBUILD_SMALL_FUNCTION float round_to_odd(unsigned long long __x) {
    const unsigned long long __sticky = (__x & 0x7FF) != 0 ? 0x800 : 0;
    return round_to_odd(static_cast<double>(__x >> 53 ? (__x & ~0x7FFull) | __sticky : __x));
}
KBUILD_SMALL_FUNCTION float round_to_odd(long long __x) {
    const unsigned long long __size = static_cast<unsigned long long>(__x);
    return __x < 0 ? -round_to_odd(0 - __size) : round_to_odd(__size);
}
KBUILD_SMALL_FUNCTION float round_to_odd(unsigned long __x) {
    return round_to_odd(static_cast<unsigned long long>(__x));
}
KBUILD_SMALL_FUNCTION float round_to_odd(long __x) {
    return round_to_odd(static_cast<long long>(__x));
}
KBUILD_SMALL_FUNCTION float round_to_odd(unsigned int __x) {
    return round_to_odd(static_cast<double>(__x));
}
KBUILD_SMALL_FUNCTION float round_to_odd(int __x) { return round_to_odd(static_cast<double>(__x)); }

/* Rounds the bits of a finite float without its sign to fewer bits of fraction and another bias of
 * the exponent.  The result has an exponent as large as needed, so the caller handles overflow. */
template <int __Fraction, int __Bias>
KBUILD_SMALL_FUNCTION unsigned int narrow_size(unsigned int __size, rounding __mode,
                                               bool __is_negative) {
    constexpr int __Dropped = 23 - __Fraction;
    constexpr int __Lowest = 128 - __Bias; /* The exponent field of the smallest normal number. */
    const int __exponent = static_cast<int>(__size >> 23);
    unsigned int __kept, __rest, __tie;
    if (__Lowest > 1 && __exponent < __Lowest) {
        const int __wanted = __Dropped + __Lowest - (__exponent ? __exponent : 1);
        const int __shift = __wanted < 26 ? __wanted : 26;
        const unsigned int __digits = (__size & 0x7FFFFF) | (__exponent ? 0x800000 : 0);
        __kept = __digits >> __shift;
        __rest = __digits & ((1u << __shift) - 1);
        __tie = 1u << (__shift - 1);
    } else {
        __kept = (__size - (static_cast<unsigned int>(__Lowest - 1) << 23)) >> __Dropped;
        __rest = __size & ((1u << __Dropped) - 1);
        __tie = 1u << (__Dropped - 1);
    }
    const bool __is_up = __mode == round_nearest
                             ? __rest > __tie || (__rest == __tie && (__kept & 1))
                         : __mode == round_down ? __is_negative && __rest
                         : __mode == round_up   ? !__is_negative && __rest
                                                : false;
    return __kept + __is_up;
}

/* Rounds a float to a 16-bit format with infinities. */
template <int __Fraction, int __Bias>
KBUILD_SMALL_FUNCTION unsigned short narrow(float __x, rounding __mode) {
    constexpr unsigned int __Infinity = 0x7FFFu >> __Fraction << __Fraction;
    const unsigned int __bits = cast_bits<unsigned int>(__x);
    const unsigned int __size = __bits & 0x7FFFFFFF;
    const bool __is_negative = __bits >> 31;
    if (__size > 0x7F800000) return 0x7FFF;
    unsigned int __made = __Infinity;
    if (__size < 0x7F800000) {
        __made = narrow_size<__Fraction, __Bias>(__size, __mode, __is_negative);
        const bool __is_inward = __mode == round_zero || (__mode == round_down && !__is_negative) ||
                                 (__mode == round_up && __is_negative);
        if (__made >= __Infinity) __made = __Infinity - __is_inward;
    }
    return static_cast<unsigned short>(__made | (__bits >> 16 & 0x8000));
}

struct half_format {
    static constexpr unsigned short infinity = 0x7C00, one = 0x3C00;
    typedef float
        product; /* Holds products and quotients so that rounding them again is correct. */

    static inline float widen(unsigned short __bits) {
#if defined(KBUILD_SMALL_NATIVE_HALF)
        return cast_bits<KBUILD_SMALL_NATIVE_HALF>(__bits);
#else
        /* Subnormal numbers are multiples of 2^-24, and get there through a float that has the same
         * unit in the last place. */
        const unsigned int __size = __bits & 0x7FFF;
        const unsigned int __special = __size >= infinity ? 0x38000000u : 0u;
        const unsigned int __normal = (__size << 13) + 0x38000000u + __special;
        const float __small = cast_bits<float>((__size << 13) + 0x38800000u) - 6.103515625e-05f;
        const unsigned int __made = __size < 0x400 ? cast_bits<unsigned int>(__small) : __normal;
        return cast_bits<float>(__made | (__bits & 0x8000u) << 16);
#endif
    }

    static inline unsigned short round(float __x) {
#if defined(KBUILD_SMALL_NATIVE_HALF)
        const KBUILD_SMALL_NATIVE_HALF __half = static_cast<KBUILD_SMALL_NATIVE_HALF>(__x);
        const bool __is_nan = (cast_bits<unsigned int>(__x) & 0x7FFFFFFF) > 0x7F800000;
        return __is_nan ? 0x7FFF : cast_bits<unsigned short>(__half);
#else
        const unsigned int __bits = cast_bits<unsigned int>(__x);
        const unsigned int __size = __bits & 0x7FFFFFFF;
        /* The addition rounds at the last place of subnormal numbers. */
        const unsigned int __small =
            cast_bits<unsigned int>(cast_bits<float>(__size) + 0.5f) - 0x3F000000u;
        const unsigned int __normal = (__size - 0x37FFF001u + (__size >> 13 & 1)) >> 13;
        unsigned int __made = __size < 0x38800000 ? __small : __normal;
        __made = __size >= 0x477FF000 ? infinity : __made;
        __made = __size > 0x7F800000 ? 0x7FFF : __made | (__bits >> 16 & 0x8000);
        return static_cast<unsigned short>(__made);
#endif
    }
    static inline unsigned short round(double __x) { return round(round_to_odd(__x)); }
    static inline unsigned short round(float __x, rounding __mode) {
        return narrow<10, 15>(__x, __mode);
    }

    /* The sum can be inexact in double, but never close to a number that decides about rounding. */
    static inline unsigned short multiply_add(float __a, float __b, float __c) {
        return round(static_cast<double>(__a) * static_cast<double>(__b) +
                     static_cast<double>(__c));
    }
};

struct bfloat16_format {
    static constexpr unsigned short infinity = 0x7F80, one = 0x3F80;
    typedef double product; /* In float, small products would be rounded as subnormal numbers. */

    static inline float widen(unsigned short __bits) {
        return cast_bits<float>(static_cast<unsigned int>(__bits) << 16);
    }

    static inline unsigned short round(float __x) {
        const unsigned int __bits = cast_bits<unsigned int>(__x);
        const unsigned int __made = (__bits + 0x7FFF + (__bits >> 16 & 1)) >> 16;
        return static_cast<unsigned short>((__bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFF : __made);
    }
    static inline unsigned short round(double __x) { return round(round_to_odd(__x)); }
    static inline unsigned short round(float __x, rounding __mode) {
        return narrow<7, 127>(__x, __mode);
    }

    /* Sums of very different numbers are inexact in double, so they are rounded to odd. */
    static inline unsigned short multiply_add(float __a, float __b, float __c) {
        const double __product = static_cast<double>(__a) * static_cast<double>(__b);
        const double __addend = __c;
        const double __sum = __product + __addend;
        const double __part = __sum - __product;
        const double __error = (__product - (__sum - __part)) + (__addend - __part);
        const unsigned long long __bits = cast_bits<unsigned long long>(__sum);
        const bool __is_exact = !(__error < 0 || __error > 0);
        const unsigned long long __step = (__error > 0) == (__sum > 0) ? 1ull : -1ull;
        return round(cast_bits<double>(__bits + (__is_exact || (__bits & 1) ? 0ull : __step)));
    }
};

/* Converts to an integer as the GPU does: out of range saturates, and a NaN is 0, or the lowest
 * number of a 64-bit type. */
template <class __Integer>
KBUILD_SMALL_FUNCTION __Integer to_integer(float __x, rounding __mode) {
    constexpr bool __has_sign = static_cast<__Integer>(-1) < static_cast<__Integer>(0);
    constexpr int __digits = static_cast<int>(sizeof(__Integer)) * 8 - (__has_sign ? 1 : 0);
    constexpr unsigned long long __top = 1ull << (__digits - 1);
    constexpr __Integer __largest = static_cast<__Integer>(__top - 1 + __top);
    constexpr __Integer __smallest =
        __has_sign ? static_cast<__Integer>(-__largest - 1) : static_cast<__Integer>(0);
    const float __rounded = __mode == round_nearest ? __builtin_rintf(__x)
                            : __mode == round_down  ? __builtin_floorf(__x)
                            : __mode == round_up    ? __builtin_ceilf(__x)
                                                    : __builtin_truncf(__x);
    if (__x != __x)
        return sizeof(__Integer) < 8 ? static_cast<__Integer>(0)
                                     : static_cast<__Integer>(0x8000000000000000ull);
    if (__rounded >= 2.0f * static_cast<float>(__top)) return __largest;
    if (__rounded < static_cast<float>(__smallest)) return __smallest;
    return static_cast<__Integer>(__rounded);
}

/* Functions on the classes that hold these bits. */
template <class __Format, class __T>
KBUILD_SMALL_FUNCTION float widen(const __T &__x) {
    return __Format::widen(cast_bits<unsigned short>(__x));
}
template <class __Format, class __T, class __From>
KBUILD_SMALL_FUNCTION __T round(__From __x) {
    return cast_bits<__T>(__Format::round(__x));
}
template <class __Format, class __T>
KBUILD_SMALL_FUNCTION bool is_nan(const __T &__x) {
    return (cast_bits<unsigned short>(__x) & 0x7FFF) > __Format::infinity;
}

/* The larger number, or the smaller one.  A zero with a sign is smaller than one without. */
template <class __Format, class __T>
KBUILD_SMALL_FUNCTION __T choose(const __T &__a, const __T &__b, bool __is_larger,
                                 bool __keeps_nan) {
    const bool __a_is_nan = is_nan<__Format>(__a), __b_is_nan = is_nan<__Format>(__b);
    if ((__a_is_nan && __b_is_nan) || (__keeps_nan && (__a_is_nan || __b_is_nan)))
        return cast_bits<__T>(static_cast<unsigned short>(0x7FFF));
    if (__a_is_nan || __b_is_nan) return __a_is_nan ? __b : __a;
    const float __x = widen<__Format>(__a), __y = widen<__Format>(__b);
    const bool __a_is_larger = __x > __y || (__x == __y && !__builtin_signbit(__x));
    return __a_is_larger == __is_larger ? __a : __b;
}

/* Limits to the interval from 0 to 1; a NaN is 0. */
template <class __Format, class __T>
KBUILD_SMALL_FUNCTION __T saturate(const __T &__x) {
    const float __value = widen<__Format>(__x);
    if (__value > 0.0f && __value < 1.0f) return __x;
    const unsigned short __limit = __value >= 1.0f ? __Format::one : 0;
    return cast_bits<__T>(__limit);
}

}  // namespace kbuild_small

#endif
