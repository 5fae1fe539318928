/* CUDA's math functions that the C library does not provide.  <math.h> provides the others, with
 * overloads for float.  Fast intrinsics (__expf) are the accurate functions here. */
#ifndef KBUILD_CPU_MATH_H
#define KBUILD_CPU_MATH_H

#include "qualifiers.h"

#include <math.h>
#include <stdlib.h>
#include <type_traits>

#pragma GCC system_header

/* min and max for two arithmetic types, with the usual arithmetic conversion, as in CUDA's
 * overloads: to double or float if one of them is, otherwise to the larger type, which is unsigned
 * if one type of that size is unsigned. */
namespace kbuild_cpu {
template <class __A, class __B>
using arithmetic_t =
    std::enable_if_t<std::is_arithmetic_v<__A> && std::is_arithmetic_v<__B>, decltype(__A() + __B())>;
}  // namespace kbuild_cpu

template <class __A, class __B>
__device__ constexpr kbuild_cpu::arithmetic_t<__A, __B> min(__A __a, __B __b) {
    using __T = kbuild_cpu::arithmetic_t<__A, __B>;
    const __T __x = static_cast<__T>(__a), __y = static_cast<__T>(__b);
    if constexpr (std::is_floating_point_v<__T>)
        return __builtin_isnan(__y) || __x < __y ? __x : __y;
    else
        return __x < __y ? __x : __y;
}
template <class __A, class __B>
__device__ constexpr kbuild_cpu::arithmetic_t<__A, __B> max(__A __a, __B __b) {
    using __T = kbuild_cpu::arithmetic_t<__A, __B>;
    const __T __x = static_cast<__T>(__a), __y = static_cast<__T>(__b);
    if constexpr (std::is_floating_point_v<__T>)
        return __builtin_isnan(__y) || __y < __x ? __x : __y;
    else
        return __y < __x ? __x : __y;
}

__device__ inline unsigned int umin(unsigned int __a, unsigned int __b) { return min(__a, __b); }
__device__ inline unsigned int umax(unsigned int __a, unsigned int __b) { return max(__a, __b); }
__device__ inline long long llmin(long long __a, long long __b) { return min(__a, __b); }
__device__ inline long long llmax(long long __a, long long __b) { return max(__a, __b); }
__device__ inline unsigned long long ullmin(unsigned long long __a, unsigned long long __b) {
    return min(__a, __b);
}
__device__ inline unsigned long long ullmax(unsigned long long __a, unsigned long long __b) {
    return max(__a, __b);
}

__device__ inline float rsqrtf(float __x) { return 1.0f / sqrtf(__x); }
__device__ inline double rsqrt(double __x) { return 1.0 / sqrt(__x); }
__device__ inline float rsqrt(float __x) { return rsqrtf(__x); }
__device__ inline float rcbrtf(float __x) { return 1.0f / cbrtf(__x); }
__device__ inline double rcbrt(double __x) { return 1.0 / cbrt(__x); }
__device__ inline float rhypotf(float __x, float __y) { return 1.0f / hypotf(__x, __y); }
__device__ inline double rhypot(double __x, double __y) { return 1.0 / hypot(__x, __y); }
__device__ inline float norm3df(float __x, float __y, float __z) { return sqrtf(__x * __x + __y * __y + __z * __z); }
__device__ inline double norm3d(double __x, double __y, double __z) {
    return sqrt(__x * __x + __y * __y + __z * __z);
}
__device__ inline float norm4df(float __x, float __y, float __z, float __w) {
    return sqrtf(__x * __x + __y * __y + __z * __z + __w * __w);
}
__device__ inline double norm4d(double __x, double __y, double __z, double __w) {
    return sqrt(__x * __x + __y * __y + __z * __z + __w * __w);
}

/* Reduces the argument before the multiplication, so that large arguments remain exact. */
__device__ inline double sinpi(double __x) { return sin(fmod(__x, 2.0) * M_PI); }
__device__ inline double cospi(double __x) { return cos(fmod(__x, 2.0) * M_PI); }
__device__ inline float sinpif(float __x) { return static_cast<float>(sinpi(__x)); }
__device__ inline float cospif(float __x) { return static_cast<float>(cospi(__x)); }
__device__ inline void sincospi(double __x, double* __s, double* __c) {
    *__s = sinpi(__x);
    *__c = cospi(__x);
}
__device__ inline void sincospif(float __x, float* __s, float* __c) {
    *__s = sinpif(__x);
    *__c = cospif(__x);
}

__device__ inline double normcdf(double __x) { return 0.5 * erfc(-__x * M_SQRT1_2); }

/* The inverse functions, by Newton's method.  The start value is Giles' single-precision
 * approximation ("Approximating the erfinv function", GPU Computing Gems 2, 2011).  Two steps
 * reach double precision. */
__device__ inline double erfinv(double __x) {
    if (!(fabs(__x) < 1.0)) return fabs(__x) == 1.0 ? copysign(HUGE_VAL, __x) : NAN;
    const double __l = -log((1.0 - __x) * (1.0 + __x));
    double __p;
    if (__l < 5.0) {
        const double __t = __l - 2.5;
        __p = 2.81022636e-08;
        __p = 3.43273939e-07 + __p * __t;
        __p = -3.5233877e-06 + __p * __t;
        __p = -4.39150654e-06 + __p * __t;
        __p = 0.00021858087 + __p * __t;
        __p = -0.00125372503 + __p * __t;
        __p = -0.00417768164 + __p * __t;
        __p = 0.246640727 + __p * __t;
        __p = 1.50140941 + __p * __t;
    } else {
        const double __t = sqrt(__l) - 3.0;
        __p = -0.000200214257;
        __p = 0.000100950558 + __p * __t;
        __p = 0.00134934322 + __p * __t;
        __p = -0.00367342844 + __p * __t;
        __p = 0.00573950773 + __p * __t;
        __p = -0.0076224613 + __p * __t;
        __p = 0.00943887047 + __p * __t;
        __p = 1.00167406 + __p * __t;
        __p = 2.83297682 + __p * __t;
    }
    double __y = __p * __x;
    /* Near one, erf is flat, so its complement is more precise. */
    for (int __i = 0; __i < 3; ++__i) {
        const double __miss = fabs(__x) < 0.5 ? erf(__y) - __x
                              : __x > 0.0     ? (1.0 - __x) - erfc(__y)
                                              : erfc(-__y) - (1.0 + __x);
        __y -= __miss * exp(__y * __y) * 0.88622692545275801365;
    }
    return __y;
}
__device__ inline double erfcinv(double __x) {
    if (!(__x > 0.0 && __x < 2.0)) return __x == 0.0 ? HUGE_VAL : __x == 2.0 ? -HUGE_VAL : NAN;
    if (__x > 0.1) return erfinv(1.0 - __x);
    /* Uses the asymptotic expansion, because 1 - x would lose a small x. */
    const double __l = -log(__x * 1.77245385090551602730);
    double __y = sqrt(__l > 1.0 ? __l - 0.5 * log(__l) : 1.0);
    for (int __i = 0; __i < 6; ++__i)
        __y += (1.0 - __x / erfc(__y)) * erfc(__y) * exp(__y * __y) * 0.88622692545275801365;
    return __y;
}
__device__ inline double normcdfinv(double __x) { return -M_SQRT2 * erfcinv(2.0 * __x); }
__device__ inline float erfinvf(float __x) { return static_cast<float>(erfinv(__x)); }
__device__ inline float erfcinvf(float __x) { return static_cast<float>(erfcinv(__x)); }
__device__ inline float normcdfinvf(float __x) { return static_cast<float>(normcdfinv(__x)); }
__device__ inline float normcdff(float __x) { return static_cast<float>(normcdf(__x)); }

__device__ inline float __sinf(float __x) { return sinf(__x); }
__device__ inline float __cosf(float __x) { return cosf(__x); }
__device__ inline float __tanf(float __x) { return tanf(__x); }
__device__ inline void __sincosf(float __x, float* __s, float* __c) {
    *__s = sinf(__x);
    *__c = cosf(__x);
}
__device__ inline float __expf(float __x) { return expf(__x); }
__device__ inline float __exp10f(float __x) { return powf(10.0f, __x); }
__device__ inline float __logf(float __x) { return logf(__x); }
__device__ inline float __log2f(float __x) { return log2f(__x); }
__device__ inline float __log10f(float __x) { return log10f(__x); }
__device__ inline float __powf(float __x, float __y) { return powf(__x, __y); }
__device__ inline float __fdividef(float __x, float __y) { return __x / __y; }
__device__ inline float fdividef(float __x, float __y) { return __x / __y; }
__device__ inline float __saturatef(float __x) { return __x > 0.0f ? (__x < 1.0f ? __x : 1.0f) : 0.0f; }

/* Device code runs only in the mode that rounds to nearest. */
__device__ inline float __fadd_rn(float __x, float __y) { return __x + __y; }
__device__ inline float __fsub_rn(float __x, float __y) { return __x - __y; }
__device__ inline float __fmul_rn(float __x, float __y) { return __x * __y; }
__device__ inline float __fdiv_rn(float __x, float __y) { return __x / __y; }
__device__ inline float __frcp_rn(float __x) { return 1.0f / __x; }
__device__ inline float __fsqrt_rn(float __x) { return sqrtf(__x); }
__device__ inline float __frsqrt_rn(float __x) { return rsqrtf(__x); }
__device__ inline float __fmaf_rn(float __x, float __y, float __z) { return fmaf(__x, __y, __z); }
__device__ inline double __dadd_rn(double __x, double __y) { return __x + __y; }
__device__ inline double __dsub_rn(double __x, double __y) { return __x - __y; }
__device__ inline double __dmul_rn(double __x, double __y) { return __x * __y; }
__device__ inline double __ddiv_rn(double __x, double __y) { return __x / __y; }
__device__ inline double __dsqrt_rn(double __x) { return sqrt(__x); }
__device__ inline double __fma_rn(double __x, double __y, double __z) { return fma(__x, __y, __z); }

__device__ inline int __float2int_rn(float __x) { return static_cast<int>(rintf(__x)); }
__device__ inline int __float2int_rz(float __x) { return static_cast<int>(__x); }
__device__ inline int __float2int_rd(float __x) { return static_cast<int>(floorf(__x)); }
__device__ inline int __float2int_ru(float __x) { return static_cast<int>(ceilf(__x)); }
__device__ inline unsigned int __float2uint_rn(float __x) { return static_cast<unsigned>(rintf(__x)); }
__device__ inline unsigned int __float2uint_rz(float __x) { return static_cast<unsigned>(__x); }
__device__ inline float __int2float_rn(int __x) { return static_cast<float>(__x); }
__device__ inline float __uint2float_rn(unsigned int __x) { return static_cast<float>(__x); }
__device__ inline int __double2int_rn(double __x) { return static_cast<int>(rint(__x)); }
__device__ inline int __double2int_rz(double __x) { return static_cast<int>(__x); }
__device__ inline double __int2double_rn(int __x) { return __x; }
__device__ inline float __double2float_rn(double __x) { return static_cast<float>(__x); }

#endif
