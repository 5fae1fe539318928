/* DPX functions for dynamic programming: combinations of additions, minima, and maxima of 32-bit
 * numbers or of the two 16-bit lanes of a word.  Additions wrap. */
#ifndef KBUILD_CPU_MATH_DPX_H
#define KBUILD_CPU_MATH_DPX_H

#include "../qualifiers.h"

#pragma GCC system_header

namespace kbuild_cpu {

template <class __T>
__device__ constexpr __T lesser(__T __a, __T __b) {
    return __b < __a ? __b : __a;
}
template <class __T>
__device__ constexpr __T greater(__T __a, __T __b) {
    return __a < __b ? __b : __a;
}
template <class __T>
__device__ constexpr __T wrapped_sum(__T __a, __T __b) {
    return static_cast<__T>(static_cast<unsigned int>(__a) + static_cast<unsigned int>(__b));
}

/* Applies a function to the low and to the high halves of words. */
template <class __Lane, class __Function, class... __Words>
__device__ inline unsigned int map_halves(__Function __function, __Words... __words) {
    const __Lane __low = __function(static_cast<__Lane>(__words)...);
    const __Lane __high = __function(static_cast<__Lane>(__words >> 16)...);
    return static_cast<unsigned int>(static_cast<unsigned short>(__high)) << 16 |
           static_cast<unsigned short>(__low);
}

}  // namespace kbuild_cpu

/* Defines a function of 32-bit numbers, and the one of 16-bit lanes with the same expression. */
#define KBUILD_CPU_DPX2(name, suffix, Word, Lane, tail, expression) \
    __device__ inline Word name##_##suffix##32##tail(Word __a, Word __b) { return expression; } \
    __device__ inline unsigned int name##_##suffix##16x2##tail(unsigned int __left, \
                                                               unsigned int __right) { \
        return kbuild_cpu::map_halves<Lane>( \
            [](Lane __a, Lane __b) { return static_cast<Lane>(expression); }, __left, __right); \
    }
#define KBUILD_CPU_DPX3(name, suffix, Word, Lane, tail, expression) \
    __device__ inline Word name##_##suffix##32##tail(Word __a, Word __b, Word __c) { \
        return expression; \
    } \
    __device__ inline unsigned int name##_##suffix##16x2##tail( \
        unsigned int __first, unsigned int __second, unsigned int __third) { \
        return kbuild_cpu::map_halves<Lane>( \
            [](Lane __a, Lane __b, Lane __c) { return static_cast<Lane>(expression); }, __first, \
            __second, __third); \
    }
#define KBUILD_CPU_DPX_SIGNS(name, expression) \
    KBUILD_CPU_DPX3(name, s, int, short, , expression) \
    KBUILD_CPU_DPX3(name, u, unsigned int, unsigned short, , expression) \
    KBUILD_CPU_DPX3(name, s, int, short, _relu, (kbuild_cpu::greater<decltype(__a)>(expression, 0)))

KBUILD_CPU_DPX_SIGNS(__vimax3, kbuild_cpu::greater(kbuild_cpu::greater(__a, __b), __c))
KBUILD_CPU_DPX_SIGNS(__vimin3, kbuild_cpu::lesser(kbuild_cpu::lesser(__a, __b), __c))
KBUILD_CPU_DPX_SIGNS(__viaddmax, kbuild_cpu::greater(kbuild_cpu::wrapped_sum(__a, __b), __c))
KBUILD_CPU_DPX_SIGNS(__viaddmin, kbuild_cpu::lesser(kbuild_cpu::wrapped_sum(__a, __b), __c))
KBUILD_CPU_DPX2(__vimax, s, int, short, _relu,
                kbuild_cpu::greater<decltype(__a)>(kbuild_cpu::greater(__a, __b), 0))
KBUILD_CPU_DPX2(__vimin, s, int, short, _relu,
                kbuild_cpu::greater<decltype(__a)>(kbuild_cpu::lesser(__a, __b), 0))

#undef KBUILD_CPU_DPX_SIGNS
#undef KBUILD_CPU_DPX3
#undef KBUILD_CPU_DPX2

/* These also report whether the result is the first argument. */
#define KBUILD_CPU_DPX_CHOICE(name, operation, suffix, Word, Lane) \
    __device__ inline Word name##_##suffix##32(Word __a, Word __b, bool* __is_first) { \
        *__is_first = __a operation __b; \
        return *__is_first ? __a : __b; \
    } \
    __device__ inline unsigned int name##_##suffix##16x2( \
        unsigned int __a, unsigned int __b, bool* __high_is_first, bool* __low_is_first) { \
        *__high_is_first = static_cast<Lane>(__a >> 16) operation static_cast<Lane>(__b >> 16); \
        *__low_is_first = static_cast<Lane>(__a) operation static_cast<Lane>(__b); \
        return ((*__high_is_first ? __a : __b) & 0xFFFF0000u) | \
               ((*__low_is_first ? __a : __b) & 0xFFFFu); \
    }
KBUILD_CPU_DPX_CHOICE(__vibmax, >=, s, int, short)
KBUILD_CPU_DPX_CHOICE(__vibmax, >=, u, unsigned int, unsigned short)
KBUILD_CPU_DPX_CHOICE(__vibmin, <=, s, int, short)
KBUILD_CPU_DPX_CHOICE(__vibmin, <=, u, unsigned int, unsigned short)
#undef KBUILD_CPU_DPX_CHOICE

#endif
