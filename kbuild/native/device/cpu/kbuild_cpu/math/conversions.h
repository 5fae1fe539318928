/* Conversions with an explicit rounding mode, and bit casts. */
#ifndef KBUILD_CPU_MATH_CONVERSIONS_H
#define KBUILD_CPU_MATH_CONVERSIONS_H

#include "../traits.h"
#include "rounding.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* Converts a number without a fraction.  Numbers outside of the range become its nearest end, as on
 * a GPU.  A NaN becomes zero if both types have 32 bits, and otherwise the integer with only the
 * top bit set. */
template <class __Int, class __T>
__device__ inline __Int to_integer(__T __value) {
    constexpr __T __end = static_cast<__T>(greatest_v<__Int> / 2 + 1) * 2;
    if (__value != __value)
        return sizeof(__Int) == 4 && sizeof(__T) == 4
                   ? 0
                   : static_cast<__Int>(1ull << (8 * sizeof(__Int) - 1));
    if (__value >= __end) return greatest_v<__Int>;
    if (__value <= static_cast<__T>(least_v<__Int>)) return least_v<__Int>;
    return static_cast<__Int>(__value);
}

/* Rounds an integer, or a double, to a floating-point number. */
template <rounding __mode, class __T, class __From>
__device__ inline __T narrowed(__From __value) {
    using __Wide = conditional_t<sizeof(__From) == 8 && is_integral_v<__From>, quad, double>;
    const __T __nearest = static_cast<__T>(__value);
    return rounded<__mode>(__nearest,
                           static_cast<__Wide>(__value) - static_cast<__Wide>(__nearest));
}

}  // namespace kbuild_cpu

#define KBUILD_CPU_TO_INTEGER(from, From, to, To, f) \
    __device__ inline To __##from##2##to##_rn(From __x) { \
        return kbuild_cpu::to_integer<To>(rint##f(__x)); \
    } \
    __device__ inline To __##from##2##to##_rz(From __x) { \
        return kbuild_cpu::to_integer<To>(trunc##f(__x)); \
    } \
    __device__ inline To __##from##2##to##_rd(From __x) { \
        return kbuild_cpu::to_integer<To>(floor##f(__x)); \
    } \
    __device__ inline To __##from##2##to##_ru(From __x) { \
        return kbuild_cpu::to_integer<To>(ceil##f(__x)); \
    }

KBUILD_CPU_TO_INTEGER(float, float, int, int, f)
KBUILD_CPU_TO_INTEGER(float, float, uint, unsigned int, f)
KBUILD_CPU_TO_INTEGER(float, float, ll, long long, f)
KBUILD_CPU_TO_INTEGER(float, float, ull, unsigned long long, f)
KBUILD_CPU_TO_INTEGER(double, double, int, int, )
KBUILD_CPU_TO_INTEGER(double, double, uint, unsigned int, )
KBUILD_CPU_TO_INTEGER(double, double, ll, long long, )
KBUILD_CPU_TO_INTEGER(double, double, ull, unsigned long long, )

#undef KBUILD_CPU_TO_INTEGER

#define KBUILD_CPU_NARROWED(from, From, to) \
    __device__ inline to __##from##2##to##_rn(From __x) { return static_cast<to>(__x); } \
    __device__ inline to __##from##2##to##_rz(From __x) { \
        return kbuild_cpu::narrowed<kbuild_cpu::rounding::to_zero, to>(__x); \
    } \
    __device__ inline to __##from##2##to##_rd(From __x) { \
        return kbuild_cpu::narrowed<kbuild_cpu::rounding::downward, to>(__x); \
    } \
    __device__ inline to __##from##2##to##_ru(From __x) { \
        return kbuild_cpu::narrowed<kbuild_cpu::rounding::upward, to>(__x); \
    }

KBUILD_CPU_NARROWED(double, double, float)
KBUILD_CPU_NARROWED(int, int, float)
KBUILD_CPU_NARROWED(uint, unsigned int, float)
KBUILD_CPU_NARROWED(ll, long long, float)
KBUILD_CPU_NARROWED(ull, unsigned long long, float)
KBUILD_CPU_NARROWED(ll, long long, double)
KBUILD_CPU_NARROWED(ull, unsigned long long, double)

#undef KBUILD_CPU_NARROWED

__device__ inline double __int2double_rn(int __x) { return __x; }
__device__ inline double __uint2double_rn(unsigned int __x) { return __x; }

#define KBUILD_CPU_BIT_CAST(name, from, to) \
    __device__ inline to name(from __value) { \
        to __bits; \
        memcpy(&__bits, &__value, sizeof __bits); \
        return __bits; \
    }

KBUILD_CPU_BIT_CAST(__float_as_int, float, int)
KBUILD_CPU_BIT_CAST(__int_as_float, int, float)
KBUILD_CPU_BIT_CAST(__float_as_uint, float, unsigned int)
KBUILD_CPU_BIT_CAST(__uint_as_float, unsigned int, float)
KBUILD_CPU_BIT_CAST(__double_as_longlong, double, long long)
KBUILD_CPU_BIT_CAST(__longlong_as_double, long long, double)

#undef KBUILD_CPU_BIT_CAST

__device__ inline int __double2hiint(double __x) {
    return static_cast<int>(__double_as_longlong(__x) >> 32);
}
__device__ inline int __double2loint(double __x) {
    return static_cast<int>(__double_as_longlong(__x));
}
__device__ inline double __hiloint2double(int __high, int __low) {
    return __longlong_as_double(static_cast<long long>(
        static_cast<unsigned long long>(static_cast<unsigned int>(__high)) << 32 |
        static_cast<unsigned int>(__low)));
}

#endif
