/* The fast functions for float.  They are at least as accurate as on a GPU, and have the same
 * special values. */
#ifndef KBUILD_CPU_MATH_FAST_H
#define KBUILD_CPU_MATH_FAST_H

#include "../qualifiers.h"

#include <math.h>

#pragma GCC system_header

__device__ inline float __sinf(float __x) { return sinf(__x); }
__device__ inline float __cosf(float __x) { return cosf(__x); }
__device__ inline float __tanf(float __x) { return tanf(__x); }
__device__ inline float __tanhf(float __x) { return tanhf(__x); }
__device__ inline void __sincosf(float __x, float* __s, float* __c) { sincosf(__x, __s, __c); }
__device__ inline float __expf(float __x) { return expf(__x); }
__device__ inline float __exp10f(float __x) { return exp10f(__x); }
__device__ inline float __logf(float __x) { return logf(__x); }
__device__ inline float __log2f(float __x) { return log2f(__x); }
__device__ inline float __log10f(float __x) { return log10f(__x); }
/* Negative bases yield NaN, unlike powf's. */
__device__ inline float __powf(float __x, float __y) { return exp2f(__y * log2f(__x)); }
/* For large divisors, the quotient is zero, or NaN if the dividend is infinite. */
__device__ inline float __fdividef(float __x, float __y) {
    return fabsf(__y) > 0x1p126f && fabsf(__y) <= __FLT_MAX__ ? __x * copysignf(0.0f, __y)
                                                              : __x / __y;
}
/* A NaN becomes zero. */
__device__ inline float __saturatef(float __x) {
    return __x > 0.0f ? (__x < 1.0f ? __x : 1.0f) : 0.0f;
}

#endif
