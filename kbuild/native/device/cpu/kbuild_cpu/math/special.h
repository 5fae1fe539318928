/* The error functions and their inverses, the normal distribution, and Bessel functions, which the
 * C library does not have.
 *
 * They compute in long double, so that the results are nearly always rounded correctly. */
#ifndef KBUILD_CPU_MATH_SPECIAL_H
#define KBUILD_CPU_MATH_SPECIAL_H

#include "../qualifiers.h"

#include <math.h>

#pragma GCC system_header

namespace kbuild_cpu {

constexpr long double inverse_sqrt_pi = 0.564189583547756286948079451560772586L;
constexpr long double sqrt_half = 0.707106781186547524400844362104849039L;

/* exp(x * x) * erfc(x). */
__device__ inline long double scaled_erfc(long double __x) {
    if (__x < 50) { /* exp's argument needs more digits than a long double has. */
        const long double __square = __x * __x;
        return expl(__square) * (1 + fmal(__x, __x, -__square)) * erfcl(__x);
    }
    const long double __q = 1 / (2 * __x * __x); /* The asymptotic series. */
    return inverse_sqrt_pi / __x *
           (1 - __q * (1 - 3 * __q * (1 - 5 * __q * (1 - 7 * __q * (1 - 9 * __q)))));
}

/* The inverse of erfc for 0 < c <= 1, by Halley's method.  The start value is good to about 1e-3
 * (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23). */
__device__ inline long double inverse_erfc(long double __c) {
    const long double __t = sqrtl(-2 * logl(__c / 2));
    long double __y =
        sqrt_half * (__t - (2.515517L + __t * (0.802853L + __t * 0.010328L)) /
                               (1 + __t * (1.432788L + __t * (0.189269L + __t * 0.001308L))));
    for (int __i = 0; __i < 3; ++__i) {
        /* (erfc(y) - c) / erfc'(y), without overflow of exp(y * y) * c. */
        const long double __step =
            (__c * expl(__y * __y) - scaled_erfc(__y)) / (2 * inverse_sqrt_pi);
        __y -= __step / (1 + __y * __step);
    }
    return __y;
}

/* The inverse of erf for |x| <= 0.5, by Newton's method with a correction of the second order. */
__device__ inline long double inverse_erf(long double __x) {
    long double __y = __x / (2 * inverse_sqrt_pi) * (1 + __x * __x * 0.2618L);
    for (int __i = 0; __i < 4; ++__i) {
        const long double __step = (erfl(__y) - __x) * expl(__y * __y) / (2 * inverse_sqrt_pi);
        __y -= __step / (1 + __y * __step);
    }
    return __y;
}

/* The modified Bessel functions I0 and I1. */
__device__ inline double bessel_i(int __order, double __x) {
    const long double __a = fabsl(__x);
    if (!(__a <= 1000)) /* A NaN, or a number whose result overflows. */
        return __x * (__order == 1 ? HUGE_VAL : __x < 0 ? -HUGE_VAL : HUGE_VAL);
    long double __sum = 1, __term = 1;
    if (__a < 40) {
        for (int __k = 1; __term > __sum * 1e-21L; ++__k) {
            __term *= __a * __a / 4 / (static_cast<long double>(__k) * (__k + __order));
            __sum += __term;
        }
        if (__order == 1) __sum *= __a / 2;
    } else { /* The asymptotic series. */
        for (int __k = 1; fabsl(__term) > 1e-21L; ++__k) {
            const long double __odd = 2 * __k - 1;
            __term *= (__odd * __odd - 4 * __order) / (8 * __a * __k);
            __sum += __term;
        }
        __sum *= expl(__a) / sqrtl(__a) * inverse_sqrt_pi * sqrt_half;
    }
    return static_cast<double>(__order == 1 && __x < 0 ? -__sum : __sum);
}

}  // namespace kbuild_cpu

__device__ inline double erfcx(double __x) {
    if (__x < -27) return HUGE_VAL;
    if (__x > 1e300) return static_cast<double>(kbuild_cpu::inverse_sqrt_pi / __x);
    return static_cast<double>(kbuild_cpu::scaled_erfc(__x));
}
__device__ inline double erfinv(double __x) {
    if (!(fabs(__x) < 1)) return fabs(__x) == 1 ? copysign(HUGE_VAL, __x) : __builtin_nan("");
    if (fabs(__x) < 1e-150) return static_cast<double>(__x / (2 * kbuild_cpu::inverse_sqrt_pi));
    const long double __y = fabs(__x) <= 0.5 ? kbuild_cpu::inverse_erf(fabsl(__x))
                                             : kbuild_cpu::inverse_erfc(1 - fabsl(__x));
    return copysign(static_cast<double>(__y), __x);
}
__device__ inline double erfcinv(double __x) {
    if (!(__x > 0 && __x < 2))
        return __x == 0 ? HUGE_VAL : __x == 2 ? -HUGE_VAL : __builtin_nan("");
    if (__x < 0.5) return static_cast<double>(kbuild_cpu::inverse_erfc(__x));
    if (__x > 1.5)
        return static_cast<double>(-kbuild_cpu::inverse_erfc(2 - static_cast<long double>(__x)));
    return __x == 1
               ? 0.0
               : static_cast<double>(kbuild_cpu::inverse_erf(1 - static_cast<long double>(__x)));
}
__device__ inline double normcdf(double __x) {
    return static_cast<double>(0.5L * erfcl(-__x * kbuild_cpu::sqrt_half));
}
__device__ inline double normcdfinv(double __x) {
    if (!(__x > 0 && __x < 1))
        return __x == 0 ? -HUGE_VAL : __x == 1 ? HUGE_VAL : __builtin_nan("");
    const long double __c = 2 * static_cast<long double>(__x);
    const long double __y = __c < 0.5L   ? kbuild_cpu::inverse_erfc(__c)
                            : __c > 1.5L ? -kbuild_cpu::inverse_erfc(2 - __c)
                                         : kbuild_cpu::inverse_erf(1 - __c);
    return static_cast<double>(-__y / kbuild_cpu::sqrt_half);
}
__device__ inline double cyl_bessel_i0(double __x) { return kbuild_cpu::bessel_i(0, __x); }
__device__ inline double cyl_bessel_i1(double __x) { return kbuild_cpu::bessel_i(1, __x); }

/* For float: under the C library's form of the name, and as an overload. */
#define KBUILD_CPU_FOR_FLOAT(name) \
    __device__ inline float name##f(float __x) { \
        return static_cast<float>(name(static_cast<double>(__x))); \
    } \
    __device__ inline float name(float __x) { return name##f(__x); }
KBUILD_CPU_FOR_FLOAT(erfcx)
KBUILD_CPU_FOR_FLOAT(erfinv)
KBUILD_CPU_FOR_FLOAT(erfcinv)
KBUILD_CPU_FOR_FLOAT(normcdf)
KBUILD_CPU_FOR_FLOAT(normcdfinv)
KBUILD_CPU_FOR_FLOAT(cyl_bessel_i0)
KBUILD_CPU_FOR_FLOAT(cyl_bessel_i1)
#undef KBUILD_CPU_FOR_FLOAT

/* The C library has these, but no overloads for float. */
__device__ inline float j0(float __x) { return j0f(__x); }
__device__ inline float j1(float __x) { return j1f(__x); }
__device__ inline float jn(int __n, float __x) { return jnf(__n, __x); }
__device__ inline float y0(float __x) { return y0f(__x); }
__device__ inline float y1(float __x) { return y1f(__x); }
__device__ inline float yn(int __n, float __x) { return ynf(__n, __x); }

#endif
