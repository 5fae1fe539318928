/* CUDA's math functions that the C library lacks; <math.h> brings the others, with the
 * overloads for float. Fast intrinsics (__expf) are the accurate functions here. */
#ifndef KBUILD_CPU_MATH_H
#define KBUILD_CPU_MATH_H

#include "qualifiers.h"

#include <math.h>
#include <stdlib.h>
#include <type_traits>

#pragma GCC system_header

/* min and max of two arithmetic types, converted as CUDA's overloads do: to double or
 * float if one is, else to the larger type, unsigned if one of the larger is. That is the
 * usual arithmetic conversion. */
namespace kbuild_cpu {
template <class A, class B>
using arithmetic_t =
    std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, decltype(A() + B())>;
}  // namespace kbuild_cpu

template <class A, class B>
__device__ constexpr kbuild_cpu::arithmetic_t<A, B> min(A a, B b) {
    using T = kbuild_cpu::arithmetic_t<A, B>;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (std::is_floating_point_v<T>)
        return __builtin_isnan(y) || x < y ? x : y;
    else
        return x < y ? x : y;
}
template <class A, class B>
__device__ constexpr kbuild_cpu::arithmetic_t<A, B> max(A a, B b) {
    using T = kbuild_cpu::arithmetic_t<A, B>;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (std::is_floating_point_v<T>)
        return __builtin_isnan(y) || y < x ? x : y;
    else
        return y < x ? x : y;
}

__device__ inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
__device__ inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
__device__ inline long long llmin(long long a, long long b) { return min(a, b); }
__device__ inline long long llmax(long long a, long long b) { return max(a, b); }
__device__ inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return min(a, b);
}
__device__ inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return max(a, b);
}

__device__ inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
__device__ inline double rsqrt(double x) { return 1.0 / sqrt(x); }
__device__ inline float rsqrt(float x) { return rsqrtf(x); }
__device__ inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
__device__ inline double rcbrt(double x) { return 1.0 / cbrt(x); }
__device__ inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
__device__ inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
__device__ inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
__device__ inline double norm3d(double x, double y, double z) {
    return sqrt(x * x + y * y + z * z);
}
__device__ inline float norm4df(float x, float y, float z, float w) {
    return sqrtf(x * x + y * y + z * z + w * w);
}
__device__ inline double norm4d(double x, double y, double z, double w) {
    return sqrt(x * x + y * y + z * z + w * w);
}

/* The argument is reduced before the multiplication, so that large ones stay exact. */
__device__ inline double sinpi(double x) { return sin(fmod(x, 2.0) * M_PI); }
__device__ inline double cospi(double x) { return cos(fmod(x, 2.0) * M_PI); }
__device__ inline float sinpif(float x) { return static_cast<float>(sinpi(x)); }
__device__ inline float cospif(float x) { return static_cast<float>(cospi(x)); }
__device__ inline void sincospi(double x, double* s, double* c) {
    *s = sinpi(x);
    *c = cospi(x);
}
__device__ inline void sincospif(float x, float* s, float* c) {
    *s = sinpif(x);
    *c = cospif(x);
}

__device__ inline double normcdf(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }
__device__ inline float normcdff(float x) { return static_cast<float>(normcdf(x)); }

__device__ inline float __sinf(float x) { return sinf(x); }
__device__ inline float __cosf(float x) { return cosf(x); }
__device__ inline float __tanf(float x) { return tanf(x); }
__device__ inline void __sincosf(float x, float* s, float* c) {
    *s = sinf(x);
    *c = cosf(x);
}
__device__ inline float __expf(float x) { return expf(x); }
__device__ inline float __exp10f(float x) { return powf(10.0f, x); }
__device__ inline float __logf(float x) { return logf(x); }
__device__ inline float __log2f(float x) { return log2f(x); }
__device__ inline float __log10f(float x) { return log10f(x); }
__device__ inline float __powf(float x, float y) { return powf(x, y); }
__device__ inline float __fdividef(float x, float y) { return x / y; }
__device__ inline float fdividef(float x, float y) { return x / y; }
__device__ inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/* Rounding to nearest is the only mode that device code runs in. */
__device__ inline float __fadd_rn(float x, float y) { return x + y; }
__device__ inline float __fsub_rn(float x, float y) { return x - y; }
__device__ inline float __fmul_rn(float x, float y) { return x * y; }
__device__ inline float __fdiv_rn(float x, float y) { return x / y; }
__device__ inline float __frcp_rn(float x) { return 1.0f / x; }
__device__ inline float __fsqrt_rn(float x) { return sqrtf(x); }
__device__ inline float __frsqrt_rn(float x) { return rsqrtf(x); }
__device__ inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
__device__ inline double __dadd_rn(double x, double y) { return x + y; }
__device__ inline double __dsub_rn(double x, double y) { return x - y; }
__device__ inline double __dmul_rn(double x, double y) { return x * y; }
__device__ inline double __ddiv_rn(double x, double y) { return x / y; }
__device__ inline double __dsqrt_rn(double x) { return sqrt(x); }
__device__ inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }

__device__ inline int __float2int_rn(float x) { return static_cast<int>(rintf(x)); }
__device__ inline int __float2int_rz(float x) { return static_cast<int>(x); }
__device__ inline int __float2int_rd(float x) { return static_cast<int>(floorf(x)); }
__device__ inline int __float2int_ru(float x) { return static_cast<int>(ceilf(x)); }
__device__ inline unsigned int __float2uint_rn(float x) { return static_cast<unsigned>(rintf(x)); }
__device__ inline unsigned int __float2uint_rz(float x) { return static_cast<unsigned>(x); }
__device__ inline float __int2float_rn(int x) { return static_cast<float>(x); }
__device__ inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
__device__ inline int __double2int_rn(double x) { return static_cast<int>(rint(x)); }
__device__ inline int __double2int_rz(double x) { return static_cast<int>(x); }
__device__ inline double __int2double_rn(int x) { return x; }
__device__ inline float __double2float_rn(double x) { return static_cast<float>(x); }

#endif
