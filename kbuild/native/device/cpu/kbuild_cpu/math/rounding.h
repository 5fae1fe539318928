/* Arithmetic with an explicit rounding mode: __fadd_rz, __dmul_ru, and so on.
 *
 * Device code always runs in the mode that rounds to nearest.  A function for another mode rounds to
 * nearest, computes the sign of the rounding error exactly, and moves the result to its neighbor if it
 * lies on the wrong side.  The error of a float is computed in double.  That of a double is computed
 * with a fused multiplication, or with the two-sum of Knuth.  Where these could overflow or underflow,
 * a wider type computes it, which is slow. */
#ifndef KBUILD_CPU_MATH_ROUNDING_H
#define KBUILD_CPU_MATH_ROUNDING_H

#include "../qualifiers.h"
#include "../traits.h"

#include <math.h>
#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu {

/* A type with at least twice the digits of double.  The compiler's library computes with it. */
#if __LDBL_MANT_DIG__ == 113
using quad = long double;
#else
using quad = __float128;
#endif
/* The product of two numbers is exact in the wider type, and never overflows or underflows. */
template <class __T>
using wider_t = conditional_t<sizeof(__T) == sizeof(float), double, quad>;

enum class rounding { downward, upward, to_zero };

/* Prevents the compiler from fusing the operation that computes the value with another one. */
template <class __T>
__device__ inline __T unfused(__T __value) {
#if !defined(__clang__)
#if __GNUC__ >= 12
    return __builtin_assoc_barrier(__value);
#elif defined(__x86_64__)
    __asm__("" : "+x"(__value));
#elif defined(__aarch64__)
    __asm__("" : "+w"(__value));
#endif
#endif
    return __value; /* clang fuses only within one expression. */
}

/* Returns the next number in a direction, also from and to an infinity. */
template <class __T>
__device__ inline __T neighbor(__T __value, bool __upward) {
    using __Bits = conditional_t<sizeof(__T) == 4, unsigned int, unsigned long long>;
    __Bits __bits;
    memcpy(&__bits, &__value, sizeof __bits);
    if (__value == 0)
        __bits = __upward ? 1 : (__Bits(1) << (8 * sizeof __bits - 1)) + 1;
    else
        __bits += (__value > 0) == __upward ? 1 : -1;
    memcpy(&__value, &__bits, sizeof __bits);
    return __value;
}

/* Rounds a number in the given direction.  __nearest is the number rounded to nearest.  __rest has
 * the sign of the number minus __nearest, and is 0 or NaN if there is no rounding error. */
template <rounding __mode, class __T, class __Rest>
__device__ inline __T rounded(__T __nearest, __Rest __rest) {
    if (__rest < 0 &&
        (__mode == rounding::downward || (__mode == rounding::to_zero && __nearest > 0)))
        return neighbor(__nearest, false);
    if (__rest > 0 &&
        (__mode == rounding::upward || (__mode == rounding::to_zero && __nearest < 0)))
        return neighbor(__nearest, true);
    return __nearest;
}

/* Rounds __a + __b, which __nearest is to nearest. */
template <rounding __mode, class __T>
__device__ inline __T rounded_sum(__T __nearest, wider_t<__T> __a, wider_t<__T> __b) {
    using __Wide = wider_t<__T>;
    const __Wide __sum = __a + __b;
    __Wide __rest = __sum - __nearest;
    if (__rest == 0) { /* The error of the wide sum decides, which the larger term makes exact. */
        const bool __a_is_larger = (__a < 0 ? -__a : __a) > (__b < 0 ? -__b : __b);
        __rest = __a_is_larger ? __b - (__sum - __a) : __a - (__sum - __b);
        if (__mode == rounding::downward && __rest == 0 && __nearest == 0 &&
            __builtin_signbit(static_cast<__T>(__a)) != __builtin_signbit(static_cast<__T>(__b)))
            return static_cast<__T>(-0.0);
    }
    return rounded<__mode>(__nearest, __rest);
}

/* Returns whether the products in the error of a double neither overflow nor underflow.  __size is the
 * result of a multiplication, or the number that is divided or whose root is taken. */
__device__ inline bool is_moderate(double __size) {
    const double __absolute = __size < 0 ? -__size : __size;
    return __absolute > 0x1p-900 && __absolute < 0x1p1000;
}

/* Rounds __x + __y.  The sum of two numbers is exact if it is subnormal. */
template <rounding __mode, class __T>
__device__ inline __T rounded_sum_of_two(__T __a, __T __b) {
    const __T __x = unfused(__a), __y = unfused(__b);
    const __T __nearest = unfused(__x + __y);
    if constexpr (sizeof(__T) == sizeof(double)) {
        if (is_moderate(__nearest)) {
            const __T __added = unfused(__nearest - __x);
            const __T __kept = unfused(__nearest - __added);
            const __T __rest = unfused(__x - __kept) + unfused(__y - __added);
            return rounded<__mode>(__nearest, __rest);
        }
    }
    return rounded_sum<__mode>(__nearest, __x, __y);
}

template <rounding __mode, class __T>
__device__ inline __T rounded_product(__T __x, __T __y) {
    const __T __nearest = unfused(__x * __y);
    if constexpr (sizeof(__T) == sizeof(double))
        if (is_moderate(__nearest))
            return rounded<__mode>(__nearest, __builtin_fma(__x, __y, -__nearest));
    return rounded<__mode>(__nearest, wider_t<__T>(__x) * __y - __nearest);
}
template <rounding __mode, class __T>
__device__ inline __T rounded_quotient(__T __x, __T __y) {
    const __T __nearest = __x / __y;
    if constexpr (sizeof(__T) == sizeof(double)) {
        if (is_moderate(__x) && is_moderate(__nearest)) {
            const __T __rest = __builtin_fma(-__nearest, __y, __x);
            return rounded<__mode>(__nearest, __y < 0 ? -__rest : __rest);
        }
    }
    const wider_t<__T> __rest = __x - wider_t<__T>(__nearest) * __y;
    return rounded<__mode>(__nearest, __y < 0 ? -__rest : __rest);
}
template <rounding __mode, class __T>
__device__ inline __T rounded_root(__T __nearest, __T __x) {
    if constexpr (sizeof(__T) == sizeof(double))
        if (is_moderate(__x))
            return rounded<__mode>(__nearest, __builtin_fma(-__nearest, __nearest, __x));
    return rounded<__mode>(__nearest, __x - wider_t<__T>(__nearest) * __nearest);
}

}  // namespace kbuild_cpu

/* The functions of one type, to nearest.  They never become part of a fused operation. */
#define KBUILD_CPU_NEAREST(T, f, fma_name, fma_of_type, sqrt_of_type) \
    __device__ inline T __##f##add_rn(T __x, T __y) { \
        return kbuild_cpu::unfused(kbuild_cpu::unfused(__x) + kbuild_cpu::unfused(__y)); \
    } \
    __device__ inline T __##f##sub_rn(T __x, T __y) { \
        return kbuild_cpu::unfused(kbuild_cpu::unfused(__x) - kbuild_cpu::unfused(__y)); \
    } \
    __device__ inline T __##f##mul_rn(T __x, T __y) { return kbuild_cpu::unfused(__x * __y); } \
    __device__ inline T __##f##div_rn(T __x, T __y) { return __x / __y; } \
    __device__ inline T __##f##rcp_rn(T __x) { return 1 / __x; } \
    __device__ inline T __##f##sqrt_rn(T __x) { return sqrt_of_type(__x); } \
    __device__ inline T fma_name##_rn(T __x, T __y, T __z) { return fma_of_type(__x, __y, __z); }

#define KBUILD_CPU_ROUNDED(T, f, fma_name, suffix, direction) \
    __device__ inline T __##f##add_##suffix(T __x, T __y) { \
        return kbuild_cpu::rounded_sum_of_two<kbuild_cpu::rounding::direction>(__x, __y); \
    } \
    __device__ inline T __##f##sub_##suffix(T __x, T __y) { \
        return kbuild_cpu::rounded_sum_of_two<kbuild_cpu::rounding::direction>(__x, -__y); \
    } \
    __device__ inline T __##f##mul_##suffix(T __x, T __y) { \
        return kbuild_cpu::rounded_product<kbuild_cpu::rounding::direction>(__x, __y); \
    } \
    __device__ inline T __##f##div_##suffix(T __x, T __y) { \
        return kbuild_cpu::rounded_quotient<kbuild_cpu::rounding::direction>(__x, __y); \
    } \
    __device__ inline T __##f##rcp_##suffix(T __x) { \
        return kbuild_cpu::rounded_quotient<kbuild_cpu::rounding::direction>(T(1), __x); \
    } \
    __device__ inline T __##f##sqrt_##suffix(T __x) { \
        return kbuild_cpu::rounded_root<kbuild_cpu::rounding::direction>(__##f##sqrt_rn(__x), \
                                                                         __x); \
    } \
    __device__ inline T fma_name##_##suffix(T __x, T __y, T __z) { \
        return kbuild_cpu::rounded_sum<kbuild_cpu::rounding::direction>( \
            fma_name##_rn(__x, __y, __z), kbuild_cpu::wider_t<T>(__x) * __y, __z); \
    }

KBUILD_CPU_NEAREST(float, f, __fmaf, fmaf, sqrtf)
KBUILD_CPU_ROUNDED(float, f, __fmaf, rd, downward)
KBUILD_CPU_ROUNDED(float, f, __fmaf, ru, upward)
KBUILD_CPU_ROUNDED(float, f, __fmaf, rz, to_zero)
KBUILD_CPU_NEAREST(double, d, __fma, fma, sqrt)
KBUILD_CPU_ROUNDED(double, d, __fma, rd, downward)
KBUILD_CPU_ROUNDED(double, d, __fma, ru, upward)
KBUILD_CPU_ROUNDED(double, d, __fma, rz, to_zero)

#undef KBUILD_CPU_ROUNDED
#undef KBUILD_CPU_NEAREST

/* Never flushes subnormal numbers to zero, with any option.  Nothing else here does, either. */
#define KBUILD_CPU_FMAF_IEEE(suffix) \
    __device__ inline float __fmaf_ieee_##suffix(float __x, float __y, float __z) { \
        return __fmaf_##suffix(__x, __y, __z); \
    }
KBUILD_CPU_FMAF_IEEE(rn)
KBUILD_CPU_FMAF_IEEE(rd)
KBUILD_CPU_FMAF_IEEE(ru)
KBUILD_CPU_FMAF_IEEE(rz)
#undef KBUILD_CPU_FMAF_IEEE

/* Two roundings in double are exact enough: no float has an inverse square root that is so close to
 * the middle of two floats. */
__device__ inline float __frsqrt_rn(float __x) {
    return static_cast<float>(1.0 / sqrt(static_cast<double>(__x)));
}

#endif
