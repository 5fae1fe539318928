/* min and max, and their variants for one type. */
#ifndef KBUILD_CPU_MATH_MIN_MAX_H
#define KBUILD_CPU_MATH_MIN_MAX_H

#include "../qualifiers.h"
#include "../traits.h"

#pragma GCC system_header

namespace kbuild_cpu {

/* The type that the usual arithmetic conversions yield, as in CUDA's overloads: double or float if
 * one type is, otherwise the larger type, which is unsigned if one type of that size is. */
template <class __A, class __B>
using arithmetic_t =
    enable_if_t<is_arithmetic_v<__A> && is_arithmetic_v<__B>, decltype(__A() + __B())>;

/* The lesser number.  If one is a NaN, it is the other one; -0 is less than 0. */
template <class __T>
__device__ constexpr __T lesser_number(__T __x, __T __y) {
    if constexpr (is_floating_point_v<__T>) {
        if (__x == __y) return __builtin_signbit(__x) ? __x : __y;
        return __builtin_isnan(__y) || __x < __y ? __x : __y;
    } else {
        return __x < __y ? __x : __y;
    }
}
template <class __T>
__device__ constexpr __T greater_number(__T __x, __T __y) {
    if constexpr (is_floating_point_v<__T>) {
        if (__x == __y) return __builtin_signbit(__x) ? __y : __x;
        return __builtin_isnan(__y) || __y < __x ? __x : __y;
    } else {
        return __y < __x ? __x : __y;
    }
}

}  // namespace kbuild_cpu

template <class __A, class __B>
__device__ constexpr kbuild_cpu::arithmetic_t<__A, __B> min(__A __a, __B __b) {
    using __T = kbuild_cpu::arithmetic_t<__A, __B>;
    return kbuild_cpu::lesser_number<__T>(static_cast<__T>(__a), static_cast<__T>(__b));
}
template <class __A, class __B>
__device__ constexpr kbuild_cpu::arithmetic_t<__A, __B> max(__A __a, __B __b) {
    using __T = kbuild_cpu::arithmetic_t<__A, __B>;
    return kbuild_cpu::greater_number<__T>(static_cast<__T>(__a), static_cast<__T>(__b));
}

/* Not templates, so that they win over those of namespace std in sources that use it. */
#define KBUILD_CPU_MIN_MAX(T, least, greatest) \
    __device__ constexpr T least(T __a, T __b) { return kbuild_cpu::lesser_number(__a, __b); } \
    __device__ constexpr T greatest(T __a, T __b) { return kbuild_cpu::greater_number(__a, __b); }
KBUILD_CPU_MIN_MAX(int, min, max)
KBUILD_CPU_MIN_MAX(unsigned int, min, max)
KBUILD_CPU_MIN_MAX(long, min, max)
KBUILD_CPU_MIN_MAX(unsigned long, min, max)
KBUILD_CPU_MIN_MAX(long long, min, max)
KBUILD_CPU_MIN_MAX(unsigned long long, min, max)
KBUILD_CPU_MIN_MAX(float, min, max)
KBUILD_CPU_MIN_MAX(double, min, max)
KBUILD_CPU_MIN_MAX(unsigned int, umin, umax)
KBUILD_CPU_MIN_MAX(long long, llmin, llmax)
KBUILD_CPU_MIN_MAX(unsigned long long, ullmin, ullmax)
#undef KBUILD_CPU_MIN_MAX

/* The C library does not order zeros, and compilers do not vectorize its functions. */
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#define KBUILD_CPU_C_MIN_MAX(T, least, greatest) \
    extern "C" inline __attribute__((gnu_inline, always_inline)) T least(T __a, T __b) noexcept { \
        return kbuild_cpu::lesser_number(__a, __b); \
    } \
    extern "C" inline __attribute__((gnu_inline, always_inline)) T greatest(T __a, \
                                                                            T __b) noexcept { \
        return kbuild_cpu::greater_number(__a, __b); \
    }
KBUILD_CPU_C_MIN_MAX(float, fminf, fmaxf)
KBUILD_CPU_C_MIN_MAX(double, fmin, fmax)
#undef KBUILD_CPU_C_MIN_MAX
#endif

#endif
