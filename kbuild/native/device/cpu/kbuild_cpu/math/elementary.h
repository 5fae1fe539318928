/* Roots, norms, and trigonometric functions of multiples of pi, which the C library does not have.
 *
 * Functions of float compute in double, so that their results are nearly always rounded correctly. */
#ifndef KBUILD_CPU_MATH_ELEMENTARY_H
#define KBUILD_CPU_MATH_ELEMENTARY_H

#include "../qualifiers.h"

#include <math.h>
#include <stdlib.h>

#pragma GCC system_header

__device__ inline float rsqrtf(float __x) { return 1.0f / sqrtf(__x); }
__device__ inline double rsqrt(double __x) { return 1.0 / sqrt(__x); }
__device__ inline float rsqrt(float __x) { return rsqrtf(__x); }
__device__ inline float rcbrtf(float __x) {
    return static_cast<float>(1.0 / cbrt(static_cast<double>(__x)));
}
__device__ inline double rcbrt(double __x) { return static_cast<double>(1.0L / cbrtl(__x)); }
__device__ inline float rcbrt(float __x) { return rcbrtf(__x); }
__device__ inline double fdivide(double __x, double __y) { return __x / __y; }
__device__ inline float fdividef(float __x, float __y) { return __x / __y; }

namespace kbuild_cpu {

/* A sum of squares: __sum * 4^__exponent. */
struct scaled_squares {
    double __sum;
    int __exponent;
};

/* The numbers are scaled, so that their squares neither overflow nor underflow. */
__device__ inline scaled_squares sum_squares(const double* __values, int __count) {
    double __greatest = 0;
    bool __has_nan = false;
    for (int __i = 0; __i < __count; ++__i) {
        __greatest = fmax(__greatest, fabs(__values[__i]));
        __has_nan |= __values[__i] != __values[__i];
    }
    if (__greatest > __DBL_MAX__) return {__greatest, 0}; /* An infinity wins over a NaN. */
    if (__has_nan) return {__builtin_nan(""), 0};
    if (__greatest == 0) return {0, 0};
    const int __exponent = ilogb(__greatest);
    double __sum = 0,
           __rest = 0; /* With compensation, so that the terms do not add their errors. */
    for (int __i = 0; __i < __count; ++__i) {
        const double __value = scalbn(__values[__i], -__exponent);
        const double __square = __value * __value;
        const double __next = __sum + __square;
        __rest += fma(__value, __value, -__square) +
                  (__sum > __square ? __square - (__next - __sum) : __sum - (__next - __square));
        __sum = __next;
    }
    return {__sum + __rest, __exponent};
}
__device__ inline double norm_of(const double* __values, int __count) {
    const scaled_squares __squares = sum_squares(__values, __count);
    return scalbn(sqrt(__squares.__sum), __squares.__exponent);
}
__device__ inline double inverse_norm_of(const double* __values, int __count) {
    const scaled_squares __squares = sum_squares(__values, __count);
    return static_cast<double>(scalbnl(1 / sqrtl(__squares.__sum), -__squares.__exponent));
}

/* No square of a float overflows or underflows in double. */
template <class... __Values>
__device__ inline double float_norm(__Values... __values) {
    if (((fabs(__values) > __DBL_MAX__) || ...)) return HUGE_VAL;
    return sqrt(((__values * __values) + ...));
}
__device__ inline double float_norm_of(const float* __values, int __count) {
    double __sum = 0;
    bool __is_infinite = false;
    for (int __i = 0; __i < __count; ++__i) {
        const double __value = __values[__i];
        __is_infinite |= fabs(__value) > __DBL_MAX__;
        __sum += __value * __value;
    }
    return __is_infinite ? HUGE_VAL : sqrt(__sum);
}

}  // namespace kbuild_cpu

__device__ inline double norm(int __count, const double* __values) {
    return kbuild_cpu::norm_of(__values, __count);
}
__device__ inline double rnorm(int __count, const double* __values) {
    return kbuild_cpu::inverse_norm_of(__values, __count);
}
__device__ inline double norm3d(double __x, double __y, double __z) {
    const double __values[] = {__x, __y, __z};
    return norm(3, __values);
}
__device__ inline double rnorm3d(double __x, double __y, double __z) {
    const double __values[] = {__x, __y, __z};
    return rnorm(3, __values);
}
__device__ inline double norm4d(double __x, double __y, double __z, double __w) {
    const double __values[] = {__x, __y, __z, __w};
    return norm(4, __values);
}
__device__ inline double rnorm4d(double __x, double __y, double __z, double __w) {
    const double __values[] = {__x, __y, __z, __w};
    return rnorm(4, __values);
}
__device__ inline double rhypot(double __x, double __y) {
    const double __values[] = {__x, __y};
    return rnorm(2, __values);
}

__device__ inline float normf(int __count, const float* __values) {
    return static_cast<float>(kbuild_cpu::float_norm_of(__values, __count));
}
__device__ inline float rnormf(int __count, const float* __values) {
    return static_cast<float>(1 / kbuild_cpu::float_norm_of(__values, __count));
}
__device__ inline float norm3df(float __x, float __y, float __z) {
    return static_cast<float>(kbuild_cpu::float_norm<double, double, double>(__x, __y, __z));
}
__device__ inline float rnorm3df(float __x, float __y, float __z) {
    return static_cast<float>(1 / kbuild_cpu::float_norm<double, double, double>(__x, __y, __z));
}
__device__ inline float norm4df(float __x, float __y, float __z, float __w) {
    return static_cast<float>(
        kbuild_cpu::float_norm<double, double, double, double>(__x, __y, __z, __w));
}
__device__ inline float rnorm4df(float __x, float __y, float __z, float __w) {
    return static_cast<float>(
        1 / kbuild_cpu::float_norm<double, double, double, double>(__x, __y, __z, __w));
}
__device__ inline float rhypotf(float __x, float __y) {
    return static_cast<float>(1 / kbuild_cpu::float_norm<double, double>(__x, __y));
}

/* Computes sin(pi * x) and cos(pi * x).  x minus the nearest multiple of 1/2 is exact, and so are
 * the zeros. */
__device__ inline void sincospi(double __x, double* __s, double* __c) {
    if (!(fabs(__x) <= __DBL_MAX__)) {
        *__s = *__c = __builtin_nan("");
        return;
    }
    const double __reduced = fmod(__x, 2.0);
    const double __halves = rint(2 * __reduced);
    const double __rest = __reduced - 0.5 * __halves;
    const double __angle = __rest * M_PI;
    const double __error = fma(__rest, M_PI, -__angle) + __rest * 1.2246467991473532e-16;
    const double __sine = sin(__angle), __cosine = cos(__angle);
    const double __values[] = {fma(__error, __cosine, __sine), fma(-__error, __sine, __cosine)};
    const int __quadrant = static_cast<int>(__halves) & 3;
    const double __sine_part = __values[__quadrant & 1], __cosine_part = __values[~__quadrant & 1];
    *__s = __rest == 0 && !(__quadrant & 1) ? copysign(0.0, __x)
           : __quadrant & 2                 ? -__sine_part
                                            : __sine_part;
    *__c = __rest == 0 && __quadrant & 1 ? 0.0
           : (__quadrant + 1) & 2        ? -__cosine_part
                                         : __cosine_part;
}
__device__ inline double sinpi(double __x) {
    double __s, __c;
    sincospi(__x, &__s, &__c);
    return __s;
}
__device__ inline double cospi(double __x) {
    double __s, __c;
    sincospi(__x, &__s, &__c);
    return __c;
}
__device__ inline void sincospif(float __x, float* __s, float* __c) {
    double __sine, __cosine;
    sincospi(static_cast<double>(__x), &__sine, &__cosine);
    *__s = static_cast<float>(__sine);
    *__c = static_cast<float>(__cosine);
}
__device__ inline float sinpif(float __x) {
    return static_cast<float>(sinpi(static_cast<double>(__x)));
}
__device__ inline float cospif(float __x) {
    return static_cast<float>(cospi(static_cast<double>(__x)));
}

/* Overloads for float of functions that the C library has only under other names. */
__device__ inline float exp10(float __x) { return exp10f(__x); }
__device__ inline float sinpi(float __x) { return sinpif(__x); }
__device__ inline float cospi(float __x) { return cospif(__x); }
__device__ inline void sincospi(float __x, float* __s, float* __c) { sincospif(__x, __s, __c); }
__device__ inline void sincos(float __x, float* __s, float* __c) { sincosf(__x, __s, __c); }

#endif
